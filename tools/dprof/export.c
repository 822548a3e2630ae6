// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * dprof export: write a recording in the formats of other programs.
 *
 * perf.data is made here: the recording is read twice, since the names of types are known at
 * its end only.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/export/formats.h"
#include "lib/export/pcp.h"
#include "lib/options.h"
#include "lib/perf/perf_data.h"
#include "lib/perf/places.h"
#include "dprof.h"
#include "dprof/judge/analysis.h"
#include "dprof/judge/load.h"
#include "dprof/model/model.h"
#include "dprof/read/reader.h"

/* An upper bound of the size of a function, and of the gap between two. */
#define MAX_FUNCTION	(1 << 20)

/**
 * struct export - state of an export
 * @m: the model, from the first pass
 * @lead: bytes in front of the objects, by type; see make_leads()
 */
struct export {
	const char *output;
	struct model m;
	uint64_t *lead;
	struct perf_writer w;
	struct places places;
	bool no_memory;
};

#define NOT_PERF	"pprof|openmetrics|perfetto|pcp"

static const struct opt_only only[] = {
	PCP_ONLY,
	/* perf.data have no fields, and are not made of perf.data. */
	{ "btf", NOT_PERF }, { "vmlinux", NOT_PERF }, { "kallsyms", NOT_PERF },
	{ }
};

static const struct verb_usage usage = {
	.command = "dprof export", .operands = "[FILE] --to FORMAT -o OUTPUT",
	.about = "Write the samples of a recording (" DEFAULT_INPUT ") in the format of other programs.",
	.max = 1, .words_of = "to", .only = only,
};

static void note(struct export *x, int failed)
{
	x->no_memory |= failed != 0;
}

/*
 * Place the function of an instruction, from the kernel's symbols in the recording.  perf
 * opens a file of the map's name, and perf c2c crashes if there is none; it opens no file for
 * a name in brackets.
 */
static void place_code(struct export *x, const struct event *e)
{
	const uint64_t ip = e->sample.ip;
	const struct symbols *all = &x->m.symbols;
	const struct symbol *s, *next;
	const bool kernel = ip >> 63;
	char name[256];

	s = kernel ? symbols_find(&x->m.symbols, ip) : NULL;
	for (next = s; next && next < all->symbol + all->nr && next->addr <= ip; next++)
		;
	if (!s || next == all->symbol + all->nr)
		return note(x, places_need_page(&x->places, e->ts, ip, &(struct place){
			.kernel = kernel, .code = true, .pid = e->pid,
			.name = kernel ? "[kernel]" : "[unknown]" }));
	snprintf(name, sizeof(name), "[%s]", all->names + s->name);
	note(x, places_need(&x->places, e->ts, ip, &(struct place){
		.kernel = true, .code = true, .start = s->addr, .size = next->addr - s->addr, .name = name }));
}

/*
 * perf c2c sums up lines at the same distance from the start of their symbols.  Start the
 * symbols of each type a different number of bytes before its objects, so that it sums up the
 * same lines as sharing.c: those of all objects of a type, and of no other.  Variables get the
 * smallest leads, since code may lie in front of them.
 */
static int make_leads(struct export *x)
{
	uint64_t lead = 0;
	uint32_t i, variables;

	x->lead = calloc(x->m.nr_types + 1, sizeof(*x->lead));
	for (variables = 2; x->lead && variables--; ) {
		for (i = 0; i < x->m.nr_types; i++) {
			const struct dtype *t = x->m.by_index[i];

			if (!!t->key.symbol != variables || !t->sum.n)
				continue;
			x->lead[i] = lead;
			lead += (t->size / LINE + 2) * LINE;
		}
	}
	return x->lead ? 0 : -1;
}

/* Place the object of a sample, as the kernel found it when it took the sample. */
static void place_object(struct export *x, const struct event *e)
{
	const struct sample_event *s = &e->sample;
	uint32_t offset;
	uint64_t symbol, start, size, lead;
	const struct dtype *t = model_sample_type(&x->m, s, &offset, &symbol);

	/* If a type has several ids, only the canonical one has a name. */
	if (t && !*t->name)
		t = model_type(&x->m, model_same_type(&x->m, t->key.id), t->key.symbol);
	if (!t)
		return note(x, -1);
	if (!(s->addr >> 63))
		return note(x, places_need_page(&x->places, e->ts, s->addr, &(struct place){
			.pid = e->pid, .name = "[user]" }));
	start = symbol ? s->addr - offset : s->base;
	if (!(start >> 63) || start > s->addr)
		start = s->addr & ~(uint64_t)(LINE - 1);
	size = s->addr - start < t->size ? t->size : s->addr - start + 1;
	lead = x->lead[t->index];
	/*
	 * The code of the instruction lies in the lead: begin the map at the object so that the
	 * two maps do not overlap, though c2c then sums up other lines.
	 */
	if (s->ip < start && start - s->ip <= lead + MAX_FUNCTION)
		lead = 0;
	note(x, places_need(&x->places, e->ts, s->addr, &(struct place){
		.kernel = true, .start = start, .size = size, .lead = lead, .name = t->name }));
}

