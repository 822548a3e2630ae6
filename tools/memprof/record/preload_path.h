/* SPDX-License-Identifier: GPL-2.0 */
/* Where the library is that programs are made to load. */
#ifndef MEMPROF_PRELOAD_PATH_H
#define MEMPROF_PRELOAD_PATH_H

#include <stddef.h>

int preload_path(char *path, size_t size);

#endif
