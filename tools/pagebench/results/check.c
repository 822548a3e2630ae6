// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Results as a whole: what did not end is dropped, what is there twice or has holes refused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

static int by_number(const void *a, const void *b)
{
	const struct execution *x = *(struct execution **)a, *y = *(struct execution **)b;

	return x->number != y->number ? (x->number < y->number ? -1 : 1) : 0;
}

static int by_time(const void *a, const void *b)
{
	const struct execution *x = *(struct execution **)a, *y = *(struct execution **)b;

	if (x->boot != y->boot)
		return x->boot < y->boot ? -1 : 1;
	if (x->nr && y->nr && x->phase[0] != y->phase[0])
		return x->phase[0] < y->phase[0] ? -1 : 1;
	return by_number(a, b);
}

static int by_name(const void *a, const void *b)
{
	const struct experiment *x = a, *y = b;
	int c = strcmp(x->benchmark, y->benchmark);

	if (!c)
		c = strcmp(x->config, y->config);
	return c ? c : strcmp(x->strategy, y->strategy);
}

/* What is whole stays. */
static int experiment_finish(struct results *r, struct experiment *x, char *error, size_t size)
{
	size_t i, j, n = 0;

	for (i = 0; i < x->nr; i++) {
		struct execution *e = x->executions[i];
		struct place p = { e->file, e->last_line, error, size };

		/* The canary is one measurement; what has no value has no end. */
		if (!e->complete && (x != &r->canary || !e->nr)) {
			r->nr_incomplete++;
			execution_free(e);
			continue;
		}
		x->executions[n++] = e;
		for (j = 0; j < e->nr_series; j++) {
			if (e->series[j].nr == e->nr)
				continue;
			for (i++; i < x->nr; i++)	/* results_free() looks no further */
				x->executions[n++] = x->executions[i];
			x->nr = n;
			return results_refuse(&p, "execution %u has %zu measurements, but %zu of %s", e->number,
					      e->nr, e->series[j].nr, r->metrics[e->series[j].metric].name);
		}
	}
	x->nr = n;
	if (n)
		qsort(x->executions, n, sizeof(*x->executions), x == &r->canary ? by_time : by_number);
	for (i = 1; i < n && x != &r->canary; i++) {
		struct execution *e = x->executions[i], *before = x->executions[i - 1];
		struct place p = { e->file, e->line, error, size };

		if (e->number == before->number)
			return results_refuse(&p, "execution %u of %s %s %s twice: it is in %s:%ld, too", e->number,
					      x->benchmark, x->config, x->strategy, before->file, before->line);
	}
	return 0;
}

/* Boots are numbered over all files: two of the same number would be taken for one. */
static int check_boots(const struct results *r, char *error, size_t size)
{
	const struct execution **first = NULL;
	size_t i, j, k, nr = 0, capacity = 0;
	int failed = 0;

	for (i = 0; i <= r->nr_experiments && !failed; i++) {
		const struct experiment *x = i < r->nr_experiments ? &r->experiments[i] : &r->canary;

		for (j = 0; j < x->nr && !failed; j++) {
			const struct execution *e = x->executions[j];
			struct place p = { e->file, e->line, error, size };

			for (k = nr; k && first[k - 1]->boot != e->boot; k--)
				;
			if (k && first[k - 1]->file != e->file)
				failed = results_refuse(&p, "boot %u is in %s:%ld, too: number boots apart over the files",
							e->boot, first[k - 1]->file, first[k - 1]->line);
			else if (!k && results_grow(&first, nr, &capacity, sizeof(*first)))
				failed = results_refuse(&p, "no memory left");
			else if (!k)
				first[nr++] = e;
		}
	}
	free(first);
	return failed;
}

/* A setting that one file has and another lacks is not known to be the same. */
static int check_settings(const struct results *r, char *error, size_t size)
{
	const struct setting *s, *t;
	size_t i;

	for (i = 0; i < r->nr_files; i++) {
		for (s = r->settings; s < r->settings + r->nr_settings; s++) {
			if (results_may_differ(s->key))
				continue;
			for (t = r->settings; t < r->settings + r->nr_settings; t++)
				if (t->file == r->files[i] && !strcmp(t->key, s->key))
					break;
			if (t < r->settings + r->nr_settings)
				continue;
			snprintf(error, size, "%s: mixed: no line \"# %.40s: ...\", in %s:%ld it is %.100s",
				 r->files[i], s->key, s->file, s->line, s->value);
			return -1;
		}
	}
	return 0;
}

/**
 * results_finish() - all files are read
 * @r: from results_read(); executions that did not end are dropped
 * @error: what is wrong, with file and line
 * @size: room there
 *
 * Return: 0, or -1 with a message in @error.
 */
int results_finish(struct results *r, char *error, size_t size)
{
	size_t i, n = 0;

	if (check_settings(r, error, size) || experiment_finish(r, &r->canary, error, size))
		return -1;
	for (i = 0; i < r->nr_experiments; i++) {
		if (experiment_finish(r, &r->experiments[i], error, size))
			return -1;
		n += r->experiments[i].nr;
	}
	if (r->nr_experiments)
		qsort(r->experiments, r->nr_experiments, sizeof(*r->experiments), by_name);
	if (n)
		return check_boots(r, error, size);
	snprintf(error, size, "%s: no execution that ended (%zu did not)",
		 r->nr_files ? r->files[0] : "no file", r->nr_incomplete);
	return -1;
}
