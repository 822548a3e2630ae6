// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * memprof export: a recording in the formats of other programs.
 *
 * perf.data is made here.  A recording is read twice for it.  The names of objects are known at its end only, so the first
 * reading is for them; accesses come in the same order, with the same numbers of objects,
 * threads and chains, in the second, which writes.
 */
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "lib/export/formats.h"
#include "lib/export/pcp.h"
#include "lib/perf/data_src.h"
#include "lib/perf/perf_data.h"
#include "lib/perf/places.h"
#include "lib/cells/utf8.h"
#include "memprof_cli.h"
#include "options.h"

/**
 * struct export - an export
 * @names: what the first reading gave
 * @max_chain: largest number of a chain of an access
 * @named: threads whose name was written
 */
struct export {
	const char *output;
	struct common common;
	struct memprof *names;
	uint32_t max_chain;
	bool *named, no_memory;
	unsigned char *cpu_node;
	char *command, folder[PATH_MAX];
	struct perf_writer w;
	struct places places;
};

static const struct opt_only only[] = {
	PCP_ONLY,
	/* The others have no sites. */
	{ "wrapper", "perf|pprof|perfetto" },
	{ }
};

static const struct verb_usage usage = {
	.command = "memprof export", .operands = "[FILE] --to FORMAT -o OUTPUT [options]",
	.about = "Write a recording (default " DEFAULT_FILE ") in the format of other programs.", .max = 1,
	.words_of = "to", .only = only,
};

static void see_access(const struct memprof_access *a, void *arg)
{
	struct export *x = arg;

	if (a->chain > x->max_chain)
		x->max_chain = a->chain;
}

/* Chains of allocations have no part in the file. */
static bool has_call_graphs(const struct export *x)
{
	uint64_t bytes;
	uint32_t i;

	for (i = 1; i <= x->max_chain; i++)
		if (memprof_chain(x->names, i, NULL, 0) > 1 && !memprof_chain_allocations(x->names, i, &bytes))
			return true;
	return false;
}

static void note(struct export *x, int failed)
{
	x->no_memory |= failed != 0;
}

/* As record.c made it of perf's: the fields that a recording keeps. */
static uint64_t source_of(const struct memprof_access *a)
{
	static const enum data_level level[MEMPROF_LEVELS] = {
		[MEMPROF_LEVEL_UNKNOWN] = DATA_UNKNOWN, [MEMPROF_L1] = DATA_L1, [MEMPROF_L2] = DATA_L2,
		[MEMPROF_L3] = DATA_L3, [MEMPROF_FILL_BUFFER] = DATA_LFB, [MEMPROF_RAM] = DATA_RAM,
		[MEMPROF_REMOTE_RAM] = DATA_REMOTE_RAM, [MEMPROF_REMOTE_CACHE] = DATA_REMOTE_CACHE,
		[MEMPROF_L2_BUFFER] = DATA_L2_MHB, [MEMPROF_L3_OR_PEER] = DATA_LOCAL_CACHE,
		[MEMPROF_PEER_CACHE] = DATA_PEER_CACHE, [MEMPROF_MEMORY_SIDE] = DATA_MSC,
		[MEMPROF_PMEM] = DATA_PMEM, [MEMPROF_CXL] = DATA_CXL,
		[MEMPROF_BEYOND_L3] = DATA_BEYOND_L3, [MEMPROF_UNCACHED] = DATA_UNCACHED,
	};
	const struct data_src s = {
		.level = a->level < MEMPROF_LEVELS ? level[a->level] : DATA_UNKNOWN, .load = a->read,
		.store = a->write, .modified = a->hitm, .tlb_miss = a->tlb_miss,
	};

	return data_src_encode(&s);
}

static void place_object(struct export *x, uint64_t time, uint64_t addr, uint32_t number, uint32_t pid)
{
	const struct memprof_object *o = memprof_object(x->names, number);
	char text[512];

	if (!o || o->type == MEMPROF_CODE)
		return;
	if (addr >> 63 || !o->size) {
		note(x, places_need_page(&x->places, time, addr, &(struct place){
			.kernel = addr >> 63, .pid = pid, .name = addr >> 63 ? "[kernel]" :
			o->type == MEMPROF_STACK ? "[stack]" : "[unknown]" }));
		return;
	}
	if (memprof_site_text(memprof_object_site(x->names, number), text, sizeof(text))) {
		x->no_memory = true;
		return;
	}
	note(x, places_need(&x->places, time, addr, &(struct place){
		.pid = pid, .start = o->address, .size = o->size, .name = text }));
}

