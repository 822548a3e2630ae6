// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* How far a run is, and how long it will take. */
#include <stdio.h>
#include <unistd.h>

#include "lib/complain.h"

#include "process.h"
#include "progress.h"

/* For output to a log. */
#define EVERY_NS 30000000000ull

/**
 * progress_begin() - a run begins
 * @p: its progress
 * @plan: what is done of it already is not to be done
 */
void progress_begin(struct progress *p, const struct plan *plan)
{
	size_t i;

	*p = (struct progress){ .plan = plan, .terminal = isatty(2) };
	p->begin_ns = p->printed_ns = process_now_ns();
	for (i = 0; i < plan->nr; i++)
		p->todo += plan->entry[i].program && !plan->entry[i].done;
}

static void print_left(double s)
{
	if (s >= 5400)
		fprintf(stderr, "%.1f h left", s / 3600);
	else if (s >= 90)
		fprintf(stderr, "%.0f min left", s / 60);
	else
		fprintf(stderr, "%.0f s left", s);
}

/**
 * progress_next() - say what is measured next
 * @p: the progress
 * @e: an execution
 */
void progress_next(struct progress *p, const struct plan_entry *e)
{
	uint64_t now = process_now_ns();

	if (quiet || (!p->terminal && now - p->printed_ns < EVERY_NS))
		return;
	p->printed_ns = now;
	fprintf(stderr, "%s%llu of %llu, block %llu: %s %s %s", p->terminal ? "\r\033[K" : "",
		(unsigned long long)p->done + 1, (unsigned long long)p->todo,
		(unsigned long long)e->block, e->program->name, e->config->name,
		e->strategy->name);
	if (p->done) {
		fputs("; ", stderr);
		print_left((now - p->begin_ns) / 1e9 / p->done * (p->todo - p->done));
	}
	fputs(p->terminal ? "" : "\n", stderr);
}

/**
 * progress_done() - an execution was made
 * @p: the progress
 */
void progress_done(struct progress *p)
{
	p->done++;
}

/**
 * progress_end() - messages begin in lines of their own again
 * @p: the progress
 */
void progress_end(struct progress *p)
{
	if (p->terminal && !quiet)
		fputs("\r\033[K", stderr);
}
