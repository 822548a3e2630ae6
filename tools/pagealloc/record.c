// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* pagealloc record: record the layout of a process, or of a command at its exit. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "cli.h"

struct recording {
	const char *path;
	unsigned int flags;
	struct outfile out;
	bool written;
};

static struct verb_usage usage = {
	.command = "pagealloc record", .operands = "PID | -- COMMAND [ARGUMENT...] [options]",
	.about = "Write the layout of a process's pages, now or when the command ends, for pagealloc run "
		 "--replay.  Needs CAP_SYS_ADMIN.",
	.min = 1,
};

static int record(struct recording *r, const char *name, pid_t pid)
{
	struct pagealloc_layout *layout;
	struct pagealloc *handle;
	uint64_t pages;
	int ret, err;

	ret = pagealloc_open(pid, PAGEALLOC_READ_ONLY, &handle);
	if (ret)
		return complain_about(ret, name);
	ret = pagealloc_layout_record(handle, r->flags, &layout);
	pagealloc_close(handle);
	if (ret == -EPERM)
		return complain(FAILED, "%s: frames and colors need CAP_SYS_ADMIN",
				name);
	if (ret == -EDOM)
		return complain_about(-EOPNOTSUPP, name);
	if (ret)
		return complain_about(ret, name);
	pagealloc_layout_info(layout, NULL, &pages, NULL);
	err = pagealloc_layout_write(layout, r->out.f);
	errno = -err;
	ret = outfile_close(&r->out, err);
	r->written = true;
	pagealloc_layout_free(layout);
	if (!ret && r->path && strcmp(r->path, "-"))
		inform("%s: %" PRIu64 " pages of %s", r->path, pages, name);
	return ret;
}

/* Can it be recorded at all?  Asked before the command has done anything. */
static int record_begin(struct launch *l, pid_t pid)
{
	struct page_hints_info info;
	struct pagealloc *handle;
	int ret = pagealloc_open(pid, PAGEALLOC_READ_ONLY, &handle);

	if (ret)
		return complain_about(ret, l->argv[0]);
	ret = pagealloc_info(handle, &info);
	pagealloc_close(handle);
	if (!ret && !info.colors)
		ret = -EOPNOTSUPP;
	return ret ? complain_about(ret, l->argv[0]) : OK;
}

static int record_end(struct launch *l, pid_t pid)
{
	return record(l->ctx, l->argv[0], pid);
}

int cmd_record(int argc, char **argv)
{
	struct recording r = { };
	struct launch l = { .begin = record_begin, .end = record_end, .ctx = &r };
	const struct opt options[] = {
		OPT_TEXT('o', "output", "FILE", &r.path, "the layout (default standard output)"),
		OPT_SET(0, "no-frames", &r.flags, PAGEALLOC_NO_FRAMES,
			"record colors only, no frame numbers"),
		OPT_FLAG(0, "no-aslr", &l.no_aslr, NO_ASLR_HELP), QUIET_OPTION, { }
	};
	struct target t = { };
	int i, ret;

	for (i = 1; i < argc && strcmp(argv[i], "--"); i++)
		;
	/* Options may follow the pid of a process. */
	usage.command_follows = i < argc;
	usage.max = i < argc ? -1 : 1;
	argv += options_parse(&usage, options, argc, argv);
	if (usage.command_follows && strcmp(argv[-1], "--"))
		return options_wrong(&usage, "%s: a command must follow --", argv[0]);
	if (!usage.command_follows && l.no_aslr)
		return options_wrong(&usage, "--no-aslr: only with a command");
	if (outfile_open(&r.out, r.path))
		return FAILED;
	if (usage.command_follows) {
		l.argv = argv;
		ret = launch(&l);
	} else {
		ret = target_open(&t, argv[0], PAGEALLOC_READ_ONLY);
		if (!ret)
			ret = record(&r, argv[0], t.pid);
		target_close(&t);
	}
	if (!r.written)
		outfile_drop(&r.out);
	return ret;
}