static void place_code(struct export *x, uint64_t time, uint64_t addr, const struct memprof_access *a,
		       unsigned int frame, uint32_t pid)
{
	struct memprof_code c;

	if (!(addr >> 63) && memprof_code(x->names, a->chain, frame, &c) && addr >= c.start && addr < c.end)
		note(x, places_need(&x->places, time, addr, &(struct place){
			.code = true, .pid = pid, .start = c.start, .size = c.end - c.start,
			.offset = c.offset, .path = c.path }));
	else
		note(x, places_need_page(&x->places, time, addr, &(struct place){
			.kernel = addr >> 63, .code = true, .pid = pid,
			.name = addr >> 63 ? "[kernel]" : "[unknown]" }));
}

static void place_thread(struct export *x, uint64_t time, const struct memprof_access *a,
			 const struct memprof_thread *t)
{
	if (!x->named[a->thread] && *t->name)
		perf_write_comm(&x->w, time, t->pid, t->tid, t->name);
	x->named[a->thread] = true;
}

static void write_access(const struct memprof_access *a, void *arg)
{
	struct export *x = arg;
	const struct memprof_thread *t = memprof_thread(x->names, a->thread);
	const struct memprof_object *o = memprof_object(x->names, a->object);
	const uint64_t time = memprof_totals(x->names)->start_ns + a->time_ns;
	/* Of 48 bits, as recordings have addresses. */
	const uint64_t addr = o ? (int64_t)((o->address + a->offset) << 16) >> 16 : 0;
	uint64_t frames[PERF_WRITE_MAX_DEPTH];
	unsigned int depth, i;

	/* The file changed between the readings. */
	if (!t || !o)
		return note(x, 1);
	depth = memprof_chain(x->names, a->chain, frames, PERF_WRITE_MAX_DEPTH);
	if (depth > PERF_WRITE_MAX_DEPTH)
		depth = PERF_WRITE_MAX_DEPTH;
	const struct perf_write_sample s = {
		.kernel = a->kernel, .pid = t->pid, .tid = t->tid, .cpu = a->cpu, .time = time,
		.ip = depth ? frames[0] : 0, .addr = addr, .phys = a->physical,
		.data_src = source_of(a), .weight = a->latency, .frames = frames, .depth = depth,
	};

	place_thread(x, time, a, t);
	for (i = depth; i--; )
		if (!i || x->w.callchain)
			place_code(x, time, frames[i], a, i, t->pid);
	place_object(x, time, s.addr, a->object, t->pid);
	perf_write_sample(&x->w, &s);
}

/* The machine, as the recording has it. */
static int about(struct export *x)
{
	json_t *meta = json_loads(memprof_meta(x->names), 0, NULL), *machine = json_object_get(meta, "machine");
	const char *command = json_string_value(json_object_get(meta, "command"));
	unsigned int i;
	int node;

	x->w.cpus = json_array_size(json_object_get(machine, "cpu_node"));
	x->cpu_node = calloc(x->w.cpus + 1, 1);
	x->command = utf8_clean(command ? command : "");
	for (i = 0; x->cpu_node && i < x->w.cpus; i++) {
		node = memprof_node_of_cpu(x->names, i);
		x->cpu_node[i] = node == MEMPROF_NO_NODE ? PERF_WRITE_NO_NODE : node;
	}
	x->w.cpu_node = x->cpu_node;
	x->w.command = x->command && *x->command ? x->command : NULL;
	json_decref(meta);
	return x->cpu_node && x->command ? 0 : -1;
}

static int write_all(struct export *x, const char *path)
{
	struct memprof_options what = common_what(&x->common);
	struct memprof *again;
	char error[512];

	x->w.event = "memprof";
	x->w.callchain = has_call_graphs(x);
	x->named = calloc(memprof_nr_threads(x->names) + 1, sizeof(*x->named));
	if (!x->named || about(x))
		return complain(FAILED, "no memory left");
	perf_write_begin(&x->w);
	what.each = write_access;
	what.arg = x;
	/* What is wrong with the file was said when it was read before. */
	again = memprof_open(path ? path : DEFAULT_FILE, &what, error, sizeof(error));
	if (!again)
		return complain(FAILED, "%s", error);
	memprof_close(again);
	if (x->no_memory)
		return complain(FAILED, "%s: no memory left for it, or it changed while it was read",
				path ? path : DEFAULT_FILE);
	if (perf_write_end(&x->w))
		return complain(FAILED, "%s: %s", x->output, errno ? strerror(errno) : "not written");
	return places_write_files(&x->places) ? FAILED : OK;
}

