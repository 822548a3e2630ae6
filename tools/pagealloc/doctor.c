// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * pagealloc doctor: check whether page colors work on this machine, and which settings
 * move pages away from their color.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/numbers.h"
#include "cli.h"

enum state { GOOD, NOTE, WARN, BAD };

static const char * const state_names[] = { "ok", "note", "warn", "bad" };

/* The table, and the number of rows per state. */
struct doctor {
	struct table table;
	unsigned long colors;
	int nr[BAD + 1];
	int failed;
};

static const struct columns doctor_columns = COLUMNS(
	{ "check", CELL_TEXT, 0, "", "what was checked" },
	{ "state", CELL_TEXT, 0, "", "ok, note, warn or bad" },
	{ "value", CELL_TEXT, 0, "", "value found" },
	{ "why", CELL_TEXT, 0, "", "why it matters" },
	{ "fix", CELL_TEXT, 0, "", "how to change it", "nothing is to be done, or can be" },
);

static void add_check(struct doctor *d, const char *check, enum state state, const char *value,
		const char *why, const char *fix)
{
	d->nr[state]++;
	d->failed |= table_add(&d->table, (struct cell[]){
		TEXT_CELL(check), TEXT_CELL(state_names[state]), TEXT_CELL(value), TEXT_CELL(why),
		state != GOOD && *fix ? TEXT_CELL(fix) : NONE_CELL });
}

/* A numeric setting that should be 0, or @off. */
struct knob {
	const char *check, *path, *why, *fix;
	enum state state;		/* state to report if it is not */
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

static void check_knobs(struct doctor *d)
{
	const struct knob *k;
	char value[64];

	for (k = knobs; k->check; k++) {
		if (system_read(k->path, value, sizeof(value)))
			add_check(d, k->check, GOOD, "not there", k->why, "");
		else if (!strcmp(value, "0") || (k->off && !strcmp(value, k->off)))
			add_check(d, k->check, GOOD, value, k->why, "");
		else
			add_check(d, k->check, k->state, value, k->why, k->fix);
	}
}

static void check_kernel(struct doctor *d)
{
	char path[4096], value[64];

	snprintf(path, sizeof(path), "%s/proc/self/page_hints", system_root());
	if (access(path, F_OK)) {
		add_check(d, "kernel", BAD, "no page hints",
		    "hints need a kernel with the memscope series and CONFIG_PAGE_HINT",
		    "build and boot it: make deb; the other checks assume page hints");
		return;
	}
	add_check(d, "kernel", GOOD, "has page hints", "hints need CONFIG_PAGE_HINT", "");
	if (!system_read("/proc/sys/vm/page_hints_unprivileged", value, sizeof(value)))
		add_check(d, "unprivileged", GOOD, value,
		    "0: hints need CAP_SYS_NICE; 1: all users may set hints that name no frame", "");
	if (!system_read("/proc/sys/vm/page_hints_inherit", value, sizeof(value)))
		add_check(d, "inherit", atoi(value) & PAGE_HINTS_EXEC_DEFAULT &&
		    atoi(value) & PAGE_HINTS_FORK_DEFAULT ? GOOD : NOTE, value,
		    "1: children, 4: new programs may inherit the default hint, 2: children the ranges",
		    "sysctl vm.page_hints_inherit=7");
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

static void check_vm(struct doctor *d)
{
	char type[64];
	int xen = !system_read("/sys/hypervisor/type", type, sizeof(type));

	if (!xen && !cpu_has("flags", "hypervisor"))
		add_check(d, "virtual_machine", GOOD, "no", "frames are the machine's", "");
	else
		add_check(d, "virtual_machine", WARN, "yes",
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

/* Report the kernel's color function; without one, the colors of CPU 0's L2. */
static void check_colors(struct doctor *d)
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
			add_check(d, "colors", WARN, "no caches in /sys",
			    "the machine does not report its caches",
			    "echo colors:N >/sys/kernel/mm/page_hint/color_function");
			return;
		}
		snprintf(value, sizeof(value), "%lu, of the level 2 cache", colors);
	}
	d->colors = colors;
	add_check(d, "colors", colors > 1 ? GOOD : BAD, value,
	    "pages of one color map to the same sets of the cache: with fewer than two colors there"
	    " is nothing to choose",
	    "if a cache or the memory banks have more: echo level:N, colors:N or masks:0x...,0x..."
	    " >/sys/kernel/mm/page_hint/color_function");
}

/* Current last-level caches select the set by a hash of the address. */
static void check_llc(struct doctor *d)
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
		add_check(d, "hashed_cache", GOOD, best ? "no level 3 cache" : "no caches in /sys",
		    "large caches select sets by a hash of the address", "");
		return;
	}
	system_read("/sys/kernel/mm/page_hint/color_function", function, sizeof(function));
	snprintf(value, sizeof(value), "level %lu, %lu sets%s", best, sets,
		 sets & (sets - 1) ? ", no power of two" : "");
	add_check(d, "hashed_cache", strncmp(function, "masks:", 6) ? WARN : NOTE, value,
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

static void check_thp(struct doctor *d)
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
	add_check(d, "thp", strstr(value, "[always]") || n ? WARN : GOOD, value,
	    "a large folio is placed as a whole: its first page determines all colors; all strategies"
	    " except coloring avoid large folios, which costs TLB misses; a later collapse moves"
	    " pages",
	    "echo madvise >/sys/kernel/mm/transparent_hugepage/enabled, or pagealloc run --order0");
}

