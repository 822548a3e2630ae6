// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * memscope doctor --test: a short recording with each tool that works here, of a program
 * whose memory accesses are known (pagetest), and whether what was recorded can be true.
 */
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/complain.h"
#include "lib/tmpfiles.h"
#include "memscope/run/program.h"
#include "memscope/run/rows.h"
#include "selftest.h"

/* pagetest's memory, and how much of it must be seen as used. */
#define SIZE		"16M"
#define SIZE_MIB	16
#define LEAST_MIB	14
/* Samples of a few seconds, even of an emulated CPU. */
#define LEAST_SAMPLES	10
/* Share of hinted pages with their color, where there is free memory. */
#define LEAST_HIT_PCT	90

/* The test of a tool: its recording, and a sentence about it. */
struct trial {
	char file[PATH_MAX];
	bool passed;
	char value[512];
};

static void result(struct trial *t, bool passed, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

static void result(struct trial *t, bool passed, const char *fmt, ...)
{
	va_list ap;

	t->passed = passed;
	va_start(ap, fmt);
	vsnprintf(t->value, sizeof(t->value), fmt, ap);
	va_end(ap);
}

/* Run a recorder.  Returns whether it succeeded, else with a result. */
static bool record(struct trial *t, const char *const *argv)
{
	struct output_text text;

	program_capture(argv, &text);
	if (text.status)
		result(t, false, "%s %s: status %d: %s", argv[0], argv[1], text.status, last_line(text.err));
	output_text_free(&text);
	return !text.status;
}

/* The rows of a view, or NULL with a result. */
static json_t *report(struct trial *t, const char *const *argv)
{
	char error[400];
	json_t *rows = rows_read(argv, error, sizeof(error));

	if (!rows)
		result(t, false, "%s", error);
	return rows;
}

static void try_memref(struct trial *t)
{
	const char *const recorder[] = { "memref", "record", "-i", "200ms", "--cpu-max", "0", "--command-only", "-o", t->file, "--",
		"pagetest", "--size", SIZE, "--iterations", "20", "--sleep", "100ms", NULL };
	const char *const view[] = { "memref", "report", "summary", t->file, "-f", "json", NULL };
	double intervals, most;
	json_t *rows;

	rows = record(t, recorder) ? report(t, view) : NULL;
	if (!rows)
		return;
	intervals = row_number(rows_item(rows, "item", "intervals"), "value");
	most = row_number(rows_item(rows, "item", "wss_user_max"), "value");
	result(t, intervals >= 2 && most >= LEAST_MIB && most < 8 * SIZE_MIB,
	       "%.0f intervals; %.1f MiB used of a program that writes %d", intervals, most, SIZE_MIB);
	json_decref(rows);
}

static void try_dprof(struct trial *t)
{
	char input[PATH_MAX + 8];
	const char *const recorder[] = { "dprof", "record", "--types", "none", "-H", "none", "-o", t->file, "--",
		"pagetest", "--how", "read", "--size", "4M", "--iterations", "200", "--file", input, NULL };
	const char *const view[] = { "dprof", "report", "profile", t->file, "-n", "0", "-f", "json", NULL };
	double samples = 0;
	json_t *rows, *row;
	size_t i;

	snprintf(input, sizeof(input), "%s.read", t->file);
	if (tmpfile_add(input)) {
		result(t, false, "%s: %s", input, strerror(errno));
		return;
	}
	rows = record(t, recorder) ? report(t, view) : NULL;
	unlink(input);
	tmpfile_done(input);
	if (!rows)
		return;
	json_array_foreach(rows, i, row)
		samples += row_number(row, "samples");
	result(t, samples >= LEAST_SAMPLES && json_array_size(rows) > 1,
	       "%.0f samples of %zu kernel types", samples, json_array_size(rows));
	json_decref(rows);
}

static void try_memprof(struct trial *t)
{
	const char *const recorder[] = { "memprof", "record", "-o", t->file, "--", "pagetest", "--size", SIZE,
		"--iterations", "400", NULL };
	const char *const view[] = { "memprof", "report", "summary", t->file, "-f", "json", NULL };
	double samples, objects;
	json_t *rows;

	rows = record(t, recorder) ? report(t, view) : NULL;
	if (!rows)
		return;
	samples = row_number(rows_item(rows, "what", "samples of memory accesses"), "value");
	objects = row_number(rows_item(rows, "what", "allocations"), "value");
	result(t, samples >= LEAST_SAMPLES && objects >= 1, "%.0f samples, %.0f allocations of the program", samples, objects);
	json_decref(rows);
}

static void try_pagealloc(struct trial *t)
{
	/*
	 * Its end is not waited for: the pages are counted while it sleeps, which is after it wrote the
	 * line of its first iteration.
	 */
	const char *const run[] = { "sh", "-c", "\"$0\" run --strategy coloring -- \"$1\" --size " SIZE " --sleep 60000 "
		">\"$2\" & p=$!; while kill -0 $p 2>/dev/null && ! grep -q ^iteration \"$2\"; do sleep 0.1; done; "
		"\"$0\" verify $p -f json; s=$?; kill $p; exit $s", NULL, NULL, NULL, NULL };
	char pagealloc[PATH_MAX], pagetest[PATH_MAX];
	const char *argv[7];
	json_t *rows, *row;
	double hinted = 0, pct = 0;

	memcpy(argv, run, sizeof(run));
	program_path("pagealloc", pagealloc, sizeof(pagealloc));
	program_path("pagetest", pagetest, sizeof(pagetest));
	argv[3] = pagealloc;
	argv[4] = pagetest;
	argv[5] = t->file;
	rows = report(t, argv);
	if (!rows)
		return;
	/* The last row is that of all mappings. */
	row = json_array_get(rows, json_array_size(rows) - 1);
	hinted = row_number(row, "hinted");
	pct = row_number(row, "hit_pct");
	result(t, hinted >= SIZE_MIB * 200 && pct >= LEAST_HIT_PCT, "%.2f %% of %.0f hinted pages have their color", pct,
	       hinted);
	json_decref(rows);
}

/**
 * selftest() - try each tool that works
 * @tools: which work
 * @c: gets a row each
 *
 * Return: whether one failed.
 */
bool selftest(const struct tool_state tools[NR_TOOLS], struct checks *c)
{
	static void (* const trials[NR_TOOLS])(struct trial *t) = {
		[TOOL_MEMREF] = try_memref, [TOOL_PAGEALLOC] = try_pagealloc, [TOOL_DPROF] = try_dprof,
		[TOOL_MEMPROF] = try_memprof,
	};
	const char *tmp = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
	char dir[PATH_MAX - 64];
	struct trial t;
	bool bad = false;
	int i;

	snprintf(dir, sizeof(dir), "%s/memscope-test.XXXXXX", tmp);
	if (!mkdtemp(dir)) {
		complain(FAILED, "%s: %s", dir, strerror(errno));
		return true;
	}
	if (tmpfile_add(dir)) {
		complain(FAILED, "%s: %s", dir, strerror(errno));
		rmdir(dir);
		return true;
	}
	for (i = 0; i < NR_TOOLS; i++) {
		if (tools[i].state == BAD) {
			checks_add(c, tools[i].name, NOTE, "not tried", "it does not work here", "");
			continue;
		}
		snprintf(t.file, sizeof(t.file), "%s/%s.data", dir, tools[i].name);
		if (tmpfile_add(t.file)) {
			result(&t, false, "%s: %s", t.file, strerror(errno));
		} else {
			trials[i](&t);
			unlink(t.file);
			tmpfile_done(t.file);
		}
		checks_add(c, tools[i].name, t.passed ? GOOD : BAD, t.value, "a short recording of pagetest",
			   "the message names what failed; if none does, the machine is too slow or too busy: try again");
		bad |= !t.passed;
	}
	rmdir(dir);
	tmpfile_done(dir);
	return bad;
}
