// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 the memscope authors
/* What an object is decides what can be done about it. */
#include <string.h>

#include "kinds.h"

/* Whether a file is a program of the process: its threads ran it. */
static bool is_program(const struct memprof *m, uint32_t pid, const char *path)
{
	bool known = false;
	size_t i;

	for (i = 0; i < memprof_nr_threads(m); i++) {
		const struct memprof_thread *t = memprof_thread(m, i);

		if (t->pid != pid || !*t->program)
			continue;
		if (!strcmp(t->program, path))
			return true;
		known = true;
	}
	return !known;
}

/* Memory that a runtime divides among objects that are not known: libmemprof names it so. */
static bool is_arena(const struct memprof_site *site)
{
	return site && site->name[0] == '[' && strstr(site->name, " arena ");
}

/** kind_of() - what an object is */
enum kind kind_of(struct memprof *m, uint32_t object)
{
	const struct memprof_object *o = memprof_object(m, object);

	switch (o->type) {
	case MEMPROF_STATIC:
		return !*o->path || is_program(m, o->pid, o->path) ? KIND_VARIABLE : KIND_LIBRARY;
	case MEMPROF_CODE:
		return KIND_CODE;
	case MEMPROF_FILE:
		return strstr(o->path, ".so") || is_program(m, o->pid, o->path) ? KIND_CONSTANT : KIND_FILE;
	case MEMPROF_STACK:
		return KIND_STACK;
	case MEMPROF_DYNAMIC:
		return is_arena(memprof_object_site(m, object)) ? KIND_ARENA : KIND_ALLOCATED;
	default:
		return KIND_ALLOCATED;
	}
}

/**
 * kind_fix() - the fix that a kind can have instead of one
 * @kind: of a site's objects
 * @fix: what the accesses alone would suggest
 * @written: whether any access of them is a write
 *
 * Return: a fix with the same effect; FIX_NONE if there is none.
 */
enum fix kind_fix(enum kind kind, enum fix fix, bool written)
{
	switch (kind) {
	case KIND_ALLOCATED:
		return fix;
	case KIND_VARIABLE:
		/* The linker places it; its pages can be moved once they are the process's own. */
		if (fix == FIX_ALLOCATE)
			return written ? FIX_MIGRATE : FIX_REPLICATE;
		return fix;
	case KIND_ARENA:
		/* Its pages can be anywhere; which object is in which is the runtime's choice. */
		return fix == FIX_PIN_THREADS || fix == FIX_INTERLEAVE ? fix : FIX_NONE;
	case KIND_STACK:
		return fix == FIX_PIN_EACH ? fix : FIX_NONE;
	default:
		return fix == FIX_PIN_THREADS ? fix : FIX_NONE;
	}
}

/** kind_reason() - why nothing is advised, in a sentence; NULL if the kind is no reason */
const char *kind_reason(enum kind kind)
{
	static const char * const reasons[KINDS] = {
		[KIND_LIBRARY] = "it is a variable of a library, which the program does not place",
		[KIND_CONSTANT] = "it is constants or tables of a program or library: one copy in the page cache",
		[KIND_ARENA] = "it is an arena of a runtime, which places its objects itself (Java: -XX:+UseNUMA; else "
			       "numactl for the process)",
		[KIND_CODE] = "it is code: one copy in the page cache, on the node that read it first",
		[KIND_FILE] = "it is a file: its pages are where they were read first (numactl --interleave for "
			      "what reads it first)",
		[KIND_STACK] = "it is the threads' stacks, and no thread's is on one node",
	};

	return kind < KINDS ? reasons[kind] : NULL;
}
