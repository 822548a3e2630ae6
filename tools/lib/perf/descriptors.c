// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Events take a descriptor each, of every thread and CPU: more than a process may have by default. */
#include <sys/resource.h>

#include "descriptors.h"

/* For files, and what libraries open. */
#define OTHERS	64

/**
 * descriptors_need() - raise the limit of open files, as far as that is allowed
 * @n: how many descriptors are about to be opened, beside those of calls before
 *
 * Commands that were started already keep the limit that they have.
 */
void descriptors_need(uint64_t n)
{
	static uint64_t all = OTHERS;
	struct rlimit limit, more;

	all += n;
	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= all)
		return;
	more = (struct rlimit){ all, limit.rlim_max > all ? limit.rlim_max : all };
	if (!setrlimit(RLIMIT_NOFILE, &more))
		return;
	/* Only with CAP_SYS_RESOURCE, and up to fs.nr_open, more than the hard limit. */
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}
