// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* The machine: its nodes, which CPUs and which memory they have. */
#include <errno.h>
#include <limits.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/complain.h"
#include "system.h"

#define NODES	"/sys/devices/system/node"

static int read_text(const char *root, const char *path, char *text, size_t size)
{
	char name[PATH_MAX];
	size_t n;
	FILE *f;

	snprintf(name, sizeof(name), "%s%s", root, path);
	f = fopen(name, "re");
	if (!f)
		return -1;
	n = fread(text, 1, size - 1, f);
	text[n] = '\0';
	fclose(f);
	return 0;
}

/* For each number of a list such as "0-3,8". */
static void each_number(const char *list, void (*take)(struct machine *m, int number, int arg),
			struct machine *m, int arg)
{
	char *end;
	long a, b;

	while (*list >= '0' && *list <= '9') {
		a = b = strtol(list, &end, 10);
		if (*end == '-')
			b = strtol(end + 1, &end, 10);
		for (; a <= b; a++)
			take(m, a, arg);
		list = *end == ',' ? end + 1 : end;
	}
}

static void take_online(struct machine *m, int cpu, int unused)
{
	(void)unused;
	if (cpu >= MAX_CPUS)
		return;
	m->online[cpu] = true;
	if (cpu >= m->nr_cpus)
		m->nr_cpus = cpu + 1;
}

static void take_cpu(struct machine *m, int cpu, int node)
{
	if (cpu >= MAX_CPUS)
		return;
	m->cpu_node[cpu] = node;
	if (cpu >= m->nr_cpus)
		m->nr_cpus = cpu + 1;
}

static int add_range(struct machine *m, uint64_t first, uint64_t end, int node)
{
	struct pfn_range *r;

	if (m->nr_ranges && m->memory[m->nr_ranges - 1].node == node &&
	    m->memory[m->nr_ranges - 1].end == first) {
		m->memory[m->nr_ranges - 1].end = end;
		return 0;
	}
	r = realloc(m->memory, (m->nr_ranges + 1) * sizeof(*r));
	if (!r)
		return -1;
	m->memory = r;
	r[m->nr_ranges++] = (struct pfn_range){ first, end, node };
	return 0;
}

static int by_first(const void *a, const void *b)
{
	const struct pfn_range *x = a, *y = b;

	return x->first < y->first ? -1 : x->first > y->first;
}

/* Memory blocks, where the kernel shows them (CONFIG_MEMORY_HOTPLUG). */
static int read_blocks(struct machine *m, const char *root, int node)
{
	const long page = sysconf(_SC_PAGESIZE);
	char path[PATH_MAX], text[64];
	struct dirent *d;
	uint64_t pages;
	DIR *dir;
	int ret = 0;

	if (read_text(root, "/sys/devices/system/memory/block_size_bytes", text, sizeof(text)))
		return 0;
	pages = strtoull(text, NULL, 16) / page;
	snprintf(path, sizeof(path), "%s" NODES "/node%d", root, node);
	dir = opendir(path);
	while (dir && !ret && (d = readdir(dir))) {
		char *end;
		uint64_t block;

		if (strncmp(d->d_name, "memory", 6) || d->d_name[6] < '0' || d->d_name[6] > '9')
			continue;
		block = strtoull(d->d_name + 6, &end, 10);
		if (!*end)
			ret = add_range(m, block * pages, (block + 1) * pages, node);
	}
	if (dir)
		closedir(dir);
	return ret;
}

/* Else the spans of zones: those of nodes may overlap, but seldom do. */
static int read_zones(struct machine *m, const char *root)
{
	char path[PATH_MAX], line[256];
	unsigned long spanned = 0, start;
	int node = 0, ret = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/proc/zoneinfo", root);
	f = fopen(path, "re");
	while (f && !ret && fgets(line, sizeof(line), f)) {
		sscanf(line, "Node %d,", &node);
		sscanf(line, " spanned %lu", &spanned);
		if (sscanf(line, " start_pfn: %lu", &start) == 1 && spanned)
			ret = add_range(m, start, start + spanned, node);
	}
	if (f)
		fclose(f);
	return ret;
}

/**
 * machine_read() - look at this machine
 * @m: filled in; to be freed with machine_free()
 * @root: where /sys and /proc are, "" for this machine's
 *
 * Return: OK, or FAILED after saying why.
 */
int machine_read(struct machine *m, const char *root)
{
	char path[PATH_MAX], text[8192], *p, *end;
	int node, to, ret = 0;

	memset(m, 0, sizeof(*m));
	if (read_text(root, "/sys/devices/system/cpu/online", text, sizeof(text)))
		return complain(FAILED, "/sys/devices/system/cpu/online: %s", strerror(errno));
	each_number(text, take_online, m, 0);
	for (node = 0; node < MAX_NODES; node++) {
		snprintf(path, sizeof(path), NODES "/node%d/cpulist", node);
		if (read_text(root, path, text, sizeof(text)))
			continue;
		m->nr_nodes = node + 1;
		each_number(text, take_cpu, m, node);
		snprintf(path, sizeof(path), NODES "/node%d/distance", node);
		if (!read_text(root, path, text, sizeof(text)))
			for (to = 0, p = text; to < MAX_NODES; to++, p = end) {
				m->distance[node][to] = strtol(p, &end, 10);
				if (end == p)
					break;
			}
		ret |= read_blocks(m, root, node);
	}
	if (!m->nr_nodes) {
		m->nr_nodes = 1;
		m->distance[0][0] = 10;
	}
	if (!m->nr_ranges)
		ret |= read_zones(m, root);
	if (ret)
		return complain(FAILED, "no memory left");
	if (m->nr_ranges)
		qsort(m->memory, m->nr_ranges, sizeof(*m->memory), by_first);
	return OK;
}

/** machine_free() - forget a machine */
void machine_free(struct machine *m)
{
	free(m->memory);
}

/**
 * machine_node_of_pfn() - whose a frame is
 * @m: the machine
 * @pfn: the frame
 *
 * Return: the node, -1 if there is no such frame.
 */
int machine_node_of_pfn(const struct machine *m, uint64_t pfn)
{
	int low = 0, high = m->nr_ranges;

	while (low < high) {
		int mid = (low + high) / 2;

		if (m->memory[mid].end <= pfn)
			low = mid + 1;
		else
			high = mid;
	}
	return low < m->nr_ranges && m->memory[low].first <= pfn ? m->memory[low].node : -1;
}
