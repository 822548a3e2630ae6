// SPDX-License-Identifier: GPL-2.0
/* pagealloc record: the layout of a process, or of a command at its end. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "cli.h"

struct recording {
	const char *path;
	unsigned int flags;
};

static void usage(FILE *f)
{
	fputs("usage: pagealloc record PID -o FILE [options]\n"
	      "       pagealloc record -o FILE [options] -- COMMAND [ARGUMENT...]\n"
	      "Write where the pages of a process are, now or when the command ends, for\n"
	      "pagealloc run --replay. Needs CAP_SYS_ADMIN.\n\n"
	      "  -o, --output FILE           (default standard output)\n"
	      "      --no-frames             colors only: the file tells no frame numbers\n"
	      "      --no-aslr               run the command without randomized addresses\n"
	      "      --help\n", f);
}

static int record(const struct recording *r, const char *name, pid_t pid)
{
	struct pagealloc_layout *layout;
	struct pagealloc *handle;
	struct outfile out;
	uint64_t pages;
	int ret;

	ret = pagealloc_open(pid, PAGEALLOC_READ_ONLY, &handle);
	if (ret)
		return complain_about(ret, name);
	ret = pagealloc_layout_record(handle, r->flags, &layout);
	pagealloc_close(handle);
	if (ret == -EPERM)
		return complain(FAILED, "%s: frames and colors are only told with CAP_SYS_ADMIN",
				name);
	if (ret == -EDOM)
		return complain_about(-EOPNOTSUPP, name);
	if (ret)
		return complain_about(ret, name);
	pagealloc_layout_info(layout, NULL, &pages, NULL);
	ret = outfile_open(&out, r->path);
	if (!ret) {
		int err = pagealloc_layout_write(layout, out.f);

		errno = -err;
		ret = outfile_close(&out, err);
	}
	pagealloc_layout_free(layout);
	if (!ret && r->path && strcmp(r->path, "-"))
		fprintf(stderr, "pagealloc: %s: %" PRIu64 " pages of %s\n", r->path, pages, name);
	return ret;
}

static int record_end(struct launch *l, pid_t pid)
{
	return record(l->ctx, l->argv[0], pid);
}

enum { NO_FRAMES = 600, NO_ASLR };

int cmd_record(int argc, char **argv)
{
	static const struct option options[] = {
		{ "output", 1, NULL, 'o' }, { "no-frames", 0, NULL, NO_FRAMES },
		{ "no-aslr", 0, NULL, NO_ASLR }, { "help", 0, NULL, 'h' }, { }
	};
	struct recording r = { };
	struct launch l = { .end = record_end, .ctx = &r };
	struct target t;
	int c, ret, command;

	while ((c = getopt_long(argc, argv, "+o:h", options, NULL)) != -1) {
		switch (c) {
		case 'o': r.path = optarg; break;
		case NO_FRAMES: r.flags = PAGEALLOC_NO_FRAMES; break;
		case NO_ASLR: l.no_aslr = 1; break;
		default:
			usage(c == 'h' ? stdout : stderr);
			return c == 'h' ? OK : USAGE;
		}
	}
	command = !strcmp(argv[optind - 1], "--");
	/* Options may also stand behind the number of a process. */
	if (!command && optind < argc) {
		const char *pid = argv[optind++];

		while ((c = getopt_long(argc, argv, "o:h", options, NULL)) != -1) {
			if (c == 'o')
				r.path = optarg;
			else if (c == NO_FRAMES)
				r.flags = PAGEALLOC_NO_FRAMES;
			else
				break;
		}
		if (c != -1 || optind != argc || l.no_aslr) {
			usage(stderr);
			return USAGE;
		}
		ret = target_open(&t, pid, PAGEALLOC_READ_ONLY);
		if (!ret)
			ret = record(&r, pid, t.pid);
		target_close(&t);
		return ret;
	}
	if (!command || optind == argc) {
		usage(stderr);
		return USAGE;
	}
	l.argv = argv + optind;
	return launch(&l);
}
