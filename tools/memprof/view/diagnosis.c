// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 the memscope authors
/* The diagnosis as tables: what is found, and where loads would find their data with each fix. */
#include <string.h>

#include "diagnosis.h"
#include "enough.h"

static double share(double part, uint64_t whole)
{
	return whole ? part / whole : 0;
}

/* A table without rows is read as an all-clear: a row says when it is none. */
static int add_too_few(const struct findings *f, size_t rows, struct table *t)
{
	char text[1024];

	if (enough_text(f->judged, rows, text, sizeof(text)))
		return 0;
	return table_add(t, (struct cell[]){
		TEXT_CELL(pattern_name(PATTERN_FEW)), TEXT_CELL(fix_name(FIX_NONE)), TEXT_CELL("recording"),
		NONE_CELL, NONE_CELL, INT_CELL(f->judged), NONE_CELL, NONE_CELL, NONE_CELL,
		REAL_CELL(100 * share(f->remote, f->accesses)), NONE_CELL, NONE_CELL, NONE_CELL, NONE_CELL,
		NONE_CELL, NONE_CELL, NONE_CELL, NONE_CELL, NONE_CELL, NONE_CELL, TEXT_CELL("[recording]"),
		TEXT_CELL(text), NONE_CELL, NONE_CELL, NONE_CELL });
}

const struct columns findings_columns = COLUMNS(
	{ "pattern", CELL_TEXT, 0, "",
	  "what the accesses of the site show; see memprof-diagnose(1)" },
	{ "fix", CELL_TEXT, 0, "", "what would help; none: nothing is advised" },
	{ "type", CELL_TEXT, 0, "",
	  "what the objects are: static, dynamic, file, code, stack, kernel, unknown; process; "
	  "in the last row recording: too few samples" },
	{ "objects", CELL_INT, 0, "objects",
	  "objects of the site; of a process, shared sites", "the row is of the recording" },
	{ "bytes", CELL_INT, 0, "bytes", "sum of their sizes", "the row is of the recording" },
	{ "accesses", CELL_INT, 0, "samples",
	  "sampled accesses of main memory with both nodes known" },
	{ "share_of_remote_pct", CELL_REAL, 2, "%",
	  "the site's remote accesses, of all remote accesses", "the row is of the recording" },
	{ "remote_pct", CELL_REAL, 2, "%",
	  "of the site's accesses, those that are remote", "the row is of the recording" },
	{ "predicted_pct", CELL_REAL, 2, "%",
	  "of the site's accesses, those remote with the fix", "the row is of the recording" },
	{ "all_remote_pct", CELL_REAL, 2, "%",
	  "of all accesses of the recording, those that are remote" },
	{ "all_predicted_pct", CELL_REAL, 2, "%",
	  "of all accesses, those remote with this fix alone", "the row is of the recording" },
	{ "same_node", CELL_REAL, 2, "",
	  "probability that two accesses of one object, once it is filled in, are from the "
	  "same node: 0 to 1", "no object has two accesses" },
	{ "one_at_a_time", CELL_REAL, 2, "",
	  "share of accesses from the node that uses the object in that 64th of its life: 0 to "
	  "1", "the row is of the recording" },
	{ "writes_pct", CELL_REAL, 1, "%",
	  "writes, of the accesses after the first thread alone filled the object",
	  "the row is of the recording" },
	{ "latency_ratio", CELL_REAL, 2, "",
	  "latency of the node's memory, divided by that where there is least to do",
	  "latencies are not known" },
	{ "false_sharing_pct", CELL_REAL, 1, "%",
	  "accesses of lines of which threads write different bytes",
	  "the row is of the recording" },
	{ "confidence", CELL_REAL, 2, "",
	  "share of the accesses that the pattern explains: 0 to 1",
	  "the row is of the recording" },
	{ "node", CELL_INT, 0, "",
	  "node to allocate on, or that is saturated", "the fix names none" },
	{ "pid", CELL_INT, 0, "", "process", "of several processes" },
	{ "object", CELL_INT, 0, "",
	  "number of the site's object with the most accesses", "the row is of a process" },
	{ "site", CELL_TEXT, 0, "", "where the objects are allocated; [process], [recording]" },
	{ "advice", CELL_TEXT, 0, "", "what to do" },
	{ "joint", CELL_INT, 0, "",
	  "1: the fix is among those that are made together", "the row is of the recording" },
	{ "all_fixes_pct", CELL_REAL, 2, "%",
	  "of all accesses, those remote with all fixes together",
	  "the row is of the recording" },
	{ "latency_gain_pct", CELL_REAL, 2, "%",
	  "sampled latency of memory that the fix saves", "latencies are not known" },
);