/* perf looks for files of mappings by their absolute path. */
static int find_folder(struct export *x)
{
	char *folder = strdup(x->output), *slash = folder ? strrchr(folder, '/') : NULL;
	const char *base = slash ? x->output + (slash - folder) + 1 : x->output;
	char real[PATH_MAX];
	int n = -1;

	if (slash)
		slash[1] = '\0';
	if (folder && realpath(slash ? folder : ".", real))
		n = snprintf(x->folder, sizeof(x->folder), "%s/%s.objects", real, base);
	free(folder);
	if (n < 0)
		return complain(FAILED, "%s: %s", x->output, strerror(errno));
	/* Names of files come behind it. */
	if (n >= (int)sizeof(x->folder) - 160)
		return complain(FAILED, "%s: name too long", x->output);
	x->places.folder = x->folder;
	return OK;
}

static int export_perf(struct export *x, const char *path)
{
	struct outfile out;
	int failed, damaged;

	if (find_folder(x))
		return FAILED;
	x->common.what.each = see_access;
	x->common.what.arg = x;
	x->names = common_open(path, &x->common, &damaged);
	if (!x->names)
		return FAILED;
	failed = common_matches(x->names, &x->common, memprof_totals(x->names)->accesses) ||
		 outfile_open(&out, x->output);
	if (!failed) {
		x->w.f = out.f;
		x->places.w = &x->w;
		failed = write_all(x, path);
		/* Why was said: closing it says nothing more. */
		if (failed)
			outfile_drop(&out);
		else
			failed = outfile_close(&out, 0);
		if (failed)
			places_remove_files(&x->places);
	}
	places_free(&x->places);
	memprof_close(x->names);
	free(x->named);
	free(x->cpu_node);
	free(x->command);
	return failed || damaged ? FAILED : OK;
}

static int run_perf(struct common *common, const char *path, const char *output)
{
	struct export x = { .output = output, .common = *common };

	if (perf_data_is(path ? path : DEFAULT_FILE))
		return complain(FAILED, "%s: is perf.data already", path ? path : DEFAULT_FILE);
	if (!output || !strcmp(output, "-"))
		return options_wrong(&usage, "-o OUTPUT is missing: perf.data is written at two places of a file");
	return export_perf(&x, path);
}

static int run(struct common *common, enum export_format format, const char *path, const char *output,
	       const struct pcp_options *pcp)
{
	switch (format) {
	case EXPORT_PERF: return run_perf(common, path, output);
	case EXPORT_PPROF: return export_pprof(common, path, output);
	case EXPORT_OPENMETRICS: return export_openmetrics(common, path, output);
	case EXPORT_PERFETTO: return export_perfetto(common, path, output);
	case EXPORT_PCP: return export_pcp(common, path, output, pcp);
	default: return options_wrong(&usage, "--to FORMAT is missing");
	}
}

int cmd_export(int argc, char **argv)
{
	struct common common = COMMON_DEFAULT;
	struct pcp_options pcp = { 0 };
	enum export_format format = EXPORT_NONE;
	const char *output = NULL;
	const struct opt options[] = {
		OPT_WORD(0, "to", EXPORT_FORMATS, &format,
			 "perf: perf.data, and OUTPUT.objects with the names of objects; pprof: a profile whose stacks "
			 "are object, allocation site and accessing code; openmetrics: shares of levels and nodes, for "
			 "node_exporter's textfile collector; perfetto: accesses on a track for each thread, as trace "
			 "events in JSON; pcp: the figures of openmetrics as an archive of Performance Co-Pilot, "
			 "OUTPUT.meta, OUTPUT.index and OUTPUT.0"),
		OPT_TEXT('o', "output", "OUTPUT", &output,
			 "output file, created when complete (default standard output, except for perf and pcp)"),
		PCP_OPTIONS(&pcp),
		PART_OPTIONS(&common), { }
	};

	argv += options_parse(&usage, options, argc, argv);
	if (common_check_options(&common))
		return USAGE;
	return run(&common, format, argv[0], output, &pcp);
}
