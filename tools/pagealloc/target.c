// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* The process and the ranges that operands name. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/numbers.h"
#include "cli.h"

/* In the list of every process, but the kernel's own page. */
#define VSYSCALL "[vsyscall]"

/**
 * complain_about() - print what an error of the library means
 * @err: negative errno
 * @what: the object of the error: a process, a strategy
 *
 * Return: FAILED.
 */
int complain_about(int err, const char *what)
{
	static const struct { int err; const char *about; } errors[] = {
		{ ESRCH, "no such process" },
		{ EOPNOTSUPP, "the system has no color function (see pagealloc colors)" },
		{ EACCES, "permission denied" },
		{ EPERM, "not permitted: needs CAP_SYS_NICE or vm.page_hints_unprivileged=1;"
			 " locked hints need CAP_SYS_NICE; exact places and frames, CAP_SYS_ADMIN" },
		{ ENOENT, "the kernel has no such strategy, and no module for it" },
		{ ERANGE, "no such color or frame (see pagealloc colors)" },
		{ E2BIG, "argument too large for the kernel" },
		{ ENOSPC, "the process has hints for as many ranges as it may" },
		{ ENOTTY, "not supported by this kernel" },
	};
	size_t i;

	/* Whatever the operand is, the kernel is at fault. */
	if (err == -ENOSYS)
		return complain(FAILED, "the kernel has no page hints (see pagealloc doctor)");
	for (i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		if (errors[i].err == -err)
			return complain(FAILED, "%s: %s", what, errors[i].about);
	return complain(FAILED, "%s: %s", what, strerror(-err));
}

/**
 * target_open() - open a process
 * @t: set to the process; close it with target_close(), even after a failure
 * @pid: its pid, as text
 * @flags: as for pagealloc_open()
 *
 * Return: OK, or an exit status with a message printed.
 */
int target_open(struct target *t, const char *pid, unsigned int flags)
{
	uint64_t n;
	ssize_t nr;
	int ret;

	*t = (struct target){ };
	if (parse_number(pid, 1, INT_MAX, &n))
		return wrong_usage("%s: not a pid", pid);
	t->pid = n;
	ret = pagealloc_open(t->pid, flags, &t->handle);
	if (ret)
		return complain_about(ret, pid);
	nr = pagealloc_mappings(t->handle, &t->maps);
	if (nr < 0)
		return complain_about(nr, pid);
	t->nr_maps = nr;
	return OK;
}

/**
 * target_close() - close a process
 * @t: from target_open()
 */
void target_close(struct target *t)
{
	pagealloc_mappings_free(t->maps, t->nr_maps);
	pagealloc_close(t->handle);
	free(t->ranges);
}

/**
 * target_name() - the name of the mapping at an address
 * @t: the process
 * @address: the address
 */
const char *target_name(const struct target *t, uint64_t address)
{
	size_t first = 0, end = t->nr_maps;

	while (first < end) {
		size_t i = (first + end) / 2;

		if (address < t->maps[i].start)
			end = i;
		else if (address >= t->maps[i].end)
			first = i + 1;
		else
			return t->maps[i].name;
	}
	return "";
}

static int add_range(struct target *t, uint64_t start, uint64_t end, const char *name)
{
	struct range *ranges = realloc(t->ranges, (t->nr_ranges + 1) * sizeof(*ranges));

	if (!ranges)
		return complain(FAILED, "no memory left");
	t->ranges = ranges;
	ranges[t->nr_ranges++] = (struct range){ start, end, name };
	return OK;
}

/* Add the mappings between two addresses, clipped to them. */
static int add_mappings(struct target *t, uint64_t start, uint64_t end)
{
	int ret = OK;
	size_t i;

	for (i = 0; i < t->nr_maps && !ret; i++) {
		const struct pagealloc_mapping *m = &t->maps[i];

		if (m->end > start && m->start < end && strcmp(m->name, VSYSCALL))
			ret = add_range(t, m->start > start ? m->start : start,
					m->end < end ? m->end : end, m->name);
	}
	return ret;
}

static int add_named(struct target *t, const char *word)
{
	size_t before = t->nr_ranges, i;
	int ret = OK;

	for (i = 0; i < t->nr_maps && !ret; i++) {
		const struct pagealloc_mapping *m = &t->maps[i];
		const char *base = strrchr(m->name, '/');

		if (*m->name && (!strcmp(m->name, word) || (base && !strcmp(base + 1, word))))
			ret = add_range(t, m->start, m->end, m->name);
	}
	if (!ret && t->nr_ranges == before)
		return complain(FAILED, "%s: no mapping of process %d, and not 0xSTART-0xEND", word,
				(int)t->pid);
	return ret;
}

/**
 * target_ranges() - add the ranges that operands name
 * @t: the process
 * @words: 0xSTART-0xEND, or names of mappings
 * @nr: number of @words
 * @how: ALL_MAPPINGS: without words, add all mappings; MAPPINGS_OF_RANGE: of a range,
 *	add the mappings in it instead of the whole
 *
 * Return: OK, or an exit status with a message printed.
 */
int target_ranges(struct target *t, char **words, int nr, int how)
{
	uint64_t start, end, page = sysconf(_SC_PAGESIZE);
	int i, ret = OK;

	if (!nr && how & ALL_MAPPINGS)
		return add_mappings(t, 0, UINT64_MAX);
	for (i = 0; i < nr && !ret; i++) {
		if (strncmp(words[i], "0x", 2) || parse_addresses(words[i], &start, &end)) {
			if (!strncmp(words[i], "0x", 2))
				return wrong_usage("%s: not a range 0xSTART-0xEND", words[i]);
			ret = add_named(t, words[i]);
		} else if (start % page || end % page) {
			ret = wrong_usage("%s: not of whole pages", words[i]);
		} else if (how & MAPPINGS_OF_RANGE) {
			ret = add_mappings(t, start, end);
		} else {
			ret = add_range(t, start, end, target_name(t, start));
		}
	}
	return ret;
}
