// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Exit of a program that is out of memory for a hash table. */
#include <stdlib.h>

#include "complain.h"
#include "hash.h"
#include "tmpfiles.h"

/** hash_no_memory() - remove temporary files, print an error and exit */
void hash_no_memory(void)
{
	tmpfile_remove();
	exit(complain(FAILED, "no memory left"));
}
