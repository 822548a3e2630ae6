// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* memprof diagnose: say what is wrong with which object, and what to do. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "lib/output.h"
#include "memprof_cli.h"
#include "options.h"
#include "memprof/view/latency.h"
#include "memprof/diagnose/patterns.h"
#include "memprof/view/enough.h"

static const struct verb_usage usage = {
	.command = "memprof diagnose", .operands = "[FILE] [options]", .max = 1,
	.about = "Say which pattern the accesses of each object show, with what evidence, what to do about "
		 "it, and what that would change (default " DEFAULT_FILE ").",
};

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

static const struct columns findings_columns = COLUMNS(
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

static int make_table(struct memprof *m, const struct findings *f, const struct view_options *o,
		      struct table *t)
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

static const struct columns found_columns = COLUMNS(
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

/* Where loads find their data: as it is, and with each fix. */
static int make_levels(struct memprof *m, const struct findings *f, const struct view_options *o,
		       struct table *t)
{
	const struct finding *x = NULL;
	double pct[ANSWERS];
	size_t i, rows = 0;
	uint64_t loads;
	char site[1024];
	int k;

	table_init_columns(t, &found_columns);
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

/**
 * print_evidence() - print what a finding is concluded from, as an indented line
 * @x: the finding
 * @out: output
 */
void print_evidence(const struct finding *x, FILE *out)
{
	fprintf(out, "    %lu memory accesses sampled, of %u %s%s, from %d node%s",
		(unsigned long)x->accesses, x->objects,
		x->object == NO_NUMBER ? "shared site" : "object", x->objects == 1 ? "" : "s", x->nodes,
		x->nodes == 1 ? "" : "s");
	if (x->same_node >= 0)
		fprintf(out, "; two of one object are from the same node in %.0f %%",
			100 * x->same_node);
	if (x->pattern == PATTERN_ALTERNATE || x->pattern == PATTERN_CONCURRENT_READ ||
	    x->pattern == PATTERN_CONCURRENT_WRITE || x->pattern == PATTERN_SATURATED)
		fprintf(out, "; at any time, %.0f %% are from one node; %.1f %% write", 100 * x->phase,
			100 * x->writes);
	if (x->pattern == PATTERN_SATURATED)
		fprintf(out, "; its memory takes %.1f times as long as it could", x->busy);
	if (x->pattern == PATTERN_FALSE_SHARING)
		fprintf(out, "; %.0f %% of them in lines of which threads write different bytes",
			100 * x->lines);
	fputs("\n", out);
}

/* Sites that are named by their share of the latency. */
#define LATENCY_SITES	3

static void print_latencies(struct memprof *m, const struct latencies *l, FILE *out)
{
	char site[1024];
	size_t i;

	if (!l->cycles)
		return;
	fprintf(out, "By latency of %lu sampled accesses, of caches and memory, most is of\n",
		(unsigned long)l->accesses);
	for (i = 0; i < l->nr && i < LATENCY_SITES; i++) {
		const struct site_latency *x = &l->all[i];

		memprof_site_text(memprof_object_site(m, x->object), site, sizeof(site));
		fprintf(out, "    %s: %.1f %% of it (%lu accesses, %.0f cycles each)\n", site,
			100 * share(x->cycles, l->cycles), (unsigned long)x->accesses,
			share(x->cycles, x->accesses));
	}
}

/* @own: remote share of the site's accesses, below 0 if it is of none; @gain: accesses that become local */
static void print_expected(const struct findings *f, double own, double gain, FILE *out)
{
	const double latency = 100 * joint_latency(f, gain);

	fputs("    expected: ", out);
	if (own >= 0)
		fprintf(out, "%.1f %% of its accesses remote, %.1f %% of all", own,
			100 * share(f->remote - gain, f->accesses));
	else
		fprintf(out, "%.1f %% of all accesses remote", 100 * share(f->remote - gain, f->accesses));
	if (latency)
		fprintf(out, "; %.1f %% less of the sampled latency of memory", latency);
	fputs("\n", out);
}

/* "Latency of memory, by its node: 410 cycles on node 0, 9952 on node 1." */
static int print_nodes(struct memprof *m, FILE *out)
{
	struct counts *to = calloc(memprof_nr_nodes(m), sizeof(*to));
	struct memprof_access a;
	int i, n = 0;
	size_t k;

	if (!to && memprof_nr_nodes(m))
		return -1;
	for (k = 0; k < memprof_nr_accesses(m); k++) {
		memprof_access(m, k, &a);
		if (a.home >= 0 && a.home < memprof_nr_nodes(m))
			counts_add(&to[a.home], &a);
	}
	for (i = 0; i < memprof_nr_nodes(m); i++) {
		if (!to[i].latencies)
			continue;
		fprintf(out, "%s%.0f%s on node %d", n ? ", " : "Latency of memory, by its node: ",
			(double)to[i].latency / to[i].latencies, n ? "" : " cycles", i);
		n++;
	}
	if (n)
		fputs(".\n", out);
	free(to);
	return 0;
}

static int print_text(struct memprof *m, const struct findings *f, const struct latencies *l,
		      const struct view_options *o, FILE *out)
{
	char site[1024], advice[2048];
	size_t i, n = 0;

	fprintf(out, "%.1f %% of %lu sampled accesses of main memory are remote.\n",
		100 * share(f->remote, f->accesses), (unsigned long)f->accesses);
	if (print_nodes(m, out))
		return complain(-1, "no memory left");
	print_latencies(m, l, out);
	for (i = 0; i < f->nr; i++) {
		const struct finding *x = &f->all[i];

		if (x->pattern == PATTERN_NONE && !o->all)
			continue;
		if (o->top && n >= o->top)
			break;
		if (x->pid)
			strcpy(site, "the process");
		else
			snprintf(site, sizeof(site), "each of %u processes", x->processes);
		if (x->object != NO_NUMBER)
			memprof_site_text(memprof_object_site(m, x->object), site, sizeof(site));
		fprintf(out, "\n%zu. %s: %s\n    %s\n", ++n, site, pattern_name(x->pattern),
			pattern_about(x->pattern));
		print_evidence(x, out);
		fprintf(out, "    %.1f %% of all remote accesses; %.1f %% of its own are remote\n",
			100 * share(x->remote, f->remote), 100 * share(x->remote, x->accesses));
		if (x->fix == FIX_NONE && !x->refused)
			continue;
		fix_text(m, x, advice, sizeof(advice));
		fprintf(out, "    advice: %s\n", advice);
		if (x->fix == FIX_PAD)
			fprintf(out, "    expected: lines no longer change CPU; the remote share stays\n");
		else if (!x->refused)
			print_expected(f, 100 * share(x->predicted, x->accesses), x->remote - x->predicted, out);
	}
	if (f->fixes > 1) {
		fprintf(out, "\nThe fixes of %zu of these together:\n", f->fixes);
		print_expected(f, -1, f->remote - f->joint, out);
	}
	enough_text(f->judged, n, advice, sizeof(advice));
	fprintf(out, "\n%s\n", advice);
	return ferror(out);
}

static const char *source_of(const struct memprof *m, char *text, size_t size)
{
	json_t *meta = json_loads(memprof_meta(m), 0, NULL);
	const char *source = json_string_value(json_object_get(meta, "source"));

	snprintf(text, size, "%s", source ? source : "not named");
	json_decref(meta);
	return text;
}

int cmd_diagnose(int argc, char **argv)
{
	struct common common = COMMON_DEFAULT;
	struct output output = { };
	bool as_table = false, levels = false, latency = false;
	const struct opt options[] = {
		OPT_FLAG(0, "table", &as_table, "text, but as a table"),
		OPT_FLAG('l', "levels", &levels,
			 "a table of where loads find their data, caches and memory: as it is, and with each fix"),
		OPT_FLAG(0, "latency", &latency, "a table of the sites by their share of the sampled latency"),
		OPT_CHANGED('t', NULL, "--table"), OUTPUT_OPTIONS(&output), COMMON_OPTIONS(&common), { }
	};
	int damaged, failed;
	struct latencies latencies = { };
	struct findings found;
	struct outfile out;
	struct memprof *m;
	struct table table = { };
	char source[64];

	argv += options_parse(&usage, options, argc, argv);
	if (output.explain)
		return output_explain(&output, latency ? &latencies_columns :
					       levels ? &found_columns : &findings_columns);
	if (common_check_times(&common))
		return USAGE;
	m = common_open(argv[0], &common, &damaged);
	if (!m)
		return FAILED;
	common_doubt(m, argv[0], &common);
	failed = patterns_find(m, &found) || latencies_find(m, &latencies) ||
		 (latency ? latencies_table(m, &latencies, &common.view, &table) :
		  (levels ? make_levels : make_table)(m, &found, &common.view, &table));
	table.warning = common.doubt;
	if (levels && !failed && !table.nr_cells)
		complain(OK, "%s: the source of the samples (%s) does not report where loads found their data",
			 argv[0] ? argv[0] : DEFAULT_FILE, source_of(m, source, sizeof(source)));
	if (failed) {
		complain(FAILED, "no memory left");
	} else if (outfile_open(&out, output.path)) {
		failed = 1;
	} else {
		failed = output.format == TABLE_TEXT && !as_table && !levels && !latency ?
			 print_text(m, &found, &latencies, &common.view, out.f) :
			 table_print(&table, output.format, out.f);
		failed = outfile_close(&out, failed);
	}
	table_free(&table);
	patterns_free(&found);
	latencies_free(&latencies);
	memprof_close(m);
	return damaged || failed ? FAILED : OK;
}
