// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * For how long zone->lock is held: kprobes where it is taken and given back, by
 * the functions that do.  The time of a probe is in it, the same for all.
 */
#include "alloc.h"

#define TRACING	"/sys/kernel/tracing/"
#define PROBES	TRACING "events/kprobes/"
#define PAGES	20000ul
#define MAX_HOLDS (1 << 17)

struct holds {
	double ns[MAX_HOLDS];
	unsigned int nr;
};

static int by_length(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Return whether the function changes free lists; else the lock is another one. */
static bool is_ours(const char *caller)
{
	return !strncmp(caller, "page_hint_zone_search", 21) ||
	       !strncmp(caller, "page_hint_take_locked", 21) ||
	       !strncmp(caller, "page_hint_search_lists", 22);
}

static bool is_default(const char *caller)
{
	return !strncmp(caller, "rmqueue_bulk", 12) || !strncmp(caller, "rmqueue", 7) ||
	       !strncmp(caller, "get_page_from_freelist", 22) ||
	       !strncmp(caller, "__rmqueue_pcplist", 17);
}

/* A line: ... 12.345678: taken: (...) lock=0x... caller=rmqueue_bulk+0x12/0x34 */
static void take_line(const char *line, bool (*matches)(const char *), struct holds *holds)
{
	static unsigned long long held;
	static double since;
	const char *at = strstr(line, ": taken: "), *given = strstr(line, ": given: ");
	const char *lock = strstr(line, "lock=0x"), *caller = strstr(line, "caller=");
	const char *time = at ? at : given;
	unsigned long long address;

	if (!time || !lock || !caller || !matches(caller + 7))
		return;
	while (time > line && time[-1] != ' ')
		time--;
	address = strtoull(lock + 5, NULL, 16);
	if (at) {
		held = address;
		since = strtod(time, NULL);
	} else if (held == address && holds->nr < MAX_HOLDS) {
		holds->ns[holds->nr++] = (strtod(time, NULL) - since) * 1e9;
		held = 0;
	}
}

static void fault(const char *strategy, bool (*matches)(const char *), struct holds *holds)
{
	char *p = reserve(PAGES), line[512];
	FILE *f;

	if (strategy)
		hint(p, PAGES, strategy, NULL, 0);
	/* The trace buffer holds the events of so many faults. */
	for (uint64_t first = 0; first < PAGES; first += 2000) {
		put_file(TRACING "trace", "\n");
		put_file(PROBES "enable", "1");
		for (uint64_t i = first; i < first + 2000; i++)
			p[i * PAGE] = 1;
		put_file(PROBES "enable", "0");
		f = fopen(TRACING "trace", "r");
		while (f && fgets(line, sizeof(line), f))
			take_line(line, matches, holds);
		if (f)
			fclose(f);
	}
	if (strategy)
		unhint(p, PAGES);
	munmap(p, PAGES * PAGE);
	qsort(holds->ns, holds->nr, sizeof(*holds->ns), by_length);
}

static double share(const struct holds *h, double part)
{
	return h->nr ? h->ns[(unsigned int)(part * (h->nr - 1))] : 0;
}

/* @may_hold_none: what CPUs hold may be enough for all steered faults. */
static void compare(const char *memory, bool may_hold_none)
{
	static struct holds def, steered;
	const struct holds *const both[] = { &def, &steered };

	def.nr = steered.nr = 0;
	fault(NULL, is_default, &def);
	fault("coloring", is_ours, &steered);
	for (unsigned int i = 0; i < 2; i++) {
		double sum = 0;

		for (unsigned int k = 0; k < both[i]->nr; k++)
			sum += both[i]->ns[k];
		printf("# %s, %s: held %u times for %lu faults, mean %.0f ns, median %.0f, p99 %.0f, longest %.0f; %.0f ns a fault\n",
		       memory, i ? "steered" : "default", both[i]->nr, PAGES,
		       both[i]->nr ? sum / both[i]->nr : 0, share(both[i], 0.5),
		       share(both[i], 0.99), share(both[i], 1), sum / PAGES);
	}
	ok(def.nr && (steered.nr || may_hold_none) && share(&steered, 0.99) <= share(&def, 0.99),
	   "%s: zone->lock held no longer, p99 steered / default %.2f", memory,
	   share(&steered, 0.99) / share(&def, 0.99));
}

/* CPUs may hold more free pages than are faulted in: then nobody takes the lock. */
static char *empty_caches(uint64_t pages)
{
	char *p = reserve(pages);

	for (uint64_t i = 0; i < pages; i++)
		p[i * PAGE] = 1;
	return p;
}

void part_locks(void)
{
	const uint64_t cached = total_pages() / 4;
	uint64_t size;
	char *aged;

	put_file(TRACING "trace_clock", "global");
	put_file(TRACING "buffer_size_kb", "16384");
	put_file(TRACING "kprobe_events",
		 "p:taken _raw_spin_lock_irqsave lock=%di caller=$stack0:symbol\n"
		 "p:given _raw_spin_unlock_irqrestore lock=%di caller=$stack0:symbol\n");
	aged = empty_caches(cached);
	compare("fresh", true);
	munmap(aged, cached * PAGE);
	aged = age(total_pages() * 50 / 100, &size);
	compare("aged, half free", false);
	munmap(aged, size * PAGE);
	aged = age(total_pages() * 20 / 100, &size);
	compare("aged, a fifth free", false);
	munmap(aged, size * PAGE);
	put_file(TRACING "kprobe_events", "\n");
}
