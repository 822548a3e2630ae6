// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* memref top's display: the last interval, and the last minutes, as text. */
#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "memref/model/flags.h"
#include "top.h"

#define MAX_WIDTH 1024

static const double mib = 4096.0 / (1 << 20);

/**
 * top_init() - initialize the display's state
 * @t: the state; free it with top_free()
 */
void top_init(struct top *t)
{
	memset(t, 0, sizeof(*t));
	model_init(&t->last);
	model_init(&t->now);
}

/**
 * top_free() - free the display's state
 * @t: the state
 */
void top_free(struct top *t)
{
	model_free(&t->last);
	model_free(&t->now);
}

/* Add an interval to the history, in each half second that it overlaps. */
static void remember(struct top *t, const struct interval *i)
{
	uint64_t n, last = i->scan.scan_ns / BUCKET_NS;
	int c;

	n = i->scan.begin_ns / BUCKET_NS;
	if (n > last || last - n >= NR_BUCKETS)
		n = last;
	for (; n <= last; n++) {
		struct bucket *b = &t->buckets[n % NR_BUCKETS];

		if (b->number != n)
			*b = (struct bucket){ .number = n };
		for (c = 0; c < NR_LINES; c++) {
			uint64_t pages = c == TOTAL ? interval_pages(i) : i->pages[c];

			if (pages > b->pages[c])
				b->pages[c] = pages;
		}
	}
}

static int add_to_now(struct model *m, const struct row *row)
{
	switch (row->type) {
	case ROW_GROUP: return model_add_group(m, &row->group);
	case ROW_NODE: return model_add_node(m, &row->node);
	case ROW_TASK: return model_add_task(m, &row->task);
	case ROW_SCAN: return model_add_scan(m, &row->scan);
	default: return 0;
	}
}

/**
 * top_add() - add a row
 * @t: the state
 * @row: the row; a memref_scan completes an interval
 *
 * Return: 1 if it completed an interval, 0 if not, -1 if out of memory.
 */
int top_add(struct top *t, const struct row *row)
{
	struct interval *i;

	if (add_to_now(&t->now, row))
		return -1;
	if (row->type != ROW_SCAN)
		return 0;
	i = &t->now.intervals[0];
	/* memref_scan has the sums, whether group events are enabled or not. */
	memcpy(i->pages, i->scan.pages, sizeof(i->pages));
	if (!t->begin_ns)
		t->begin_ns = i->scan.begin_ns;
	remember(t, i);
	model_free(&t->last);
	t->last = t->now;
	model_init(&t->now);
	t->intervals++;
	return 1;
}

static int by_pages(const struct task *a, const struct task *b)
{
	return a->pages < b->pages ? 1 : -(a->pages > b->pages);
}

/* A process may set any bytes as its name. */
static void print_comm(FILE *f, const char *comm, int width, char for_space)
{
	int n;

	for (n = 0; n < 16 && comm[n]; n++) {
		char c = isascii(comm[n]) && isprint(comm[n]) ? comm[n] : '?';

		fputc(c == ' ' ? for_space : c, f);
	}
	for (; n < width; n++)
		fputc(' ', f);
}

static uint64_t node_sum(const struct node_pages *n)
{
	return n->pages[KERNEL] + n->pages[USER] + n->pages[PAGE_CACHE];
}

/**
 * top_print_header() - print the column names of top_print_line()
 * @f: output
 */
void top_print_header(FILE *f)
{
	fputs("seq time_s interval_s wss_kernel_mib wss_user_mib wss_page_cache_mib "
	      "wss_total_mib rss_mib scan_ms flags nodes_mib top_mib\n", f);
}

/**
 * top_print_line() - print the last interval as one line
 * @t: the state
 * @f: output
 */
