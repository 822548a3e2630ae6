/* SPDX-License-Identifier: GPL-2.0 */
/* Sizes and addresses as people write them: 64M, 3G, 0x40000000. */
#ifndef MEMSCOPE_SIZE_H
#define MEMSCOPE_SIZE_H

#include <inttypes.h>

int parse_size(const char *text, uint64_t *bytes);
int parse_address(const char *text, uint64_t *address);

#endif
