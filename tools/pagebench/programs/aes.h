/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* AES with keys of 128 bits. */
#ifndef PAGEALLOC_PROGRAMS_AES_H
#define PAGEALLOC_PROGRAMS_AES_H

#include <stdint.h>

struct aes {
	uint8_t key[11][16];	/* of the rounds */
};

void aes_init(struct aes *a, const uint8_t key[16]);
void aes_encrypt(const struct aes *a, uint8_t block[16]);
void aes_decrypt(const struct aes *a, uint8_t block[16]);

#endif
