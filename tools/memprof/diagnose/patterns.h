/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 the memscope authors */
/* Which pattern accesses show, and what to do about it. */
#ifndef MEMPROF_PATTERNS_H
#define MEMPROF_PATTERNS_H

#include "memprof/memprof.h"

/* Fewer remote accesses cannot be distinguished from chance. */
#define PATTERN_MIN_REMOTE	20
/* Of all memory accesses: less is not worth a change. */
#define PATTERN_MIN_SHARE	0.01

/* Section 2.1 of the paper, and what its section 5 found beside. */
enum pattern {
	PATTERN_NONE,		/* local enough */
	PATTERN_FEW,		/* too few samples to decide */
	PATTERN_UNCLEAR,	/* enough, but none of these */
	PATTERN_AFTER_ALLOCATION,	/* allocated by one thread, used on another node */
	PATTERN_WRONG_NODE,	/* used by the thread that allocated it, memory elsewhere */
	PATTERN_ALTERNATE,	/* one node after the other */
	PATTERN_PARTITIONED,	/* several nodes at once, each its own pages of it */
	PATTERN_CONCURRENT_READ,	/* several nodes at once, only or mostly reading */
	PATTERN_CONCURRENT_WRITE,	/* several nodes at once, writing */
	PATTERN_SATURATED,	/* the same, and the node answers slowly */
	PATTERN_FALSE_SHARING,	/* threads write different bytes of a line */
	PATTERN_SPLIT,		/* a process whose threads share all over the nodes */
	PATTERN_STACKS,		/* threads run on other nodes than their stacks are on */
	PATTERNS
};

enum fix {
	FIX_NONE, FIX_ALLOCATE, FIX_MIGRATE, FIX_FIRST_TOUCH, FIX_REPLICATE, FIX_PIN_THREADS, FIX_INTERLEAVE,
	FIX_PAD, FIX_PIN_PROCESS, FIX_PIN_EACH, FIXES
};

/* What an object is, as far as it matters for what can be done about it: kinds.c. */
enum kind {
	KIND_ALLOCATED,
	KIND_VARIABLE,		/* of the program */
	KIND_LIBRARY,		/* variable of a library */
	KIND_CONSTANT,		/* of a program or library, and its tables */
	KIND_CODE, KIND_FILE, KIND_STACK,
	KIND_ARENA,		/* of a runtime, which divides it */
	KINDS
};

/* Where a load's data was. */
enum answer {
	ANSWER_L1, ANSWER_L2, ANSWER_L3, ANSWER_REMOTE_CACHE, ANSWER_LOCAL, ANSWER_REMOTE, ANSWERS
};

/**
 * struct finding - what a site, or a process, shows
 * @object: the site's object with most accesses; MEMPROF_NO_OBJECT for a process
 * @type: of the site's objects
 * @kind: of these; why nothing is advised, if the accesses alone would suggest something (@refused)
 * @saturated: its node answers slowly: interleaving is an answer, too, which leaves @interleaved
 * @joint: its fix is one of those that are made together
 * @pid: of the process; 0 several
 * @processes: that have objects of the site, at most 64
 * @objects: of the site; sites that are shared, of a process
 * @accesses: of main memory, with both nodes known
 * @remote: of these
 * @predicted: remote ones that are left, by the fix
 * @node: to allocate on, or that is saturated; -1 none
 * @nodes: that access it
 * @same_node: two accesses of an object are from one node, so often
 * @phase: share of accesses from the node that has its turn
 * @writes: share of accesses after the first thread alone wrote it
 * @pages: two accesses of a page are from one node, so often
 * @busy: latency of the node, to what it is where there is least to do
 * @lines: share of accesses to falsely shared lines
 * @confidence: share of the accesses that the pattern explains
 * @answers: loads, by where their data was, as far as the source says
 * @capacity: of those that another node's cache or memory answered, what the own one would with all
 *	threads there
 */
struct finding {
	enum pattern pattern;
	enum fix fix;
	enum memprof_type type;
	enum kind kind;
	bool refused, saturated, joint;
	double interleaved;
	uint32_t object, pid, processes, objects;
	uint64_t bytes, accesses, remote;
	double predicted;
	int node, nodes;
	double same_node, pages, phase, writes, busy, lines, confidence, capacity;
	uint64_t answers[ANSWERS];
};

struct findings {
	struct finding *all;
	size_t nr, capacity;
	uint64_t accesses, remote;	/* of the recording */
	uint64_t judged;		/* of the accesses, those of objects that are known */
	double joint;			/* remote ones that are left with all fixes */
	size_t fixes;			/* that are made then */
	uint64_t latencies[2];		/* accesses with one: local ones, remote ones */
	double latency[2];		/* their sums */
	uint64_t answers[ANSWERS];
};

struct finding *findings_add(struct findings *f);
int patterns_find_split(struct findings *f);
int patterns_find(struct memprof *m, struct findings *f);
double answers_taken(const uint64_t *accesses, const uint64_t *writes, int nodes);
double answers_capacity(const uint64_t answers[ANSWERS], double taken);
void answers_add(uint64_t answers[ANSWERS], const struct memprof_access *a);
bool answers_with_fix(const struct findings *f, const struct finding *x, double pct[ANSWERS]);
void joint_find(struct findings *f);
double joint_latency(const struct findings *f, double gain);
void patterns_free(struct findings *f);
const char *pattern_name(enum pattern p);
const char *pattern_about(enum pattern p);
const char *fix_name(enum fix f);
void fix_text(struct memprof *m, const struct finding *f, char *text, size_t size);

#endif
