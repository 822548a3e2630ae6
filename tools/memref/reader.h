/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMREF_READER_H
#define MEMREF_READER_H

#include "model.h"

int reader_read(const char *path, struct model *m, void (*progress)(double share),
		char *error, size_t size);

#endif
