// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * page_hint_alloc PART [SEED]: measures the hit rate and the cost of allocations
 * with page hints.  Prints TAP, with numbers as comments.
 *
 *	fresh		coloring on memory as it is
 *	aged		coloring when single pages are free at random, down to
 *			10 % of memory free above the low watermark
 *	partition	8 of 32 colors, until 90 % of what there is of them is used
 *	full		with the page cache full of /dev/vda: 8 of 32 colors, and
 *			coloring, 128 MiB touched at full speed
 *	swapin		pages that were on the swap device /dev/vda
 *	cost		instructions of a fault, steered and default, under QEMU's
 *			-icount shift=0, where a nanosecond is an instruction;
 *			else nanoseconds.  On aged memory too, on one CPU and on all
 *	locks		for how long zone->lock is held, likewise; one CPU
 *	plain		a fault without hints, for kernels without them too
 *	stress		processes that fault and free under hints while CPUs and
 *			memory come and go, caches are dropped, memory is
 *			compacted and taken by others, and a cgroup is at its limit.
 *			Then all free pages are accounted for
 *
 * Needs root, the strategies' modules loaded, debugfs.  COLOR_FUNCTION names
 * another color function than 32 colors by the low bits (not for partition).
 */
#include "alloc.h"

static void get_info(void)
{
	info.size = sizeof(info);
	if (ioctl(hints_fd, PAGE_HINTS_INFO, &info))
		die("INFO");
	printf("# %u colors, full rank order %u, cache level %u\n", info.colors,
	       info.full_rank_order, info.cache_level);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
		bool disk;	/* needs one: only if asked for */
	} parts[] = {
		{ "fresh", part_fresh, false },
		{ "aged", part_aged, false },
		{ "partition", part_partition, false },
		{ "full", part_full, true },
		{ "swapin", part_swapin, true },
		{ "cost", part_cost, false },
		{ "locks", part_locks, false },
		{ "stress", part_stress, false },
	};
	const char *function = getenv("COLOR_FUNCTION");
	unsigned int i;

	if (argc > 2)
		seed = strtoull(argv[2], NULL, 0);
	if (argc > 1 && !strcmp(argv[1], "plain")) {
		part_plain();
		return 0;
	}
	begin(0);
	hints_fd = open("/proc/self/page_hints", O_RDWR | O_CLOEXEC);
	if (hints_fd < 0)
		die("/proc/self/page_hints");
	set_color_function(function ? function : "colors:32");
	get_info();
	printf("# seed %llu\n", (unsigned long long)seed);
	/* Else kcompactd moves pages about once memory is fragmented. */
	set_for_now("/proc/sys/vm/compaction_proactiveness", "0");
	for (i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (argc < 2 ? !parts[i].disk : !strcmp(argv[1], parts[i].name))
			parts[i].run();
	return finish();
}
