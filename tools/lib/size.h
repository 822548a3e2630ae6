/* SPDX-License-Identifier: GPL-2.0 */
/* Sizes as people write them: 64M, 3G. */
#ifndef MEMSCOPE_SIZE_H
#define MEMSCOPE_SIZE_H

#include <inttypes.h>

int parse_size(const char *text, uint64_t *bytes);

#endif
