// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Names and descriptions of memref_scan's flags. */
#include "events.h"
#include "flags.h"

const struct flag flags[] = {
	{ SCAN_RECLAIM, 1, "reclaim", "reclaim ran, which clears accessed bits, too" },
	{ SCAN_SKIPPED, 1, "skipped", "an address space was busy, and skipped" },
	{ SCAN_LATE, 1, "late", "the harvest took longer than the interval" },
	{ SCAN_EXITED, 1, "exited", "a selected process exited" },
	{ SCAN_ON_DEMAND, 0, "on_demand", "the interval ended on demand" },
	{ SCAN_SELECTED, 0, "selected", "only selected processes were sampled" },
	{ SCAN_STRETCHED, 1, "stretched", "the CPU budget made the interval longer" },
	{ SCAN_DAMON, 1, "damon", "DAMON ran, which clears accessed bits, too" },
	{ SCAN_CLEARED, 1, "cleared", "another user cleared accessed bits (page_idle, clear_refs)" },
	{ SCAN_MOVED, 1, "migrated", "pages were migrated" },
	{ SCAN_HOTPLUG, 1, "hotplug", "memory was added or removed" },
	{ SCAN_FAULT_AROUND, 0, "fault_around", "pages mapped around a page fault count as referenced" },
	{ SCAN_VMA_AGES_PART, 1, "mapping_ages_part", "idle ages of some mappings are missing" },
	{ 0, 0, NULL, NULL }
};

/**
 * flags_print() - print the names of flags
 * @f: output
 * @set: the flags; unknown ones are printed as one hexadecimal number
 * @between: separator
 */
void flags_print(FILE *f, uint32_t set, const char *between)
{
	const struct flag *flag;
	const char *first = "";

	for (flag = flags; flag->name; flag++) {
		if (!(set & flag->bit))
			continue;
		fprintf(f, "%s%s", first, flag->name);
		first = between;
		set &= ~flag->bit;
	}
	if (set)
		fprintf(f, "%s0x%x", first, set);
	else if (!*first)
		fputs("none", f);
}
