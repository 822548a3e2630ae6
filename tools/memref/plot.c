// SPDX-License-Identifier: GPL-2.0
/*
 * memref plot: draw a view of a recording.
 *
 * Writes the view's CSV beside the picture and lets gnuplot draw it by the
 * script of the view in plots/, which can be used by hand on the CSV as well.
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memref.h"
#include "view.h"

const char * const plot_classes[NR_PLOT_CLASSES] = {
	"total", "user", "kernel", "page_cache", "all",
};

static void usage(FILE *f)
{
	const struct view *v;

	fputs("usage: memref plot VIEW [FILE] -o PICTURE [options]\n"
	      "Draw a view of a recording (default trace.dat).\n\n", f);
	for (v = views; v->name; v++)
		if (v->plot)
			fprintf(f, "  %-10s %s\n", v->name, v->about);
	fputs("\n  -o, --output PICTURE   .png or .svg; its data go beside it as .csv\n"
	      "  -c, --class CLASS      total (default), user, kernel, page_cache or all\n"
	      "  -t, --title TITLE      (default: host and settings)\n"
	      "      --help\n", f);
}

/* Where the scripts are: by hand, in the source tree, or installed. */
static int find_plots(char *dir, size_t size)
{
	static const char * const places[] = {
		"/../../plots", "/../share/memscope/plots", "/../../../plots",
	};
	const char *env = getenv("MEMSCOPE_PLOTS");
	char exe[PATH_MAX], script[PATH_MAX + 32], *slash;
	ssize_t n;
	size_t i;

	if (env) {
		snprintf(dir, size, "%s", env);
		return 0;
	}
	n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	if (n < 0)
		return -1;
	exe[n] = '\0';
	slash = strrchr(exe, '/');
	*slash = '\0';
	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if (snprintf(dir, size, "%s%s", exe, places[i]) >= (int)size)
			continue;
		snprintf(script, sizeof(script), "%.*s/common.gp", PATH_MAX, dir);
		if (!access(script, R_OK))
			return 0;
	}
	return -1;
}

/* A gnuplot string: single quotes, doubled inside; a newline would end it. */
static void quoted(FILE *f, const char *name, const char *value)
{
	fprintf(f, "%s='", name);
	for (; *value; value++) {
		if (*value == '\'')
			fputc('\'', f);
		fputc((unsigned char)*value < ' ' ? ' ' : *value, f);
	}
	fputs("'; ", f);
}

static void default_title(const struct model *m, const char *view, const char *class,
			  char *title, size_t size)
{
	const struct scan_row *s = &m->intervals[0].scan;
	char interval[32], kernel[48] = "";

	if (s->interval_ms)
		snprintf(interval, sizeof(interval), "%u ms", s->interval_ms);
	else
		snprintf(interval, sizeof(interval), "on demand");
	if (s->kernel_leaf_kb && strcmp(class, "user") && strcmp(class, "page_cache"))
		snprintf(kernel, sizeof(kernel), ", kernel mapped by %u KiB", s->kernel_leaf_kb);
	snprintf(title, size, "%s, %s - %s: interval %s, LMB %g MiB, TLB flush %s%s",
		 view, class, m->host, interval, s->group_kb / 1024.0, s->flush ? "on" : "off",
		 kernel);
}

