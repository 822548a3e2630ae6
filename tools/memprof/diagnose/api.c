// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 the memscope authors
/* The diagnosis for programs: findings as the library's interface has them. */
#include <stdlib.h>
#include <string.h>

#include "patterns.h"

#define public __attribute__((visibility("default")))
#define MAX_ADVICE	2048

struct memprof_diagnosis {
	struct memprof_finding *all;
	size_t nr;
	double joint;
};

/**
 * memprof_diagnose() - which patterns the accesses of each site show, and what to do about them
 * @m: the recording, with its flows
 *
 * Return: the findings, which gain most first, to be freed with memprof_diagnosis_free() before
 * the recording is closed; NULL without memory.
 */
public struct memprof_diagnosis *memprof_diagnose(struct memprof *m)
{
	struct memprof_diagnosis *d = calloc(1, sizeof(*d));
	struct findings f = { };
	char advice[MAX_ADVICE];
	size_t i;
	int bad;

	bad = !d || patterns_find(m, &f);
	if (!bad) {
		d->all = calloc(f.nr + 1, sizeof(*d->all));
		bad = !d->all;
		d->joint = f.accesses ? f.joint / f.accesses : 0;
	}
	for (i = 0; !bad && i < f.nr; i++) {
		const struct finding *x = &f.all[i];

		fix_text(m, x, advice, sizeof(advice));
		d->all[i] = (struct memprof_finding){
			.pattern = pattern_name(x->pattern), .about = pattern_about(x->pattern),
			.fix = fix_name(x->fix), .advice = strdup(advice), .object = x->object,
			.pid = x->pid, .objects = x->objects, .node = x->node, .accesses = x->accesses,
			.remote = x->remote, .predicted = x->predicted, .confidence = x->confidence,
			.joint = x->joint,
		};
		bad = !d->all[i].advice;
		d->nr++;
	}
	patterns_free(&f);
	if (!bad)
		return d;
	memprof_diagnosis_free(d);
	return NULL;
}

/** memprof_nr_findings() - how many sites, and processes, were judged */
public size_t memprof_nr_findings(const struct memprof_diagnosis *d)
{
	return d->nr;
}

/** memprof_finding() - a finding by its number, what gains most first; NULL: no such finding */
public const struct memprof_finding *memprof_finding(const struct memprof_diagnosis *d, size_t number)
{
	return number < d->nr ? &d->all[number] : NULL;
}

/** memprof_remote_with_all_fixes() - of all accesses of main memory, those remote with all fixes: 0 to 1 */
public double memprof_remote_with_all_fixes(const struct memprof_diagnosis *d)
{
	return d->joint;
}

/** memprof_diagnosis_free() - forget the findings; NULL is none */
public void memprof_diagnosis_free(struct memprof_diagnosis *d)
{
	size_t i;

	for (i = 0; d && i < d->nr; i++)
		free((char *)d->all[i].advice);
	if (d)
		free(d->all);
	free(d);
}