void top_print_line(struct top *t, FILE *f)
{
	const struct interval *i = &t->last.intervals[0];
	const struct scan_row *s = &i->scan;
	const char *between = "";
	struct task *task;
	uint32_t n;
	int shown = 0;

	fprintf(f, "%u %.3f %.3f %.3f %.3f %.3f %.3f ", s->seq,
		(s->scan_ns - t->begin_ns) * 1e-9, interval_seconds(i),
		i->pages[KERNEL] * mib, i->pages[USER] * mib, i->pages[PAGE_CACHE] * mib,
		interval_pages(i) * mib);
	if (s->rss)
		fprintf(f, "%.3f ", s->rss * mib);
	else
		fputs("- ", f);
	fprintf(f, "%.3f ", (s->end_ns - s->scan_ns) * 1e-6);
	flags_print(f, s->flags, ",");
	fputc(' ', f);
	for (n = 0; i->groups && n < i->nr_nodes; n++) {
		fprintf(f, "%s%u:%.3f", between, n, node_sum(&i->nodes[n]) * mib);
		between = ",";
	}
	fputs(*between ? " " : "- ", f);
	HASH_SORT(t->last.tasks, by_pages);
	for (task = t->last.tasks; task && task->pages && shown < 3; task = task->hh.next) {
		fputs(shown++ ? "," : "", f);
		print_comm(f, task->key.comm, 0, '_');
		fprintf(f, "[%u]:%.3f", task->key.pid, task->pages * mib);
	}
	fputs(shown ? "\n" : "-\n", f);
}

/* A screen that is drawn row by row. */
struct frame {
	FILE *f;
	int width, height, row, utf8;
};

/* Return 0 if the screen is full. */
static int begin_row(struct frame *s)
{
	return s->row < s->height;
}

static void end_row(struct frame *s)
{
	/* A newline in the last row would scroll the screen. */
	fputs(++s->row < s->height ? "\033[K\r\n" : "\033[K", s->f);
}

static void __attribute__((format(printf, 2, 3))) print_row(struct frame *s, const char *fmt, ...)
{
	char text[MAX_WIDTH + 1];
	va_list ap;

	if (!begin_row(s))
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	fprintf(s->f, "%.*s", s->width, text);
	end_row(s);
}