static void check_shuffle(struct doctor *d)
{
	char value[64];

	if (system_read("/sys/module/page_alloc/parameters/shuffle", value, sizeof(value)))
		strcpy(value, "not there");
	add_check(d, "shuffle", *value == 'Y' || *value == '1' ? WARN : GOOD, value,
	    "free memory is in random order: the placement of pages without hints differs from boot"
	    " to boot", "boot without page_alloc.shuffle=1");
}

static void check_swap(struct doctor *d)
{
	char text[4096], value[64];
	int lines = 0;
	char *s;

	system_read("/proc/swaps", text, sizeof(text));
	for (s = text; (s = strchr(s, '\n')); s++)
		lines++;
	snprintf(value, sizeof(value), lines ? "%d in use" : "none", lines);
	add_check(d, "swap", lines ? WARN : GOOD, value,
	    "a page that is swapped in gets a new frame, which matches its hint if one is free",
	    "swapoff -a, or lock the memory: mlockall(2), PAGEALLOC_LOCK");
}

/* A line of /proc/meminfo, in KiB. */
static unsigned long meminfo(const char *text, const char *key)
{
	const char *s = strstr(text, key);

	return s ? strtoul(s + strlen(key), NULL, 10) : 0;
}

static void check_memory(struct doctor *d)
{
	char text[4096], value[64] = "not known";
	unsigned long total, left;

	system_read("/proc/meminfo", text, sizeof(text));
	total = meminfo(text, "MemTotal:");
	left = meminfo(text, "MemFree:");
	if (total)
		snprintf(value, sizeof(value), "%lu of %lu MiB", left >> 10, total >> 10);
	add_check(d, "free_memory", total && left < total / 10 ? WARN : GOOD, value,
	    "with less than a tenth of memory free, colors are supplied by evicting clean page cache;"
	    " where most memory is anonymous, many requests miss",
	    "leave more memory free, or give programs fewer pages; pagealloc stats shows misses");
}

/* Number of colors that a hint uses; 0: all. */
static unsigned int colors_of(const struct pagealloc_hint *hint)
{
	static uint64_t set[PAGE_HINTS_MAX_COLORS / 64];
	const uint32_t *table = hint->arg;
	unsigned int nr = 0;
	size_t i;

	if (!strcmp(hint->strategy, "partition")) {
		memcpy(set, hint->arg, hint->arg_size);
	} else if (!strcmp(hint->strategy, "modulo")) {
		for (i = 0; i < hint->arg_size / sizeof(*table); i++)
			set[table[i] / 64] |= UINT64_C(1) << table[i] % 64;
	}
	for (i = 0; i < sizeof(set) / sizeof(set[0]); i++)
		nr += __builtin_popcountll(set[i]);
	return nr;
}

/*
 * A hint uses @used of every @colors consecutive frames, so its memory spreads over
 * @size * colors / used bytes.  In that area no free block is larger than the gap
 * between two frames of the set.
 */
