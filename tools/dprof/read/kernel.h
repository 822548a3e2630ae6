/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* The kernel's own memory in perf.data files: regions, and symbols by kallsyms. */
#ifndef DPROF_KERNEL_H
#define DPROF_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A module, or the kernel's image, as perf recorded where it was. */
struct kernel_map {
	uint64_t start, end;
	char name[56];
};

/**
 * struct kernel - the kernel that was recorded
 * @x86: it is of x86-64
 * @text: address of _text, or if @text_is_stext of _stext, that the file has; 0: not known
 * @symbols: it was found which symbols it has
 * @image: bounds of its image by these
 */
struct kernel {
	bool x86, text_is_stext;
	uint64_t text, image, image_end;
	bool symbols;
	struct kernel_map *map;
	size_t nr_maps, maps_capacity;
};

/* What is known of an address of the kernel without symbols of it. */
enum kernel_region { REGION_IMAGE, REGION_MODULE, REGION_DIRECT, REGION_VMALLOC, REGION_CPU_ENTRY,
		     REGION_FIXMAP, REGION_KERNEL };

typedef int kernel_symbols_fn(void *ctx, const char *text, size_t size);

int kernel_map_add(struct kernel *k, const char *name, uint64_t start, uint64_t length, uint64_t offset);
int kernel_read_symbols(struct kernel *k, const char *path, const char *release, kernel_symbols_fn *take,
			void *ctx, char *error, size_t size);
enum kernel_region kernel_region(const struct kernel *k, uint64_t addr, uint64_t phys, const char **module);
void kernel_free(struct kernel *k);

#endif
