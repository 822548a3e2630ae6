// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 the memscope authors
/* Patterns and what to do about them, in words. */
#include <stdio.h>
#include <string.h>

#include "kinds.h"
#include "stacks.h"

/** pattern_name() - in a word */
const char *pattern_name(enum pattern p)
{
	static const char * const names[PATTERNS] = {
		"local", "too-few-samples", "unclear", "remote-after-allocation", "wrong-node",
		"alternate", "partitioned", "concurrent-read", "concurrent-write", "saturated-node", "false-sharing", "process-split",
		"remote-stacks",
	};

	return p < PATTERNS ? names[p] : "?";
}

/** pattern_about() - in a sentence */
const char *pattern_about(enum pattern p)
{
	static const char * const about[PATTERNS] = {
		[PATTERN_NONE] = "mostly accessed from the node that has it",
		[PATTERN_FEW] = "too few samples to tell: record longer, or with a shorter period",
		[PATTERN_UNCLEAR] = "remote, but by none of the known patterns: look at its flow",
		[PATTERN_AFTER_ALLOCATION] = "allocated by one thread, then used by a thread of another node",
		[PATTERN_WRONG_NODE] = "used by the thread that allocated it, but its memory is on another node",
		[PATTERN_ALTERNATE] = "used by one node after the other",
		[PATTERN_PARTITIONED] = "used by several nodes at once, but each has its own pages of it",
		[PATTERN_CONCURRENT_READ] = "read by several nodes at once, hardly ever written",
		[PATTERN_CONCURRENT_WRITE] = "read and written by several nodes at once",
		[PATTERN_SATURATED] = "read and written by several nodes at once, and its node answers slowly",
		[PATTERN_FALSE_SHARING] = "threads write different bytes of the same cache lines",
		[PATTERN_SPLIT] = "threads of a process on several nodes share its objects, none of which stands out, "
				   "or those of several processes do",
		[PATTERN_STACKS] = "threads run on other nodes than their stacks are on",
	};

	return p < PATTERNS ? about[p] : "?";
}

/** fix_name() - in a word */
const char *fix_name(enum fix f)
{
	static const char * const names[FIXES] = {
		"none", "allocate-on-node", "migrate", "first-touch", "replicate", "pin-threads", "interleave", "pad",
		"pin-process", "pin-each-thread",
	};

	return f < FIXES ? names[f] : "?";
}

/** fix_text() - what to do, and where, in a sentence */
void fix_text(struct memprof *m, const struct finding *f, char *text, size_t size)
{
	const struct memprof_site *site = f->object != MEMPROF_NO_OBJECT ?
					  memprof_object_site(m, f->object) : NULL;
	const char *reason;
	char where[1024] = "";
	size_t n;

	if (site)
		memprof_site_text(site, where, sizeof(where));
	switch (f->fix) {
	case FIX_ALLOCATE:
		if (f->node >= 0)
			snprintf(text, size, "allocate %s on node %d (numa_alloc_onnode(), or let a "
				 "thread there write it first)", where, f->node);
		else
			snprintf(text, size, "allocate each %s on the node of the thread that uses it "
				 "(numa_alloc_local() in that thread, or let it write it first)", where);
		break;
	case FIX_MIGRATE:
		if (f->kind == KIND_VARIABLE && f->node >= 0) {
			snprintf(text, size, "move the pages of %s to node %d (mbind(2) with MPOL_MF_MOVE; "
				 "alignas(4096) keeps its neighbors where they are)", where, f->node);
			break;
		}
		snprintf(text, size, "move %s to the thread's node when its turn begins "
			 "(move_pages(2), or mbind(2) with MPOL_MF_MOVE), or the threads to its node", where);
		break;
	case FIX_FIRST_TOUCH:
		snprintf(text, size, "let each thread write its part of %s first, before any other "
			 "does (a page is where it is first touched)", where);
		break;
	case FIX_REPLICATE:
		snprintf(text, size, "a copy of %s on each node, made after it is filled in; "
			 "%lu bytes each", where, (unsigned long)f->bytes);
		if (f->saturated) {
			n = strlen(text);
			snprintf(text + n, size - n, "; or, since node %d is saturated, one line: interleave it over "
				 "all nodes (mbind(2) with MPOL_INTERLEAVE), which leaves %.1f %% of its accesses "
				 "remote", f->node, f->accesses ? 100 * f->interleaved / f->accesses : 0);
		}
		break;
	case FIX_PIN_THREADS:
		snprintf(text, size, "run the threads that use %s on node %d (numa_run_on_node()), "
			 "if the other nodes have other work", where, f->node);
		break;
	case FIX_INTERLEAVE:
		snprintf(text, size, "interleave %s over all nodes (numa_alloc_interleaved(), or "
			 "mbind(2) with MPOL_INTERLEAVE): node %d is saturated", where, f->node);
		break;
	case FIX_PAD:
		snprintf(text, size, "give each thread's part of %s cache lines of its own "
			 "(alignas(64))", where);
		break;
	case FIX_PIN_EACH:
		stacks_text(m, f->object, text, size);
		break;
	case FIX_PIN_PROCESS:
		if (f->pid)
			snprintf(text, size, "run process %u on one node (numactl --cpunodebind "
				 "--membind), others on the others", f->pid);
		else
			snprintf(text, size, "run each process on one node, with all its threads "
				 "(numa_bind() when it begins), as many on each node as on the others");
		break;
	default:
		reason = f->refused ? kind_reason(f->kind) : NULL;
		snprintf(text, size, "nothing%s%s", reason ? ": " : "", reason ? reason : "");
	}
}
