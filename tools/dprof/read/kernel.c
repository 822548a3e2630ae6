// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * perf.data files have the address of the kernel's first symbol, and where its modules are.
 * Symbols are in /proc/kallsyms, of the running kernel, or in a copy of it.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "kernel.h"

/* Documentation/arch/x86/x86_64/mm.rst: what is at the same place in all kernels. */
#define X86_IMAGE	0xffffffff80000000ULL
#define X86_MODULES	0xffffffffa0000000ULL
#define X86_FIXMAP	0xffffffffff000000ULL
#define X86_CPU_ENTRY	0xfffffe0000000000ULL
#define X86_CPU_ENTRY_END 0xfffffe8000000000ULL
/* The direct map begins at a multiple of this; so does no other mapping, but by chance. */
#define DIRECT_ALIGN	(1ULL << 30)

/**
 * kernel_map_add() - a mapping of no process
 * @k: the kernel
 * @name: "[kernel.kallsyms]_text", "[module]", or the path of one
 * @start, @length: where
 * @offset: of the first, the address of the symbol
 *
 * Return: 0, or -1 without memory.
 */
int kernel_map_add(struct kernel *k, const char *name, uint64_t start, uint64_t length, uint64_t offset)
{
	static const char image[] = "[kernel.kallsyms]";
	const char *base = strrchr(name, '/');
	struct kernel_map *m;
	size_t n;

	if (!strncmp(name, image, strlen(image))) {
		if (!k->text) {
			k->text = offset ? offset : start;
			k->text_is_stext = !strcmp(name + strlen(image), "_stext");
		}
		return 0;
	}
	if (length > UINT64_MAX - start || (*name != '[' && !base))
		return 0;
	if (k->nr_maps == k->maps_capacity) {
		k->maps_capacity = k->maps_capacity * 2 + 64;
		m = realloc(k->map, k->maps_capacity * sizeof(*m));
		if (!m)
			return -1;
		k->map = m;
	}
	/* /lib/modules/.../nf-nat.ko.xz is the module nf_nat. */
	name = base ? base + 1 : name + 1;
	m = &k->map[k->nr_maps++];
	m->start = start;
	m->end = start + length;
	n = strcspn(name, base ? "." : "]");
	snprintf(m->name, sizeof(m->name), "%.*s", (int)(n < sizeof(m->name) ? n : sizeof(m->name) - 1), name);
	for (base = strchr(m->name, '-'); base; base = strchr(base, '-'))
		m->name[base - m->name] = '_';
	return 0;
}

/* Lines of kallsyms. */
struct text {
	char *text;
	size_t size;
	uint64_t ref, first, last;	/* of _text and _end; 0: not there */
	uint64_t stext;
};

static int read_text(const char *path, struct text *t)
{
	FILE *f = fopen(path, "re"), *out;
	char *line = NULL, name[16], type;
	size_t capacity = 0;
	uint64_t addr;

	if (!f)
		return -1;
	out = open_memstream(&t->text, &t->size);
	while (out && getline(&line, &capacity, f) > 0) {
		if (sscanf(line, "%" SCNx64 " %c %15s", &addr, &type, name) == 3) {
			if (!strcmp(name, "_text"))
				t->first = addr;
			else if (!strcmp(name, "_stext"))
				t->stext = addr;
			else if (!strcmp(name, "_end"))
				t->last = addr;
		}
		fputs(line, out);
	}
	free(line);
	if (fclose(f) || !out || fclose(out) || !t->text) {
		errno = ENOMEM;
		return -1;
	}
	if (!t->first)
		t->first = t->stext;
	if (!t->stext)
		t->stext = t->first;
	return 0;
}

/*
 * Give the symbols away, those of the image moved to where the recorded kernel had it.  Where
 * that moves, modules were somewhere else, too.
 */