static int gnuplot(const char *plots, const char *view, const char *commands)
{
	char script[PATH_MAX + 64];
	int status;
	pid_t pid;

	snprintf(script, sizeof(script), "%s/%s.gp", plots, view);
	fflush(NULL);
	pid = fork();
	if (!pid) {
		execlp("gnuplot", "gnuplot", "-e", commands, script, NULL);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return complain(FAILED, "gnuplot: %s", strerror(errno));
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return complain(FAILED, "gnuplot: not found (Debian package gnuplot-nox)");
	return status ? complain(FAILED, "gnuplot failed on %s", script) : OK;
}

/**
 * plot_draw() - draw a view
 * @m: the model
 * @view: one with a plot
 * @output: the picture, .png or .svg; its data go beside it as .csv
 * @class: one of plot_classes[]
 * @title: of the picture
 *
 * Return: OK, or FAILED after saying why.
 */
int plot_draw(struct model *m, const struct view *view, const char *output,
	      const char *class, const char *title)
{
	char plots[PATH_MAX], csv[PATH_MAX], tmp[PATH_MAX], *commands = NULL;
	const char *ext = strrchr(output, '.');
	struct outfile out;
	struct table table;
	size_t size;
	int failed;
	FILE *f;

	if (find_plots(plots, sizeof(plots)))
		return complain(FAILED, "no plot scripts found (set MEMSCOPE_PLOTS)");
	if (snprintf(csv, sizeof(csv), "%.*s.csv", (int)(ext - output), output) >=
	    (int)sizeof(csv) ||
	    snprintf(tmp, sizeof(tmp), "%.*s.%d%s", (int)(ext - output), output, getpid(),
		     ext) >= (int)sizeof(tmp))
		return complain(FAILED, "%s: name too long", output);

	failed = view->make(m, &table);
	if (failed) {
		complain(FAILED, "no memory left");
	} else {
		failed = outfile_open(&out, csv);
		if (!failed)
			failed = outfile_close(&out, table_print(&table, TABLE_CSV, out.f));
	}
	table_free(&table);
	if (failed)
		return FAILED;

	f = open_memstream(&commands, &size);
	if (!f)
		return complain(FAILED, "no memory left");
	quoted(f, "plots", plots);
	quoted(f, "csv", csv);
	quoted(f, "out", tmp);
	quoted(f, "title", title);
	quoted(f, "class", class);
	fprintf(f, "group_mib=%g", m->intervals[0].scan.group_kb / 1024.0);
	failed = fclose(f) ? complain(FAILED, "no memory left") :
			     gnuplot(plots, view->name, commands);
	free(commands);
	if (!failed && rename(tmp, output))
		failed = complain(FAILED, "%s: %s", output, strerror(errno));
	if (failed)
		unlink(tmp);
	return failed;
}

int cmd_plot(int argc, char **argv)
{
	static const struct option options[] = {
		{ "output", 1, NULL, 'o' }, { "class", 1, NULL, 'c' },
		{ "title", 1, NULL, 't' }, { "help", 0, NULL, 'h' }, { }
	};
	const char *output = NULL, *class = "total", *title = NULL, *ext;
	const struct view *view;
	struct model model;
	char text[512];
	int c, damaged, failed;
	size_t i;

	while ((c = getopt_long(argc, argv, "o:c:t:h", options, NULL)) != -1) {
		switch (c) {
		case 'o':
			output = optarg;
			break;
		case 'c':
			for (i = 0; i < NR_PLOT_CLASSES && strcmp(optarg, plot_classes[i]); i++)
				;
			if (i == NR_PLOT_CLASSES)
				return complain(USAGE, "--class %s: not total, user, kernel, page_cache or all",
						optarg);
			class = optarg;
			break;
		case 't':
			title = optarg;
			break;
		case 'h':
			usage(stdout);
			return OK;
		default:
			usage(stderr);
			return USAGE;
		}
	}
	if (optind == argc || argc - optind > 2) {
		usage(stderr);
		return USAGE;
	}
	view = view_find(argv[optind]);
	if (!view || !view->plot)
		return complain(USAGE, "%s: no such plot (see memref plot --help)", argv[optind]);
	ext = output ? strrchr(output, '.') : NULL;
	if (!ext || (strcmp(ext, ".png") && strcmp(ext, ".svg")))
		return complain(USAGE, "-o PICTURE: name a file that ends in .png or .svg");

	damaged = load_recording(argv[optind + 1], NULL, view->needs, &model);
	if (!model.nr_intervals) {
		model_free(&model);
		return FAILED;
	}
	if (!title) {
		default_title(&model, view->name, class, text, sizeof(text));
		title = text;
	}
	failed = plot_draw(&model, view, output, class, title);
	model_free(&model);
	return damaged || failed ? FAILED : OK;
}
