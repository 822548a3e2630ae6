// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 the memscope authors
/* An access as the API returns it, and why some belong to no object. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "internal.h"
#include "lib/cells/utf8.h"

#define public __attribute__((visibility("default")))

/** memprof_reason() - why accesses are no object's, in words; NULL: no such reason */
public const char *memprof_reason(int reason)
{
	static const char * const text[MEMPROF_REASONS] = {
		[REASON_FREED] = "heap without a live object: freed, or the allocator's own",
		[REASON_NOT_MAPPED] = "not mapped, as far as is known",
		[REASON_NO_EVENTS] = "memory of a process whose objects are not followed",
		[REASON_LOST] = "events of objects were lost before",
		[REASON_RACE] = "allocated by another thread at the same moment",
		[REASON_LIBRARY] = "mapped by the C library: thread-local, or between objects",
		[REASON_NO_SYMBOL] = "no symbol",
	};

	return reason >= 0 && reason < MEMPROF_REASONS ? text[reason] : NULL;
}

/** memprof_access() - an access by its number, in order of time */
public void memprof_access(const struct memprof *m, size_t number, struct memprof_access *a)
{
	const struct kept_access *k = &m->accesses[number];

	*a = (struct memprof_access){
		.time_ns = k->time, .thread = k->thread, .object = k->object, .chain = k->chain,
		.latency = k->latency, .offset = (uint64_t)k->offset_high << 32 | k->offset,
		.node = memprof_node_of_cpu(m, k->cpu),
		.home = k->home == NODE_UNKNOWN ? MEMPROF_NO_NODE : k->home, .cpu = k->cpu,
		.level = k->level,
		.read = k->op & 1, .write = k->op & 2, .hitm = k->hitm, .kernel = k->kernel,
	};
	/* Of 48 bits, as recordings have addresses. */
	a->address = (int64_t)((m->objects[k->object].address + a->offset) << 16) >> 16;
	if (m->physical) {
		a->tlb_miss = m->physical[number] & TLB_MISSED;
		a->physical = m->physical[number] & ~TLB_MISSED;
	}
}

/** memprof_node_of_cpu() - the node of a CPU, MEMPROF_NO_NODE if it is not known */
public int memprof_node_of_cpu(const struct memprof *m, unsigned int cpu)
{
	return cpu < m->nr_cpus && m->cpu_node[cpu] != NODE_UNKNOWN ? m->cpu_node[cpu] : MEMPROF_NO_NODE;
}

/**
 * memprof_is_remote() - whether an access is from a node to another's memory
 *
 * By both nodes, or where one is not known, by the source.
 */
public bool memprof_is_remote(const struct memprof_access *a)
{
	return a->node >= 0 && a->home >= 0 ? a->node != a->home : a->level == MEMPROF_REMOTE_RAM;
}

/* Append to a text of one line, in valid UTF-8.  Return where it ends; @size: no more fits. */
static size_t append(char *text, size_t size, size_t at, const char *from)
{
	char c[UTF8_SIZE];
	size_t n;

	for (; *from && at < size; at += n) {
		from += utf8_next_in_line(c, from);
		n = strlen(c);
		if (at + n >= size)
			return size;
		memcpy(text + at, c, n + 1);
	}
	return at;
}

/**
 * memprof_site_text() - "s->basis (csuCommonSubspace.c:455)", as in the paper
 * @site: of memprof_object_site(); NULL: "?"
 * @text: gets it
 * @size: of @text
 *
 * Names are what files and runtimes call them, any bytes.  The text is to be printed: it is one line of
 * valid UTF-8, with U+FFFD for what is not, and for control characters.
 *
 * Return: 0, or -1 without a site, if memory runs out.
 */
public int memprof_site_text(const struct memprof_site *site, char *text, size_t size)
{
	const char *slash = site ? strrchr(site->file, '/') : NULL, *file;
	char line[32] = "";
	size_t at = 0;

	if (!site) {
		snprintf(text, size, "?");
		return -1;
	}
	if (size)
		*text = '\0';
	file = slash ? slash + 1 : site->file;
	at = append(text, size, at, site->name);
	if (!site->line && (!*file || site->name[0] == '['))
		return 0;
	if (site->line)
		snprintf(line, sizeof(line), ":%u", site->line);
	at = append(text, size, at, " (");
	at = append(text, size, at, file);
	at = append(text, size, at, line);
	append(text, size, at, ")");
	return 0;
}
