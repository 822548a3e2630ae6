// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * memprof_judge RECORDING LOG: checks that the samples of memprof_truth's read_it() and
 * write_it() are attributed to the objects that its log has at these addresses and times,
 * and as reads and writes.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "memprof/memprof.h"
#include "memprof_truth.h"

static int by_address(const void *a, const void *b)
{
	const struct truth *x = a, *y = b;

	return x->address != y->address ? (x->address < y->address ? -1 : 1) :
	       x->given < y->given ? -1 : x->given > y->given;
}

static struct truth *read_log(const char *path, size_t *n)
{
	struct truth *all;
	struct stat st;
	FILE *f = fopen(path, "r");

	if (!f || fstat(fileno(f), &st))
		return NULL;
	*n = st.st_size / sizeof(*all);
	all = malloc(st.st_size + 1);
	if (all && fread(all, sizeof(*all), *n, f) != *n)
		all = NULL;
	fclose(f);
	if (all)
		qsort(all, *n, sizeof(*all), by_address);
	return all;
}

/* The first object that starts behind an address. */
static size_t behind(const struct truth *all, size_t n, uint64_t addr)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (all[mid].address <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/*
 * What the log has at a place and a time.  Objects are up to 200 kB: those that start
 * before an address, until one is too far.  While realloc() moves an object nowhere, the
 * place is of two: a sample then is a late one of the first.  So of several, that which
 * @o is, if it is one of them.
 */
static const struct truth *find(const struct truth *all, size_t n, uint64_t addr, uint64_t time,
				const struct memprof_object *o, uint64_t born, bool *same)
{
	const struct truth *any = NULL;
	size_t i = behind(all, n, addr);

	while (i-- && addr - all[i].address < 300000) {
		const struct truth *t = &all[i];

		if (addr - t->address >= t->size || time < t->asked || time > t->freed)
			continue;
		*same = o->address == t->address && o->size == t->size &&
			born >= t->asked && born <= t->given;
		if (*same)
			return t;
		if (!any)
			any = t;
	}
	return any;
}

int main(int argc, char **argv)
{
	uint64_t right = 0, wrong = 0, unknown = 0, missing = 0, wrong_op = 0, wrong_thread = 0;
	uint64_t reasons[MEMPROF_REASONS] = { 0 }, start;
	struct memprof_access a;
	struct memprof *m;
	struct truth *all;
	char error[256];
	size_t i, n = 0;

	if (argc != 3)
		return 2;
	m = memprof_open(argv[1], NULL, error, sizeof(error));
	if (!m) {
		fprintf(stderr, "memprof_judge: %s\n", error);
		return 1;
	}
	all = read_log(argv[2], &n);
	if (!all) {
		fprintf(stderr, "memprof_judge: %s: cannot be read\n", argv[2]);
		return 1;
	}
	start = memprof_totals(m)->start_ns;
	for (i = 0; i < memprof_nr_accesses(m); i++) {
		const struct memprof_object *o;
		const struct truth *t;
		const char *frame;
		bool reads, writes, same = false;

		memprof_access(m, i, &a);
		frame = memprof_frame(m, a.chain, 0);
		reads = frame && !strncmp(frame, "read_it", 7);
		writes = frame && !strncmp(frame, "write_it", 8);
		if ((!reads && !writes) || a.kernel)
			continue;
		o = memprof_object(m, a.object);
		/* What these touch beside their object: their own stack. */
		if (o->type == MEMPROF_STACK)
			continue;
		t = find(all, n, o->address + a.offset, start + a.time_ns, o, start + o->born_ns,
			 &same);
		if (!t) {
			missing++;
			continue;
		}
		if (o->type == MEMPROF_UNKNOWN) {
			unknown++;
			for (int r = 0; r < MEMPROF_REASONS; r++)
				reasons[r] += memprof_reason(r) && !strcmp(memprof_reason(r), o->symbol);
			continue;
		}
		if (o->type != MEMPROF_DYNAMIC || !same) {
			if (++wrong <= 10)
				fprintf(stderr, "memprof_judge: at %" PRIu64 " ns, type %d, %#" PRIx64 "+%" PRIu64
					" of %" PRIu64 " bytes, born at %" PRIu64 ": the log has %#" PRIx64
					" of %" PRIu64 " bytes, asked for at %" PRIu64 ", given at %" PRIu64
					", freed at %" PRIu64 "\n", a.time_ns, o->type, o->address, a.offset, o->size,
					o->born_ns, t->address, t->size, t->asked - start, t->given - start,
					t->freed - start);
			continue;
		}
		right++;
		wrong_op += a.read != reads || a.write != writes;
		wrong_thread += o->thread == MEMPROF_NO_THREAD ||
				memprof_thread(m, o->thread)->tid != t->allocator;
	}
	printf("objects %zu right %" PRIu64 " wrong %" PRIu64 " unknown %" PRIu64 " not-in-log %" PRIu64
	       " wrong-op %" PRIu64 " wrong-allocator %" PRIu64 "\n", n, right, wrong, unknown, missing,
	       wrong_op, wrong_thread);
	for (int r = 0; r < MEMPROF_REASONS; r++)
		if (reasons[r])
			printf("# %" PRIu64 " unknown: %s\n", reasons[r], memprof_reason(r));
	free(all);
	memprof_close(m);
	return wrong || wrong_op || wrong_thread || !right;
}
