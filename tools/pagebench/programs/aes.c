// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * AES (FIPS 197) with a key of 128 bits, blocks chained (CBC, SP 800-38A), over
 * a buffer in place.  By the book with tables in memory, which is what is to be
 * measured; not for secrets: table look-ups leak them to programs that share the cache.
 */
#include <stdlib.h>
#include <string.h>

#include "aes.h"
#include "kernel.h"

static uint8_t sbox[256], inverse[256];
/* A column that MixColumns makes of the byte in its first row. */
static uint32_t mixed[256];
/* Products with what InvMixColumns has in its first row. */
static uint8_t product[4][256];

static uint8_t twice(uint8_t x)
{
	return x << 1 ^ (x & 0x80 ? 0x1b : 0);
}

static uint8_t times(uint8_t x, uint8_t y)
{
	uint8_t product = 0;

	for (; y; y >>= 1, x = twice(x))
		if (y & 1)
			product ^= x;
	return product;
}

static uint32_t rotate(uint32_t x, unsigned int bits)
{
	return bits ? x << bits | x >> (32 - bits) : x;
}

static void make_tables(void)
{
	static const uint8_t factor[4] = { 14, 11, 13, 9 };
	unsigned int i, j;
	uint8_t x, y;

	for (i = 0; i < 256; i++) {
		/* The reciprocal, x^254; then the affine map. */
		x = i;
		for (j = 0, y = 1; j < 254; j++)
			y = times(y, x);
		x = y;
		for (j = 1; j < 5; j++)
			x ^= y << j | y >> (8 - j);
		sbox[i] = x ^ 0x63;
		inverse[sbox[i]] = i;
		for (j = 0; j < 4; j++)
			product[j][i] = times(i, factor[j]);
	}
	for (i = 0; i < 256; i++) {
		x = sbox[i];
		mixed[i] = twice(x) | x << 8 | x << 16 | (uint32_t)(twice(x) ^ x) << 24;
	}
}

/**
 * aes_init() - expand a key
 * @a: for aes_encrypt() and aes_decrypt()
 * @key: the key
 */
void aes_init(struct aes *a, const uint8_t key[16])
{
	uint8_t *w = a->key[0], t[4], rcon = 1;
	int i, j;

	if (!mixed[0])
		make_tables();
	memcpy(w, key, 16);
	for (i = 16; i < 176; i += 4) {
		memcpy(t, w + i - 4, 4);
		if (i % 16 == 0) {
			uint8_t first = t[0];

			t[0] = sbox[t[1]] ^ rcon;
			t[1] = sbox[t[2]];
			t[2] = sbox[t[3]];
			t[3] = sbox[first];
			rcon = twice(rcon);
		}
		for (j = 0; j < 4; j++)
			w[i + j] = w[i + j - 16] ^ t[j];
	}
}

static void add_key(uint8_t s[16], const uint8_t key[16])
{
	int i;

	for (i = 0; i < 16; i++)
		s[i] ^= key[i];
}

/**
 * aes_encrypt() - encrypt a block, in place
 */
void aes_encrypt(const struct aes *a, uint8_t s[16])
{
	uint8_t t[16];
	int round, i, j;

	add_key(s, a->key[0]);
	for (round = 1; round < 10; round++) {
		for (i = 0; i < 4; i++) {
			uint32_t column = 0;

			for (j = 0; j < 4; j++)
				column ^= rotate(mixed[s[(4 * i + 5 * j) % 16]], 8 * j);
			for (j = 0; j < 4; j++)
				t[4 * i + j] = column >> 8 * j;
		}
		memcpy(s, t, 16);
		add_key(s, a->key[round]);
	}
	for (i = 0; i < 16; i++)
		t[i] = sbox[s[5 * i % 16]];
	memcpy(s, t, 16);
	add_key(s, a->key[10]);
}

/**
 * aes_decrypt() - decrypt a block, in place: each step of the other turned back
 */
void aes_decrypt(const struct aes *a, uint8_t s[16])
{
	uint8_t t[16];
	int round, i, j;

	for (round = 10; round > 0; round--) {
		add_key(s, a->key[round]);
		for (i = 0; i < 16 && round < 10; i++) {
			t[i] = 0;
			for (j = 0; j < 4; j++)
				t[i] ^= product[j][s[i / 4 * 4 + (i + j) % 4]];
		}
		if (round < 10)
			memcpy(s, t, 16);
		for (i = 0; i < 16; i++)
			t[5 * i % 16] = inverse[s[i]];
		memcpy(s, t, 16);
	}
	add_key(s, a->key[0]);
}

struct loop {
	uint64_t blocks, rounds;
	uint8_t *data;
	uint8_t vector[16];	/* the last block of the round before */
	struct aes aes;
};

static void *make(uint64_t size)
{
	struct loop *l = calloc(1, sizeof(*l));
	uint8_t key[16];
	int i;

	if (!l)
		return NULL;
	for (i = 0; i < 16; i++)
		key[i] = i;
	aes_init(&l->aes, key);
	l->blocks = size / 16;
	l->data = l->blocks > 1 ? malloc(16 * l->blocks) : NULL;
	if (l->data)
		return l;
	free(l);
	return NULL;
}

static uint64_t bytes(const void *data)
{
	const struct loop *l = data;

	return 16 * l->blocks;
}

static uint8_t plain(uint64_t i)
{
	return i * 31 + (i >> 8);
}

static void prepare(void *data)
{
	struct loop *l = data;
	uint64_t i;

	for (i = 0; i < 16 * l->blocks; i++)
		l->data[i] = plain(i);
	memset(l->vector, 0, 16);
	l->rounds = 0;
}

/* Each round encrypts what the one before left, and begins with its last block. */
static int run(void *data, uint64_t iterations)
{
	struct loop *l = data;
	uint64_t i;

	for (; iterations--; l->rounds++)
		for (i = 0; i < l->blocks; i++) {
			add_key(l->data + 16 * i, l->vector);
			aes_encrypt(&l->aes, l->data + 16 * i);
			memcpy(l->vector, l->data + 16 * i, 16);
		}
	return 0;
}

/* Decrypted, it is as it was. */
static int check(void *data)
{
	struct loop *l = data;
	uint64_t i;

	if (!l->rounds)
		return -1;
	for (; l->rounds; l->rounds--)
		for (i = l->blocks; i-- > 0;) {
			uint8_t *block = l->data + 16 * i;

			aes_decrypt(&l->aes, block);
			if (i)
				add_key(block, block - 16);
			else if (l->rounds > 1)
				/* The round before ended with what is the last block now. */
				add_key(block, l->data + 16 * (l->blocks - 1));
		}
	for (i = 0; i < 16 * l->blocks; i++)
		if (l->data[i] != plain(i))
			return -1;
	return 0;
}

static void destroy(void *data)
{
	struct loop *l = data;

	free(l->data);
	free(l);
}

const struct kernel kernel_aes = {
	"aes", "AES-128 in CBC over a buffer", make, bytes, prepare, run, check, destroy
};
