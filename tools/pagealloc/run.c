// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* pagealloc run: run a command with a strategy or a recorded layout. */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "cli.h"

struct run {
	struct hint_request request;
	const char *replay, *report;
	int exact, list;
	struct pagealloc_layout *layout;
	struct outfile out;		/* of the report, unless that is "-" */
	bool reported;
};

static const struct verb_usage usage = {
	.command = "pagealloc run", .operands = "[options] [--] COMMAND [ARGUMENT...]",
	.about = "Run a command whose pages are placed by a strategy or a recorded layout.",
	.min = 1, .max = -1, .command_follows = true,
};

/* Set the default hint, before or after the program is loaded. */
static int set_default(const struct run *r, struct pagealloc *handle)
{
	char what[128];
	int ret;

	if (!r->request.hint)
		return OK;
	ret = pagealloc_set(handle, 0, 0, r->request.hint);
	if (ret < 0) {
		snprintf(what, sizeof(what), "--strategy %.60s", r->request.strategy);
		if (ret == -EINVAL)
			return complain(FAILED, "%s: refused by the strategy: its argument, or it needs a range "
					"(see pagealloc set)", what);
		return complain_about(ret, what);
	}
	return OK;
}

static int set_inherit(const struct run *r, struct pagealloc *handle)
{
	struct page_hints_info info = { };
	char requested[32], may[32];
	int ret = pagealloc_inherit(handle, r->request.inherit_flags);

	if (ret == -EPERM && !pagealloc_info(handle, &info) &&
	    r->request.inherit_flags & ~info.inherit) {
		inherit_print(requested, sizeof(requested), r->request.inherit_flags);
		inherit_print(may, sizeof(may), info.inherit);
		return complain(FAILED, "--inherit %s: the system allows only %s"
				" (vm.page_hints_inherit)", requested, may);
	}
	return ret < 0 ? complain_about(ret, "--inherit") : OK;
}

/* Reserve a gap, so that large mappings are found despite randomized addresses. */
static void keep_distances(const struct run *r, struct pagealloc *handle, pid_t pid)
{
	uint64_t start, end;
	int ret = pagealloc_layout_gap(r->layout, handle, &start, &end);

	if (ret > 0)
		ret = launch_reserve(pid, start, end);
	if (ret)
		complain(OK, "%s: large mappings may not be found again: %s (try --no-aslr)",
			 r->replay, strerror(-ret));
}

static int begin(struct launch *l, pid_t pid)
{
	struct pagealloc_replay replay;
	struct run *r = l->ctx;
	struct pagealloc *handle;
	int ret = pagealloc_open(pid, 0, &handle);

	if (ret)
		return complain_about(ret, l->argv[0]);
	ret = set_default(r, handle);
	if (!ret && (r->request.hint || r->request.inherit))
		ret = set_inherit(r, handle);
	if (!ret && r->layout) {
		keep_distances(r, handle, pid);
		ret = pagealloc_layout_apply(r->layout, handle, PAGEALLOC_REMAP |
					     (r->exact ? PAGEALLOC_EXACT : 0), &replay);
		/* A kernel without page migration can still place new pages. */
		if (ret == -ENOTTY && replay.hinted)
			ret = 0;
		if (ret < 0)
			ret = layout_complain(ret, r->replay, r->layout, handle);
		else if (replay.unmapped)
			complain(OK, "%s: %" PRIu64 " of %" PRIu64 " pages belong to mappings that"
				 " cannot be found again (try --no-aslr)", r->replay,
				 replay.unmapped, replay.pages);
	}
	pagealloc_close(handle);
	return ret;
}

static int end(struct launch *l, pid_t pid)
{
	struct run *r = l->ctx;
	struct pagealloc *handle;
	struct table table;
	int ret = pagealloc_open(pid, PAGEALLOC_READ_ONLY, &handle);

	if (ret)
		return complain_about(ret, l->argv[0]);
	ret = layout_compare(r->replay, r->layout, handle, r->exact, r->list, &table);
	pagealloc_close(handle);
	if (ret) {
		table_free(&table);
		return ret;
	}
	if (strcmp(r->report, "-")) {
		ret = outfile_close(&r->out, table_print(&table, TABLE_TEXT, r->out.f));
		r->reported = true;
	} else if (table_print(&table, TABLE_TEXT, stderr)) {
		/* Standard output belongs to the command. */
		ret = complain(FAILED, "%s: the report cannot be written", r->replay);
	}
	table_free(&table);
	return ret;
}

/* A default hint that exec inherits needs no ptrace. */
static int run_inherited(const struct run *r, char **argv, int without_aslr)
{
	struct pagealloc *handle;
	int ret;

	if (without_aslr && no_aslr())
		return FAILED;
	if (r->request.hint) {
		ret = pagealloc_open(0, 0, &handle);
		if (ret)
			return complain_about(ret, argv[0]);
		ret = set_default(r, handle);
		if (!ret)
			ret = set_inherit(r, handle);
		pagealloc_close(handle);
		if (ret)
			return ret;
	}
	return launch_exec(argv);
}

static int run(struct run *r, char **argv, int without_aslr)
{
	struct launch l = {
		.argv = argv, .no_aslr = without_aslr, .begin = begin,
		.end = r->report ? end : NULL, .ctx = r,
	};
	const bool to_file = r->report && strcmp(r->report, "-");
	int ret = hint_request_parse(&r->request);

	if (!r->request.inherit)
		r->request.inherit_flags = PAGE_HINTS_FORK_DEFAULT | PAGE_HINTS_EXEC_DEFAULT;
	if (!ret && r->replay)
		ret = layout_load(r->replay, &r->layout);
	/* Before the command has done anything. */
	if (!ret && to_file)
		ret = outfile_open(&r->out, r->report);
	if (!ret) {
		if (r->layout || (r->request.hint &&
				  !(r->request.inherit_flags & PAGE_HINTS_EXEC_DEFAULT)))
			ret = launch(&l);
		else
			ret = run_inherited(r, argv, without_aslr);
		if (to_file && !r->reported)
			outfile_drop(&r->out);
	}
	pagealloc_layout_free(r->layout);
	pagealloc_hint_free(r->request.hint);
	return ret;
}

int cmd_run(int argc, char **argv)
{
	bool without_aslr = false;
	struct run r = { };
	const struct opt options[] = {
		HINT_OPTIONS(&r.request),
		OPT_FLAG(0, "no-aslr", &without_aslr, NO_ASLR_HELP),
		OPT_TEXT(0, "replay", "FILE", &r.replay, "place pages as in a layout from pagealloc record: same colors"),
		OPT_FLAG(0, "exact", &r.exact, "with --replay: same frames"),
		OPT_TEXT(0, "report", "FILE", &r.report,
			 "when the command ends, write how many pages match the layout (-: standard error)"),
		OPT_FLAG(0, "list", &r.list, "list each page that differs, and why"), { }
	};

	argv += options_parse(&usage, options, argc, argv);
	if (!(r.request.strategy || r.replay || without_aslr))
		return options_wrong(&usage, "--strategy, --replay or --no-aslr is missing");
	if (r.request.inherit && !r.request.strategy && !r.replay)
		return wrong_usage("--inherit: only with --strategy or --replay");
	if ((r.exact || r.report) && !r.replay)
		return wrong_usage("%s: only with --replay", r.exact ? "--exact" : "--report");
	if (r.list && !r.report)
		return wrong_usage("--list: only with --report");
	return run(&r, argv, without_aslr);
}
