// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Whether page colors work on this machine, and which settings move pages away from theirs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pagealloc/uapi/linux/page_hints.h"
#include "checks.h"
#include "system.h"

/* A numeric setting that should be 0, or @off. */
struct knob {
	const char *check, *path, *why, *fix;
	enum check_state state;		/* state to report if it is not */
	const char *off;
};

static const struct knob knobs[] = {
	{ "ksm", "/sys/kernel/mm/ksm/run", "KSM merges equal pages into one frame",
	  "echo 2 >/sys/kernel/mm/ksm/run", WARN, "2" },
	{ "numa_balancing", "/proc/sys/kernel/numa_balancing",
	  "NUMA balancing moves pages to other frames", "sysctl kernel.numa_balancing=0", WARN },
	{ "compaction_proactiveness", "/proc/sys/vm/compaction_proactiveness",
	  "compaction in the background moves pages to other frames",
	  "sysctl vm.compaction_proactiveness=0", WARN },
	{ "compact_unevictable_allowed", "/proc/sys/vm/compact_unevictable_allowed",
	  "compaction moves even locked pages", "sysctl vm.compact_unevictable_allowed=0", WARN },
	{ "aslr", "/proc/sys/kernel/randomize_va_space",
	  "colors derived from addresses differ from run to run",
	  "pagealloc run --no-aslr, or run --replay", NOTE },
	{ }
};

static void check_knobs(struct checks *c)
{
	const struct knob *k;
	char value[64];

	for (k = knobs; k->check; k++) {
		if (system_read(k->path, value, sizeof(value)))
			checks_add(c, k->check, GOOD, "not there", k->why, "");
		else if (!strcmp(value, "0") || (k->off && !strcmp(value, k->off)))
			checks_add(c, k->check, GOOD, value, k->why, "");
		else
			checks_add(c, k->check, k->state, value, k->why, k->fix);
	}
}

/**
 * check_page_hints() - check whether the kernel has page hints, and who may use them
 * @c: gets the rows
 *
 * Return: whether it has.
 */
bool check_page_hints(struct checks *c)
{
	char value[64];

	if (!system_has("/proc/self/page_hints")) {
		checks_add(c, "kernel", BAD, "no page hints",
		    "hints need a kernel with the memscope series and CONFIG_PAGE_HINT",
		    "build and boot it: make deb; the other checks assume page hints");
		return false;
	}
	checks_add(c, "kernel", GOOD, "has page hints", "hints need CONFIG_PAGE_HINT", "");
	if (!system_read("/proc/sys/vm/page_hints_unprivileged", value, sizeof(value)))
		checks_add(c, "unprivileged", GOOD, value,
		    "0: hints need CAP_SYS_NICE; 1: all users may set hints that name no frame", "");
	if (!system_read("/proc/sys/vm/page_hints_inherit", value, sizeof(value)))
		checks_add(c, "inherit", atoi(value) & PAGE_HINTS_EXEC_DEFAULT &&
		    atoi(value) & PAGE_HINTS_FORK_DEFAULT ? GOOD : NOTE, value,
		    "1: children, 4: new programs may inherit the default hint, 2: children the ranges",
		    "sysctl vm.page_hints_inherit=7");
	return true;
}

/* Whether the first line of /proc/cpuinfo that begins with @key has the word @flag. */
static int cpu_has(const char *key, const char *flag)
{
	static char text[65536];
	char *line, *rest, *word;

	system_read("/proc/cpuinfo", text, sizeof(text));
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		if (!strncmp(line, key, strlen(key)))
			break;
	while (line && (word = strsep(&line, " \t")))
		if (!strcmp(word, flag))
			return 1;
	return 0;
}

static void check_vm(struct checks *c)
{
	char type[64];
	int xen = !system_read("/sys/hypervisor/type", type, sizeof(type));

	if (!xen && !cpu_has("flags", "hypervisor"))
		checks_add(c, "virtual_machine", GOOD, "no", "frames are the machine's", "");
	else
		checks_add(c, "virtual_machine", WARN, "yes",
		    "guest and host frame numbers agree only inside one host page: colors are valid up to"
		    " the size of the host pages that back this guest, which the guest cannot detect",
		    "back the guest with large pages on the host (hugetlbfs, 2 MiB or 1 GiB)");
}

