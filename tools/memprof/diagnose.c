// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* memprof diagnose: find the objects whose placement costs time, and recommend a fix. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cells/utf8.h"
#include "lib/output.h"
#include "memprof_cli.h"
#include "options.h"
#include "memprof/view/diagnosis.h"
#include "memprof/view/enough.h"
#include "memprof/view/latency.h"

static const struct verb_usage usage = {
	.command = "memprof diagnose", .operands = "[FILE] [options]", .max = 1,
	.about = "Report the access pattern of each object, the evidence for it, the recommended fix, and "
		 "its predicted effect (default " DEFAULT_FILE ").",
};

static double share(double part, uint64_t whole)
{
	return whole ? part / whole : 0;
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
		fputs("    ", out);
		utf8_print(out, site);
		fprintf(out, ": %.1f %% of it (%lu accesses, %.0f cycles each)\n",
			100 * share(x->cycles, l->cycles), (unsigned long)x->accesses,
			share(x->cycles, x->accesses));
	}
}

/* A share as it prints: 0 instead of less, which only rounding of sums leaves. */
static double remote_pct(double remote, uint64_t accesses)
{
	return remote > 0 ? 100 * share(remote, accesses) : 0;
}

/**
 * print_expected() - print what a fix, or all of them, would change, as an indented line
 * @f: what was found
 * @own: remote share of the site's accesses with the fix, below 0 if it is of none
 * @gain: accesses that become local
 * @out: output
 */
void print_expected(const struct findings *f, double own, double gain, FILE *out)
{
	const double latency = 100 * joint_latency(f, gain), all = remote_pct(f->remote - gain, f->accesses);

	fputs("    expected: ", out);
	if (own >= 0)
		fprintf(out, "%.1f %% of its accesses remote, %.1f %% of all", own, all);
	else
		fprintf(out, "%.1f %% of all accesses remote", all);
	/* Where it would print as 0.0, nothing is known to change. */
	if (fabs(latency) >= 0.05)
		fprintf(out, "; %.1f %% %s of the sampled latency of memory", fabs(latency),
			latency > 0 ? "less" : "more");
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

	if (f->accesses)
		fprintf(out, "%.1f %% of %lu sampled accesses of main memory are remote.\n",
			100 * share(f->remote, f->accesses), (unsigned long)f->accesses);
	else
		fputs("No sampled access is known to be of main memory, with its node.\n", out);
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
		fprintf(out, "\n%zu. ", ++n);
		utf8_print(out, site);
		fprintf(out, ": %s\n    %s\n", pattern_name(x->pattern), pattern_about(x->pattern));
		print_evidence(x, out);
		fprintf(out, "    %.1f %% of all remote accesses; %.1f %% of its own are remote\n",
			100 * share(x->remote, f->remote), 100 * share(x->remote, x->accesses));
		if (x->fix == FIX_NONE && !x->refused)
			continue;
		fix_text(m, x, advice, sizeof(advice));
		fputs("    advice: ", out);
		utf8_print(out, advice);
		fputc('\n', out);
		if (x->fix == FIX_PAD)
			fprintf(out, "    expected: lines no longer change CPU; the remote share stays\n");
		else if (!x->refused)
			print_expected(f, remote_pct(x->predicted, x->accesses), x->remote - x->predicted, out);
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
		OPT_FLAG(0, "table", &as_table, "print the text as a table"),
		OPT_FLAG('l', "levels", &levels,
			 "print a table of the caches and memory that serve loads: as recorded, and with each fix"),
		OPT_FLAG(0, "latency", &latency, "print a table of the sites by their share of the sampled latency"),
		OPT_CHANGED('t', NULL, "--table"), OUTPUT_OPTIONS(&output), PART_OPTIONS(&common),
		OPT_RENAMED(0, "to", "until"),
		OPT_NUMBER('n', "top", "N", &common.view.top, 0, OPT_NUMBER_MAX, "the first N rows; 0: all"),
		OPT_FLAG(0, "local", &common.view.all, "sites that are local enough, too"),
		OPT_RENAMED(0, "all", "local"), { }
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
					       levels ? &levels_columns : &findings_columns);
	if (levels && latency)
		return wrong_usage("--levels and --latency: give one of them");
	if (common.view.all && (levels || latency))
		return wrong_usage("--local: not for %s", levels ? "--levels" : "--latency");
	if (common_check_options(&common))
		return USAGE;
	m = common_open(argv[0], &common, &damaged);
	if (!m)
		return FAILED;
	common_doubt(m, argv[0], &common);
	if (common_matches(m, &common, memprof_nr_accesses(m))) {
		memprof_close(m);
		return FAILED;
	}
	failed = patterns_find(m, &found) || latencies_find(m, &latencies) ||
		 (latency ? latencies_table(m, &latencies, &common.view, &table) :
		  (levels ? levels_table : findings_table)(m, &found, &common.view, &table));
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
