// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* The kernel's symbols, from the text of /proc/kallsyms. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols.h"

/* An address farther behind the last symbol than this is not part of it. */
#define MAX_SYMBOL_SIZE	(16ULL << 20)

/* Return the offset of the name in s->names, or -1 without memory. */
static int64_t add_name(struct symbols *s, const char *name, size_t length)
{
	size_t at = s->nr_names;

	if (at + length + 1 > s->names_capacity) {
		size_t capacity = s->names_capacity * 2 + length + 4096;
		char *names = realloc(s->names, capacity);

		if (!names)
			return -1;
		s->names = names;
		s->names_capacity = capacity;
	}
	memcpy(s->names + at, name, length);
	s->names[at + length] = '\0';
	s->nr_names += length + 1;
	return at;
}

static int add_symbol(struct symbols *s, uint64_t addr, const char *name, const char *module)
{
	size_t length = strcspn(name, " \t\n");
	int64_t n, m = 0;

	/* Skip symbols of the padding in front of functions (CONFIG_CFI, CALL_PADDING). */
	if (!strncmp(name, "__pfx_", 6))
		return 0;
	if (s->nr == s->capacity) {
		size_t capacity = s->capacity * 2 + 1024;
		struct symbol *symbol = realloc(s->symbol, capacity * sizeof(*symbol));

		if (!symbol)
			return -1;
		s->symbol = symbol;
		s->capacity = capacity;
	}
	if (!s->nr_names && add_name(s, "", 0) < 0)
		return -1;
	n = add_name(s, name, length);
	if (module)
		m = add_name(s, module, strcspn(module, "]\n"));
	if (n < 0 || m < 0)
		return -1;
	s->symbol[s->nr] = (struct symbol){ addr, n, m, s->nr };
	s->nr++;
	s->sorted = 0;
	return 0;
}

/**
 * symbols_add() - add symbols
 * @s: the symbols
 * @text: whole lines of /proc/kallsyms; malformed lines are skipped
 * @size: of @text
 *
 * Return: 0, or -1 without memory.
 */
int symbols_add(struct symbols *s, const char *text, size_t size)
{
	const char *end = text + size, *eol;
	char line[600], *name, *module;

	for (; text < end; text = eol + 1) {
		uint64_t addr;
		char *rest;
		size_t n;

		eol = memchr(text, '\n', end - text);
		if (!eol)
			break;
		n = (size_t)(eol - text) < sizeof(line) ? (size_t)(eol - text) : sizeof(line) - 1;
		memcpy(line, text, n);
		line[n] = '\0';
		addr = strtoull(line, &rest, 16);
		if (rest == line || rest[0] != ' ' || !rest[1] || rest[2] != ' ' || !rest[3])
			continue;
		name = rest + 3;
		module = strchr(name, '[');
		if (add_symbol(s, addr, name, module ? module + 1 : NULL))
			return -1;
	}
	return 0;
}

static int by_address(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

/**
 * symbols_sort() - sort by address, after all symbols were added
 * @s: the symbols
 */
void symbols_sort(struct symbols *s)
{
	if (!s->sorted && s->nr)
		qsort(s->symbol, s->nr, sizeof(*s->symbol), by_address);
	s->sorted = 1;
}

/**
 * symbols_find() - find the symbol that contains an address
 * @s: the symbols
 * @addr: an address, or the offset of a per-CPU variable in its area
 *
 * If an address has several names, the first in kallsyms is returned.
 *
 * Return: the symbol, or NULL.
 */
const struct symbol *symbols_find(struct symbols *s, uint64_t addr)
{
	size_t low = 0, high = s->nr;

	symbols_sort(s);
	while (low < high) {
		size_t middle = (low + high) / 2;

		if (s->symbol[middle].addr <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || addr - s->symbol[low - 1].addr > MAX_SYMBOL_SIZE)
		return NULL;
	low--;
	while (low && s->symbol[low - 1].addr == s->symbol[low].addr)
		low--;
	return &s->symbol[low];
}

/**
 * symbols_name() - the name of the function or variable at an address
 * @s: the symbols
 * @addr: the address
 * @buf: buffer for the number of an address without a name
 * @size: of @buf
 *
 * Return: the name, or @buf.
 */
const char *symbols_name(struct symbols *s, uint64_t addr, char *buf, size_t size)
{
	const struct symbol *symbol = symbols_find(s, addr);

	if (symbol)
		return s->names + symbol->name;
	snprintf(buf, size, "0x%" PRIx64, addr);
	return buf;
}

/**
 * symbols_module() - the module of a symbol
 * @s: the symbols
 * @symbol: one of them
 *
 * Return: the module's name; "" for a symbol of the kernel itself.
 */
const char *symbols_module(const struct symbols *s, const struct symbol *symbol)
{
	return s->names + symbol->module;
}

/**
 * symbols_free() - free the symbols
 * @s: the symbols
 */
void symbols_free(struct symbols *s)
{
	free(s->symbol);
	free(s->names);
	memset(s, 0, sizeof(*s));
}
