// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* memprof_where: prints where memprof, were it here, would find the library that it preloads. */
#include <limits.h>
#include <stdio.h>

#include "memprof/record/preload_path.h"

int main(void)
{
	char path[PATH_MAX];

	if (preload_path(path, sizeof(path)))
		return 1;
	return puts(path) < 0;
}