static void draw_bar(struct frame *s, double share, int width)
{
	static const char * const parts[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
	int eighths = share * width * 8 + 0.5, n;

	for (n = 0; n < eighths / 8 && n < width; n++)
		fputs(s->utf8 ? "█" : "#", s->f);
	if (n < width && eighths % 8 && s->utf8) {
		fputs(parts[eighths % 8], s->f);
		n++;
	}
	for (; n < width; n++)
		fputc(' ', s->f);
}

static uint64_t most(const struct top *t, uint64_t now, int line, uint64_t from, uint64_t to)
{
	uint64_t pages = 0;
	int i;

	for (i = 0; i < NR_BUCKETS; i++) {
		const struct bucket *b = &t->buckets[i];

		if (b->number + NR_BUCKETS > now && b->number >= from && b->number <= to &&
		    b->pages[line] > pages)
			pages = b->pages[line];
	}
	return pages;
}

/* The history as a sparkline, the present at the right. */
static void draw_spark(struct frame *s, const struct top *t, int line, int width)
{
	static const char * const blocks[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	static const char ascii[] = "_.:-=+*#";
	uint64_t now = t->last.intervals[0].scan.scan_ns / BUCKET_NS;
	uint64_t high = most(t, now, line, 0, now), pages, per = (NR_BUCKETS + width - 1) / width;
	int n, level;

	for (n = width - 1; n >= 0; n--) {
		/* Align columns to fixed times, or the line would flicker. */
		uint64_t last = (now / per - n) * per + per - 1;

		if (now / per < (uint64_t)n)
			last = 0;
		pages = last ? most(t, now, line, last - per + 1, last) : 0;
		level = high ? (pages * 8 + high - 1) / high : 0;
		if (!level)
			fputc(' ', s->f);
		else if (s->utf8)
			fputs(blocks[level - 1], s->f);
		else
			fputc(ascii[level - 1], s->f);
	}
}

/* "user        512.3 MiB  bar  sparkline" */
static void draw_class(struct frame *s, const struct top *t, const char *name, int line,
		       uint64_t pages, uint64_t full)
{
	int left = s->width - 27, bar = left / 3, spark = left - bar - 1;

	if (left < 12) {
		print_row(s, "%-10s %10.1f MiB", name, pages * mib);
		return;
	}
	if (!begin_row(s))
		return;
	fprintf(s->f, "%-10s %10.1f MiB ", name, pages * mib);
	draw_bar(s, full ? (double)pages / full : 0, bar);
	fputc(' ', s->f);
	draw_spark(s, t, line, spark < NR_BUCKETS ? spark : NR_BUCKETS);
	end_row(s);
}

static void draw_cost(struct frame *s, const struct top *t)
{
	const struct interval *i = &t->last.intervals[0];
	const struct scan_row *r = &i->scan;
	double scan = (r->end_ns - r->scan_ns) * 1e-9;

	print_row(s, "harvest %.1f ms, %.1f %% of a CPU: %" PRIu64 " entries read, %" PRIu64
		  " young, %u processes%s", scan * 1e3,
		  100 * scan / (scan + interval_seconds(i) > 0 ? scan + interval_seconds(i) : 1),
		  r->ptes, r->young, r->mms, r->pids ? " (selected)" : "");
	if (r->tables)
		print_row(s, "page tables %" PRIu64 " read, %" PRIu64 " cold and skipped",
			  r->tables, r->tables_cold);
}

static void draw_flags(struct frame *s, const struct top *t)
{
	const struct flag *flag;

	for (flag = flags; flag->name; flag++)
		if (t->last.intervals[0].scan.flags & flag->bit)
			print_row(s, "%s %s", flag->doubt ? "!" : "-", flag->about);
	if (t->lost_events)
		print_row(s, "! %" PRIu64 " events were lost", t->lost_events);
}

static void draw_tasks(struct frame *s, struct top *t)
{
	struct task *task;

	HASH_SORT(t->last.tasks, by_pages);
	if (!t->last.tasks || s->height - s->row < 3 || s->width < 64)
		return;
	print_row(s, "%s", "");
	print_row(s, "%8s %-16s %11s %11s %11s", "pid", "command", "used MiB",
		  "written MiB", "RSS MiB");
	for (task = t->last.tasks; task && begin_row(s); task = task->hh.next) {
		fprintf(s->f, "%8u ", task->key.pid);
		print_comm(s->f, task->key.comm, 16, ' ');
		fprintf(s->f, " %11.1f %11.1f %11.1f", task->pages * mib, task->written * mib,
			task->rss_max * mib);
		end_row(s);
	}
}

/**
 * top_draw() - draw the last interval and the history on a terminal
 * @t: the state
 * @f: the terminal
 * @width: its columns
 * @height: its rows
 * @utf8: it can show block characters
 */
void top_draw(struct top *t, FILE *f, int width, int height, int utf8)
{
	struct frame s = { f, width < MAX_WIDTH ? width : MAX_WIDTH, height, 0, utf8 };
	const struct interval *i = t->last.intervals;
	uint64_t full;
	uint32_t n;
	int c;

	fputs("\033[H", f);
	if (!i) {
		print_row(&s, "memref: waiting for the end of the first interval");
		fputs("\033[J", f);
		return;
	}
	print_row(&s, "memref: interval %u took %.3f s, groups of %u KiB; q quits",
		  i->scan.seq, interval_seconds(i), i->scan.group_kb);
	draw_cost(&s, t);
	print_row(&s, "%s", "");
	full = most(t, i->scan.scan_ns / BUCKET_NS, TOTAL, 0, i->scan.scan_ns / BUCKET_NS);
	if (i->scan.rss > full)
		full = i->scan.rss;
	for (c = 0; c < NR_CLASSES; c++)
		draw_class(&s, t, class_names[c], c, i->pages[c], full);
	draw_class(&s, t, "total", TOTAL, interval_pages(i), full);
	if (i->scan.rss)
		print_row(&s, "%-10s %10.1f MiB", "RSS", i->scan.rss * mib);
	for (n = 0; i->groups && n < i->nr_nodes; n++)
		print_row(&s, "node %-5u %10.1f MiB: kernel %.1f, user %.1f, page cache %.1f", n,
			  node_sum(&i->nodes[n]) * mib, i->nodes[n].pages[KERNEL] * mib,
			  i->nodes[n].pages[USER] * mib, i->nodes[n].pages[PAGE_CACHE] * mib);
	draw_flags(&s, t);
	draw_tasks(&s, t);
	fputs("\033[J", f);
}
