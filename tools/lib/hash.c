// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* How a program ends that has no memory for a hash table. */
#include <stdlib.h>

#include "complain.h"
#include "hash.h"
#include "leftover.h"

/** hash_no_memory() - end the program, with nothing half-written left behind */
void hash_no_memory(void)
{
	leftover_remove();
	exit(complain(FAILED, "no memory left"));
}
