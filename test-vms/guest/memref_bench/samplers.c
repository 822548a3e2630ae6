// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * memref_bench: memref, page_idle and clear_refs: begin an interval, end it, report the used
 * pages.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

void memref_on(pid_t pid)
{
	put(TRACEFS "memref/interval_ms", "0");
	put(TRACEFS "memref_pid", "%d", pid);
	put(TRACEFS "events/memref/memref_scan/enable", "1");
	put(TRACEFS "memref/scan", "1");
}

void memref_off(void)
{
	put(TRACEFS "events/memref/memref_scan/enable", "0");
	put(TRACEFS "memref_pid", "\n");
	put(TRACEFS "memref/flush", "1");
	put(TRACEFS "memref/write", "off");
}

void memref_end(struct target *t, struct found *f)
{
	static uint64_t map[1 << 17];
	int fd;

	put(TRACEFS "memref/scan", "1");
	fd = open(TRACEFS "memref/bitmap_user", O_RDONLY);
	if (fd < 0 || read(fd, map, sizeof(map)) < 4096)
		die("bitmap_user");
	close(fd);
	f->has_pages = true;
	for (unsigned long i = 0; i < MAX_PAGES; i++)
		f->page[i] = map[t->pfn[i] / 64] >> t->pfn[i] % 64 & 1;
}

/* page_idle; only the target's pages are marked. */
static uint64_t idle_low, idle_high;	/* words of the bitmap */

static uint64_t *idle_bitmap(struct target *t)
{
	static uint64_t map[1 << 17];

	memset(map, 0, sizeof(map));
	idle_low = UINT64_MAX;
	idle_high = 0;
	for (unsigned long i = 0; i < MAX_PAGES; i++) {
		uint64_t word = t->pfn[i] / 64;

		map[word] |= 1ull << t->pfn[i] % 64;
		idle_low = word < idle_low ? word : idle_low;
		idle_high = word > idle_high ? word : idle_high;
	}
	return map;
}

/*
 * At the end of memory, a word in part: the kernel does what is asked of its frames, and does not
 * return it; /proc/kpageflags has it then.
 */
static uint64_t idle_word(uint64_t word)
{
	const int kpf_idle = 25;
	uint64_t flags[64] = { 0 }, idle = 0;
	int fd = open("/proc/kpageflags", O_RDONLY);

	if (fd < 0 || pread(fd, flags, sizeof(flags), word * sizeof(flags)) < 0)
		die("kpageflags");
	close(fd);
	for (int i = 0; i < 64; i++)
		idle |= (flags[i] >> kpf_idle & 1) << i;
	return idle;
}

static void idle_io(uint64_t *map, bool set)
{
	int fd = open("/sys/kernel/mm/page_idle/bitmap", O_RDWR);

	if (fd < 0)
		die("page_idle");
	/* As much as the kernel takes at once: it is a page. */
	for (uint64_t at = idle_low * 8; at < (idle_high + 1) * 8;) {
		size_t n = (idle_high + 1) * 8 - at;
		ssize_t done = set ? pwrite(fd, (char *)map + at, n, at) :
				     pread(fd, (char *)map + at, n, at);

		if (done < 0 || (!done && at < idle_high * 8))
			die("page_idle");
		if (!done && !set)
			map[idle_high] = idle_word(idle_high);
		if (!done)
			break;
		at += done;
	}
	close(fd);
}

void idle_begin(struct target *t)
{
	idle_io(idle_bitmap(t), true);
}

void idle_end(struct target *t, struct found *f)
{
	uint64_t *map = idle_bitmap(t);

	idle_io(map, false);
	f->has_pages = true;
	for (unsigned long i = 0; i < MAX_PAGES; i++)
		f->page[i] = !(map[t->pfn[i] / 64] >> t->pfn[i] % 64 & 1);
}

void refs_begin(struct target *t)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/clear_refs", t->pid);
	put(path, "1");
}

/* smaps reports a number for each mapping, not pages. */
void refs_end(struct target *t, struct found *f)
{
	unsigned long long start, end, kb;
	char path[64], line[512];
	bool mine = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/smaps", t->pid);
	file = fopen(path, "r");
	if (!file)
		die(path);
	f->has_pages = false;
	f->pages = 0;
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%llx-%llx ", &start, &end) == 2)
			mine = start < (uintptr_t)t->memory + MAX_PAGES * PAGE &&
			       end > (uintptr_t)t->memory;
		else if (mine && sscanf(line, "Referenced: %llu", &kb) == 1)
			f->pages += kb / 4;
	}
	fclose(file);
}

/* A field of the last memref_scan. */
uint64_t last_scan(const char *field)
{
	unsigned long long n = 0;
	char line[1024], key[32];
	FILE *f = fopen(TRACEFS "trace", "r");

	if (!f)
		die("trace");
	snprintf(key, sizeof(key), " %s=", field);
	while (fgets(line, sizeof(line), f)) {
		char *at = strstr(line, "memref_scan:");

		at = at ? strstr(at, key) : NULL;
		if (at)
			sscanf(at + strlen(key), "%llu", &n);
	}
	fclose(f);
	return n;
}

double scan_insns(void)
{
	return last_scan("end") - last_scan("scan");
}