/** findings_table() - a row a finding.  Return: 0, or -1 without memory */
int findings_table(struct memprof *m, const struct findings *f, const struct view_options *o, struct table *t)
{
	double gain;
	size_t i, rows = 0;

	table_init_columns(t, &findings_columns);
	for (i = 0; i < f->nr; i++) {
		const struct finding *x = &f->all[i];
		const struct memprof_object *object = x->object != NO_NUMBER ?
						      memprof_object(m, x->object) : NULL;
		char site[1024] = "[process]", advice[2048];

		if (x->pattern == PATTERN_NONE && !o->all)
			continue;
		if (o->top && rows >= o->top)
			break;
		rows++;
		if (object)
			memprof_site_text(memprof_object_site(m, x->object), site, sizeof(site));
		fix_text(m, x, advice, sizeof(advice));
		gain = 100 * joint_latency(f, x->remote - x->predicted);
		if (table_add(t, (struct cell[]){
			TEXT_CELL(pattern_name(x->pattern)), TEXT_CELL(fix_name(x->fix)),
			TEXT_CELL(object ? memprof_type_name(object->type) : "process"),
			INT_CELL(x->objects), INT_CELL(x->bytes), INT_CELL(x->accesses),
			REAL_CELL(100 * share(x->remote, f->remote)),
			REAL_CELL(100 * share(x->remote, x->accesses)),
			REAL_CELL(100 * share(x->predicted, x->accesses)),
			REAL_CELL(100 * share(f->remote, f->accesses)),
			REAL_CELL(100 * share(f->remote - x->remote + x->predicted, f->accesses)),
			x->same_node < 0 ? NONE_CELL : REAL_CELL(x->same_node), REAL_CELL(x->phase),
			REAL_CELL(100 * x->writes), x->busy ? REAL_CELL(x->busy) : NONE_CELL,
			REAL_CELL(100 * x->lines), REAL_CELL(x->confidence),
			x->node < 0 ? NONE_CELL : INT_CELL(x->node),
			x->pid ? INT_CELL(x->pid) : NONE_CELL,
			object ? INT_CELL(x->object) : NONE_CELL, TEXT_CELL(site),
			TEXT_CELL(advice), INT_CELL(x->joint), REAL_CELL(100 * share(f->joint, f->accesses)),
			gain ? REAL_CELL(gain) : NONE_CELL }))
			return -1;
	}
	return add_too_few(f, rows, t);
}

const struct columns levels_columns = COLUMNS(
	{ "pattern", CELL_TEXT, 0, "",
	  "what the accesses of the site show; all: the recording as it is" },
	{ "fix", CELL_TEXT, 0, "", "the fix; none: as it is" },
	{ "loads", CELL_INT, 0, "samples", "loads of the site whose level is known" },
	{ "l1_pct", CELL_REAL, 2, "%",
	  "of all loads, those that the L1 would serve with the fix" },
	{ "l2_pct", CELL_REAL, 2, "%", "the same of the L2" },
	{ "l3_pct", CELL_REAL, 2, "%", "the same of the L3" },
	{ "remote_cache_pct", CELL_REAL, 2, "%", "the same of caches of other nodes" },
	{ "local_memory_pct", CELL_REAL, 2, "%", "the same of memory of the CPU's node" },
	{ "remote_memory_pct", CELL_REAL, 2, "%", "the same of memory of other nodes" },
	{ "site", CELL_TEXT, 0, "", "where the objects are allocated; empty: all" },
);

/**
 * levels_table() - where loads find their data: as it is, and with each fix
 *
 * Return: 0, or -1 without memory.  Without rows, the source does not report it.
 */
int levels_table(struct memprof *m, const struct findings *f, const struct view_options *o, struct table *t)
{
	const struct finding *x = NULL;
	double pct[ANSWERS];
	size_t i, rows = 0;
	uint64_t loads;
	char site[1024];
	int k;

	table_init_columns(t, &levels_columns);
	/* The first row is all of it. */
	for (i = 0; i <= f->nr; i++) {
		x = i ? &f->all[i - 1] : NULL;
		if (x && x->fix == FIX_NONE)
			continue;
		if (x && o->top && rows++ >= o->top)
			break;
		if (!answers_with_fix(f, x, pct))
			return 0;
		for (loads = k = 0; k < ANSWERS; k++)
			loads += x ? x->answers[k] : f->answers[k];
		strcpy(site, x ? "[process]" : "");
		if (x && x->object != NO_NUMBER)
			memprof_site_text(memprof_object_site(m, x->object), site, sizeof(site));
		if (table_add(t, (struct cell[]){
			TEXT_CELL(x ? pattern_name(x->pattern) : "all"), TEXT_CELL(x ? fix_name(x->fix) : "none"),
			INT_CELL(loads), REAL_CELL(pct[ANSWER_L1]), REAL_CELL(pct[ANSWER_L2]),
			REAL_CELL(pct[ANSWER_L3]), REAL_CELL(pct[ANSWER_REMOTE_CACHE]),
			REAL_CELL(pct[ANSWER_LOCAL]), REAL_CELL(pct[ANSWER_REMOTE]),
			TEXT_CELL(site) }))
			return -1;
	}
	return 0;
}

static int make(struct memprof *m, const struct view_options *o, struct table *t,
		int (*table)(struct memprof *m, const struct findings *f, const struct view_options *o,
			     struct table *t))
{
	struct findings found;
	int bad = patterns_find(m, &found);

	bad = bad ? bad : table(m, &found, o, t);
	patterns_free(&found);
	return bad;
}

int view_findings(struct memprof *m, const struct view_options *o, struct table *t)
{
	table_init_columns(t, &findings_columns);
	return make(m, o, t, findings_table);
}

int view_levels(struct memprof *m, const struct view_options *o, struct table *t)
{
	table_init_columns(t, &levels_columns);
	return make(m, o, t, levels_table);
}