static int write_event(void *arg, const struct event *e)
{
	const struct sample_event *s = &e->sample;
	struct export *x = arg;

	if (e->kind != EVENT_SAMPLE)
		return 0;
	place_code(x, e);
	place_object(x, e);
	perf_write_sample(&x->w, &(struct perf_write_sample){
		.kernel = !(s->flags & SAMPLE_USER), .pid = e->pid, .tid = e->pid,
		.cpu = e->cpu < 0 ? 0 : e->cpu, .time = e->ts, .ip = s->ip, .addr = s->addr, .phys = s->phys,
		.data_src = s->data_src, .weight = s->latency });
	return x->no_memory || x->w.failed;
}

static int write_all(struct export *x, const char *path, bool damaged)
{
	struct reader r = { .event = write_event, .ctx = x };
	char error[512] = "";

	x->w.event = "dprof";
	x->w.cpus = x->m.nr_cpus;
	x->w.host = *x->m.host ? x->m.host : NULL;
	if (make_leads(x))
		return complain(FAILED, "%s: out of memory", path);
	perf_write_begin(&x->w);
	/* The first pass has reported damage of the file. */
	reader_read(path, &r, error, sizeof(error));
	if (x->no_memory)
		return complain(FAILED, "%s: out of memory", path);
	if (*error && !damaged)
		return complain(FAILED, "%s", error);
	if (perf_write_end(&x->w))
		return complain(FAILED, "%s: %s", x->output, errno ? strerror(errno) : "not written");
	return OK;
}

static int export_perf(struct export *x, const char *path)
{
	char error[512] = "";
	struct outfile out;
	int damaged, failed = FAILED;

	damaged = model_load(&x->m, path, error, sizeof(error));
	if (damaged)
		complain(FAILED, "%s", error);
	if (!x->m.samples || x->m.no_memory) {
		if (!damaged)
			complain(FAILED, "%s: no samples (dprof_sample) in the recording", path);
	} else if (!outfile_open(&out, x->output)) {
		x->w.f = out.f;
		x->places.w = &x->w;
		failed = write_all(x, path, damaged);
		if (failed)
			outfile_drop(&out);
		else
			failed = outfile_close(&out, 0);
	}
	places_free(&x->places);
	free(x->lead);
	model_free(&x->m);
	return failed || damaged ? FAILED : OK;
}

static int run_perf(const char *path, const char *output)
{
	struct export x = { .output = output };

	if (perf_data_is(path))
		return complain(FAILED, "%s: is perf.data already", path);
	if (!output || !strcmp(output, "-"))
		return options_wrong(&usage, "-o OUTPUT is missing: perf.data needs a seekable file");
	model_init(&x.m);
	return export_perf(&x, path);
}

static int run(struct analysis *a, enum export_format format, const char *path, const char *output,
	       const struct pcp_options *pcp)
{
	switch (format) {
	case EXPORT_PERF: return run_perf(path, output);
	case EXPORT_PPROF: return export_pprof(a, path, output);
	case EXPORT_OPENMETRICS: return export_openmetrics(a, path, output);
	case EXPORT_PERFETTO: return export_perfetto(a, path, output);
	case EXPORT_PCP: return export_pcp(a, path, output, pcp);
	default: return USAGE;
	}
}

int cmd_export(int argc, char **argv)
{
	const char *output = NULL;
	struct pcp_options pcp = { 0 };
	enum export_format format = EXPORT_NONE;
	struct analysis a;
	const char *path;
	int ret;
	const struct opt options[] = {
		OPT_WORD(0, "to", EXPORT_FORMATS, &format,
			 "perf: perf.data, with types as symbols of data; pprof: a profile whose stacks are field, type, "
			 "allocation site and accessing function; openmetrics: shares of types and levels, for "
			 "node_exporter's textfile collector; perfetto: samples on a track for each CPU, as trace "
			 "events in JSON; pcp: the figures of openmetrics as an archive of Performance Co-Pilot, "
			 "OUTPUT.meta, OUTPUT.index and OUTPUT.0"),
		OPT_TEXT('o', "output", "OUTPUT", &output,
			 "output file, created when complete (default standard output, except for perf and pcp)"),
		PCP_OPTIONS(&pcp),
		ANALYSIS_FILES_OPTIONS(&a), { }
	};

	analysis_init(&a);
	argv += options_parse(&usage, options, argc, argv);
	if (format == EXPORT_NONE)
		return options_wrong(&usage, "--to FORMAT is missing");
	path = recording_path(argv[0]);
	if (!path)
		return FAILED;
	ret = run(&a, format, path, output, &pcp);
	analysis_free(&a);
	return ret;
}
