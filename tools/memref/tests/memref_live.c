// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * memref_live FILE: the screen of memref top, of rows that FILE, a FIFO, gives when its
 * writer likes, on a machine with 4 GiB of memory:
 *	task PID PAGES WRITTEN RSS NAME
 *	age PAGES BUCKET PATH		of anonymous memory, of a control group
 *	scan PAGES FLAGS INTERVAL_MS	ends an interval, now
 *	lose EVENTS
 *	end
 */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "memref/live/live.h"
#include "memref/live/terminal.h"

#define MS 1000000ULL

struct feed {
	struct top top;
	int fd;
	char text[1 << 20];
	size_t n;
	uint32_t seq;
	bool ended;
};

static volatile sig_atomic_t interrupted;

static void on_signal(int sig)
{
	interrupted = sig;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 * MS + now.tv_nsec;
}

static void add_task(struct feed *f, const char *line)
{
	struct row row = { .type = ROW_TASK, .task.seq = f->seq };
	struct task_row *t = &row.task;

	if (sscanf(line, "task %u %lu %lu %lu %15[^\n]", &t->pid, &t->pages, &t->written, &t->rss, t->comm) == 5)
		top_add(&f->top, &row);
}

static void add_age(struct feed *f, const char *line)
{
	struct row row = { .type = ROW_AGE, .age = { .seq = f->seq, .class = AGE_ANON, .cgroup = 7 } };
	unsigned int pages, bucket;

	if (sscanf(line, "age %u %u %127[^\n]", &pages, &bucket, row.age.path) != 3 || bucket >= AGE_BUCKETS)
		return;
	row.age.pages[bucket] = pages;
	top_add(&f->top, &row);
}

static void add_scan(struct feed *f, const char *line)
{
	const uint64_t now = now_ns();
	struct row row = { .type = ROW_SCAN, .scan = { .seq = f->seq, .end_ns = now, .scan_ns = now - MS, .harvest_ns = MS } };
	struct scan_row *s = &row.scan;

	if (sscanf(line, "scan %lu %u %u", &s->pages[USER], &s->flags, &s->interval_ms) != 3)
		return;
	s->begin_ns = s->scan_ns - s->interval_ms * MS;
	top_add(&f->top, &row);
	f->seq++;
}

static void take(struct feed *f, const char *line)
{
	if (!strncmp(line, "lose ", 5))
		top_lose(&f->top, strtoul(line + 5, NULL, 10));
	else if (!strcmp(line, "end"))
		f->ended = true;
	add_task(f, line);
	add_age(f, line);
	add_scan(f, line);
}

static int read_lines(void *ctx)
{
	struct feed *f = ctx;
	ssize_t n = read(f->fd, f->text + f->n, sizeof(f->text) - 1 - f->n);
	char *line = f->text, *end;

	f->n += n > 0 ? n : 0;
	f->text[f->n] = '\0';
	for (; (end = strchr(line, '\n')); line = end + 1) {
		*end = '\0';
		take(f, line);
	}
	f->n -= line - f->text;
	memmove(f->text, line, f->n);
	return f->ended || interrupted;
}

int main(int argc, char **argv)
{
	static struct feed feed = { .seq = 1 };
	struct live live = { .top = &feed.top, .read = read_lines, .ctx = &feed };
	int ret;

	/* For writing, too: it stays open between the writers. */
	feed.fd = argc == 2 ? open(argv[1], O_RDWR | O_NONBLOCK) : -1;
	if (feed.fd < 0)
		return 2;
	signal(SIGINT, on_signal);
	signal(SIGTERM, on_signal);
	signal(SIGHUP, on_signal);
	top_init(&feed.top);
	feed.top.start_ns = now_ns();
	feed.top.interval_ms = 1000;
	feed.top.memory = 1 << 20;
	if (!terminal_usable() || terminal_open())
		return 3;
	ret = live_run(&live);
	terminal_close();
	top_free(&feed.top);
	return ret ? 1 : 0;
}