/* A numeric attribute of a cache of CPU 0; 0: missing. */
static unsigned long cache_number(int index, const char *file)
{
	char path[128], value[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu0/cache/index%d/%s", index, file);
	if (system_read(path, value, sizeof(value)))
		return 0;
	return strtoul(value, NULL, 10);
}

static int is_data_cache(int index)
{
	char path[128], value[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu0/cache/index%d/type", index);
	return !system_read(path, value, sizeof(value)) && strcmp(value, "Instruction");
}

/* Report the kernel's color function; without one, the colors of CPU 0's L2.  Return their number. */
static unsigned long check_function(struct checks *c)
{
	char info[4096], value[128], *reason;
	unsigned long colors = 0, level = 0, sets, line;
	int i;

	if (!system_read("/sys/kernel/mm/page_hint/color_info", info, sizeof(info))) {
		char *s = strstr(info, "colors ");

		colors = s ? strtoul(s + 7, NULL, 10) : 0;
		s = strstr(info, "cache_level ");
		level = s ? strtoul(s + 12, NULL, 10) : 0;
		reason = strstr(info, "reason ");
		if (reason)
			reason[strcspn(reason, "\n")] = '\0';
		if (level)
			snprintf(value, sizeof(value), "%lu, of the level %lu cache", colors,
				 level);
		else
			snprintf(value, sizeof(value), "%lu%s%.90s", colors,
				 reason ? ": " : ", given", reason ? reason + 7 : "");
	} else {
		for (i = 0; i < 8; i++) {
			if (cache_number(i, "level") != 2 || !is_data_cache(i))
				continue;
			sets = cache_number(i, "number_of_sets");
			line = cache_number(i, "coherency_line_size");
			level = 2;
			colors = sets * line / sysconf(_SC_PAGESIZE);
		}
		if (!level) {
			checks_add(c, "colors", WARN, "no caches in /sys",
			    "the machine does not report its caches",
			    "echo colors:N >/sys/kernel/mm/page_hint/color_function");
			return 0;
		}
		snprintf(value, sizeof(value), "%lu, of the level 2 cache", colors);
	}
	checks_add(c, "colors", colors > 1 ? GOOD : BAD, value,
	    "pages of one color map to the same sets of the cache: with fewer than two colors there"
	    " is nothing to choose",
	    "if a cache or the memory banks have more: echo level:N, colors:N or masks:0x...,0x..."
	    " >/sys/kernel/mm/page_hint/color_function");
	return colors;
}

/* Current last-level caches select the set by a hash of the address. */
static void check_llc(struct checks *c)
{
	unsigned long level, best = 0, sets = 0;
	char value[64], function[1024] = "";
	int i;

	for (i = 0; i < 8; i++) {
		level = cache_number(i, "level");
		if (level > best && is_data_cache(i)) {
			best = level;
			sets = cache_number(i, "number_of_sets");
		}
	}
	if (best < 3) {
		checks_add(c, "hashed_cache", GOOD, best ? "no level 3 cache" : "no caches in /sys",
		    "large caches select sets by a hash of the address", "");
		return;
	}
	system_read("/sys/kernel/mm/page_hint/color_function", function, sizeof(function));
	snprintf(value, sizeof(value), "level %lu, %lu sets%s", best, sets,
		 sets & (sets - 1) ? ", no power of two" : "");
	checks_add(c, "hashed_cache", strncmp(function, "masks:", 6) ? WARN : NOTE, value,
	    "the last-level cache of most processors selects sets by an undocumented hash: colors of"
	    " another level do not partition it",
	    "rely on colors only for the level they derive from; or set the hash, if it is known and"
	    " linear: echo masks:0x...,0x... >/sys/kernel/mm/page_hint/color_function");
}

static int thp_is(const char *path, const char *what)
{
	char value[128];

	return !system_read(path, value, sizeof(value)) && strstr(value, what);
}

static void check_thp(struct checks *c)
{
	char path[128], value[256] = "not there", sizes[192] = "";
	unsigned int kb;
	size_t n = 0;

	system_read("/sys/kernel/mm/transparent_hugepage/enabled", value, 128);
	if (!*value)
		strcpy(value, "not there");
	for (kb = 8; kb <= 4096; kb *= 2) {
		snprintf(path, sizeof(path),
			 "/sys/kernel/mm/transparent_hugepage/hugepages-%ukB/enabled", kb);
		if (thp_is(path, "[always]") && n < sizeof(sizes))
			n += snprintf(sizes + n, sizeof(sizes) - n, "%s%u",
				      n ? "," : "; always: ", kb);
	}
	if (n && n < sizeof(sizes))
		snprintf(sizes + n, sizeof(sizes) - n, " kB");
	strncat(value, sizes, sizeof(value) - strlen(value) - 1);
	checks_add(c, "thp", strstr(value, "[always]") || n ? WARN : GOOD, value,
	    "a large folio is placed as a whole: its first page determines all colors; all strategies"
	    " except coloring avoid large folios, which costs TLB misses; a later collapse moves"
	    " pages",
	    "echo madvise >/sys/kernel/mm/transparent_hugepage/enabled, or pagealloc run --order0");
}

static void check_shuffle(struct checks *c)
{
	char value[64];

	if (system_read("/sys/module/page_alloc/parameters/shuffle", value, sizeof(value)))
		strcpy(value, "not there");
	checks_add(c, "shuffle", *value == 'Y' || *value == '1' ? WARN : GOOD, value,
	    "free memory is in random order: the placement of pages without hints differs from boot"
	    " to boot", "boot without page_alloc.shuffle=1");
}

static void check_swap(struct checks *c)
{
	char text[4096], value[64];
	int lines = 0;
	char *s;

	system_read("/proc/swaps", text, sizeof(text));
	for (s = text; (s = strchr(s, '\n')); s++)
		lines++;
	snprintf(value, sizeof(value), lines ? "%d in use" : "none", lines);
	checks_add(c, "swap", lines ? WARN : GOOD, value,
	    "a page that is swapped in gets a new frame, which matches its hint if one is free",
	    "swapoff -a, or lock the memory: mlockall(2), PAGEALLOC_LOCK");
}

/* A line of /proc/meminfo, in KiB. */
static unsigned long meminfo(const char *text, const char *key)
{
	const char *s = strstr(text, key);

	return s ? strtoul(s + strlen(key), NULL, 10) : 0;
}

static void check_memory(struct checks *c)
{
	char text[4096], value[64] = "not known";
	unsigned long total, left;

	system_read("/proc/meminfo", text, sizeof(text));
	total = meminfo(text, "MemTotal:");
	left = meminfo(text, "MemFree:");
	if (total)
		snprintf(value, sizeof(value), "%lu of %lu MiB", left >> 10, total >> 10);
	checks_add(c, "free_memory", total && left < total / 10 ? WARN : GOOD, value,
	    "with less than a tenth of memory free, colors are supplied by evicting clean page cache;"
	    " where most memory is anonymous, many requests miss",
	    "leave more memory free, or give programs fewer pages; pagealloc stats shows misses");
}

static void check_nodes(struct checks *c)
{
	char value[128];

	if (system_read("/sys/devices/system/node/online", value, sizeof(value)))
		strcpy(value, "not there");
	checks_add(c, "numa_nodes", strpbrk(value, "-,") ? NOTE : GOOD, value,
	    "colors are searched only on the node that the allocation would use anyway",
	    "bind the program: numactl --cpunodebind=N --membind=N");
}


/**
 * check_colors() - check whether page colors can work, and what moves pages away from theirs
 * @c: gets the rows
 *
 * Return: number of colors; 0: not known.
 */
unsigned long check_colors(struct checks *c)
{
	unsigned long colors;

	check_vm(c);
	colors = check_function(c);
	check_llc(c);
	check_thp(c);
	check_shuffle(c);
	check_knobs(c);
	check_swap(c);
	check_memory(c);
	check_nodes(c);
	return colors;
}