static int send(const struct text *t, uint64_t by, kernel_symbols_fn *take, void *ctx)
{
	const char *line, *end, *rest;
	char moved[640];
	uint64_t addr;
	int ret = 0, n;

	for (line = t->text; *line && !ret; line = end) {
		end = strchrnul(line, '\n');
		end += *end == '\n';
		addr = strtoull(line, (char **)&rest, 16);
		/* Offsets in per-CPU memory are below. */
		if (rest == line || rest > end || !(addr >> 63) ||
		    (by && (addr < t->first || addr > t->last)))
			continue;
		addr += by;
		n = snprintf(moved, sizeof(moved), "%016" PRIx64 "%.*s", addr, (int)(end - rest), rest);
		if (n > 0 && (size_t)n < sizeof(moved) && moved[n - 1] == '\n')
			ret = take(ctx, moved, n);
	}
	return ret;
}

/**
 * kernel_read_symbols() - read the kernel's symbols, if they are those of the recorded kernel
 * @k: the kernel, with its first mapping
 * @path: a copy of its /proc/kallsyms; NULL: that of the running one
 * @release: as uname -r had it
 * @take: takes whole lines of kallsyms
 * @ctx: for @take
 * @error: set if @path is wrong
 * @size: of @error
 *
 * Return: 0; -1 with @error set; else what @take returned.
 */
int kernel_read_symbols(struct kernel *k, const char *path, const char *release, kernel_symbols_fn *take,
			void *ctx, char *error, size_t size)
{
	struct text t = { };
	struct utsname name;
	int ret = 0;

	if (!path && (uname(&name) || strcmp(name.release, release)))
		return 0;
	if (read_text(path ? path : "/proc/kallsyms", &t)) {
		if (path)
			snprintf(error, size, "%s: %s", path, strerror(errno));
		ret = path ? -1 : 0;
	} else if (!t.first || t.last <= t.first) {
		/* Who may not read addresses sees zeros. */
		if (path)
			snprintf(error, size, "%s: not a /proc/kallsyms with addresses (_text, _end)", path);
		ret = path ? -1 : 0;
	} else if (path || (k->text && k->text == (k->text_is_stext ? t.stext : t.first))) {
		const uint64_t by = k->text ? k->text - (k->text_is_stext ? t.stext : t.first) : 0;

		k->symbols = true;
		k->image = t.first + by;
		k->image_end = t.last + by;
		ret = send(&t, by, take, ctx);
	}
	free(t.text);
	return ret;
}

/**
 * kernel_region() - what the kernel has at an address
 * @k: the kernel
 * @addr: its address
 * @phys: the physical one; 0: not known
 * @module: gets the name of REGION_MODULE, "" if it is not known
 *
 * Return: the region.
 */
enum kernel_region kernel_region(const struct kernel *k, uint64_t addr, uint64_t phys, const char **module)
{
	size_t i;

	*module = "";
	if (k->symbols && addr >= k->image && addr < k->image_end)
		return REGION_IMAGE;
	for (i = 0; i < k->nr_maps; i++)
		if (addr >= k->map[i].start && addr < k->map[i].end) {
			*module = k->map[i].name;
			return REGION_MODULE;
		}
	if (k->x86 && addr >= X86_FIXMAP)
		return REGION_FIXMAP;
	if (k->x86 && addr >= X86_MODULES && !(k->text && addr - k->text < DIRECT_ALIGN / 8))
		return REGION_MODULE;
	if (k->x86 && addr >= X86_IMAGE)
		return REGION_IMAGE;
	if (k->x86 && addr >= X86_CPU_ENTRY && addr < X86_CPU_ENTRY_END)
		return REGION_CPU_ENTRY;
	if (!phys)
		return REGION_KERNEL;
	return (addr - phys) % DIRECT_ALIGN ? REGION_VMALLOC : REGION_DIRECT;
}

/** kernel_free() - free what it has */
void kernel_free(struct kernel *k)
{
	free(k->map);
}