static void check_set(struct doctor *d, const struct pagealloc_hint *hint, uint64_t size,
		      unsigned long colors)
{
	unsigned int used = colors_of(hint);
	char value[128];
	uint64_t span;

	if (!used || used > colors || colors < 2) {
		add_check(d, "large_blocks", GOOD, "all colors are used",
		    "the strategy breaks up no more memory than it uses", "");
		return;
	}
	span = size / 1024 * colors / used;
	snprintf(value, sizeof(value), "%" PRIu64 " KiB in %u of %lu colors: of %" PRIu64
		 " KiB, %" PRIu64 " blocks of 2 MiB", size / 1024, used, colors, span,
		 (span + 2047) / 2048);
	add_check(d, "large_blocks", used < colors ? WARN : GOOD, value,
	    "memory in U of C colors spreads over C/U times its size and leaves no large block there:"
	    " that area is lost to huge pages, hugetlbfs and compaction",
	    "use more colors, or less memory; reserve huge pages first");
}

static void check_nodes(struct doctor *d)
{
	char value[128];

	if (system_read("/sys/devices/system/node/online", value, sizeof(value)))
		strcpy(value, "not there");
	add_check(d, "numa_nodes", strpbrk(value, "-,") ? NOTE : GOOD, value,
	    "colors are searched only on the node that the allocation would use anyway",
	    "bind the program: numactl --cpunodebind=N --membind=N");
}

/* Print row by row: the texts are too long for columns. */
static int print_text(const struct doctor *d, FILE *f)
{
	const struct cell *row = d->table.cells;
	size_t i;

	for (i = 0; i < d->table.nr_cells; i += 5, row += 5) {
		fprintf(f, "%-4s  %s: %s\n", row[1].text, row[0].text, row[2].text);
		if (row[4].type == CELL_NONE)
			continue;
		fprintf(f, "      %s\n      do: %s\n", row[3].text, row[4].text);
	}
	fputc('\n', f);
	if (d->nr[BAD])
		fputs("Page colors do not work on this machine.\n", f);
	else if (d->nr[WARN])
		fprintf(f, "Page colors work, with %d warning%s.\n",
			d->nr[WARN], d->nr[WARN] > 1 ? "s" : "");
	else
		fputs("Page colors work.\n", f);
	return fflush(f) || ferror(f);
}

static int print(struct doctor *d, const struct output *o)
{
	struct outfile out;
	int failed;

	if (outfile_open(&out, o->path))
		return FAILED;
	failed = o->format == TABLE_TEXT ? print_text(d, out.f) :
					   table_print(&d->table, o->format, out.f);
	return outfile_close(&out, failed);
}

static const struct verb_usage usage = {
	.command = "pagealloc doctor", .operands = "[options]",
	.about = "Report whether page colors work on this machine, which settings move pages away from their color, "
		 "and how to change these.  The exit status is 1 if page colors do not work.",
};

int cmd_doctor(int argc, char **argv)
{
	struct pagealloc_hint *hint = NULL;
	const char *strategy = NULL;
	uint64_t size = 64 << 20;
	struct output out = { };
	struct doctor d = { };
	char error[512];
	const struct opt options[] = {
		OPT_TEXT(0, "strategy", "NAME[:ARG]", &strategy, "also report how many large blocks this strategy breaks up"),
		OPT_SIZE(0, "size", "SIZE", &size, 1, OPT_NUMBER_MAX, "for this amount of memory (default 64M)"),
		OPT_CHANGED('s', NULL, "--strategy"), OUTPUT_OPTIONS(&out), { }
	};
	int ret;

	options_parse(&usage, options, argc, argv);
	if (out.explain)
		return output_explain(&out, &doctor_columns);
	if (strategy && pagealloc_hint_parse(strategy, 0, &hint, error, sizeof(error)))
		return complain(USAGE, "--strategy %s", error);
	table_init_columns(&d.table, &doctor_columns);
	check_kernel(&d);
	check_vm(&d);
	check_colors(&d);
	check_llc(&d);
	check_thp(&d);
	check_shuffle(&d);
	check_knobs(&d);
	check_swap(&d);
	check_memory(&d);
	check_nodes(&d);
	if (hint)
		check_set(&d, hint, size, d.colors);
	pagealloc_hint_free(hint);
	ret = d.failed ? complain(FAILED, "no memory left") : print(&d, &out);
	table_free(&d.table);
	return ret ? ret : d.nr[BAD] ? FAILED : OK;
}
