// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* The text that describes a cache: NAME:SIZE:WAYS:LINE[:WORD...]. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/numbers.h"
#include "cache.h"

/* Room for a description: name, numbers, words and 32 masks. */
#define MAX_TEXT 1024
/* Physical addresses have no more. */
#define ADDRESS_BITS 52
/* Lines in one cache; the tags of more would not fit into a host. */
#define MAX_LINES (1ull << 26)

static const char *const policy_names[] = {
	[CACHE_LRU] = "lru",
	[CACHE_FIFO] = "fifo",
	[CACHE_PLRU] = "plru",
	[CACHE_RANDOM] = "random",
};

static bool __attribute__((format(printf, 2, 3))) wrong(char *error, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(error, CACHE_ERROR_LEN, fmt, ap);
	va_end(ap);
	return false;
}

static bool is_power(uint64_t n)
{
	return n && !(n & (n - 1));
}

/* A name is that of a phase's column, and becomes a metric of pagealloc bench. */
static bool is_name(const char *s)
{
	if (!isalpha((unsigned char)*s) || strlen(s) >= CACHE_NAME_LEN ||
	    !strcmp(s, "instructions") || !strcmp(s, "end"))
		return false;
	for (; *s; s++) {
		if (!isalnum((unsigned char)*s) && *s != '_')
			return false;
	}
	return true;
}

/* Whether some of the masks xor to nothing: then some sets could never be used. */
static bool dependent(const uint64_t *mask, unsigned int nr)
{
	uint64_t row[32];

	for (unsigned int i = 0; i < nr; i++) {
		row[i] = mask[i];
		for (unsigned int j = 0; j < i; j++) {
			/* Without the highest bit of an earlier row. */
			if (row[i] >> (63 - __builtin_clzll(row[j])) & 1)
				row[i] ^= row[j];
		}
		if (!row[i])
			return true;
	}
	return false;
}

static bool parse_masks(struct cache_shape *c, char *list, char *error)
{
	unsigned int nr = 0, needed = __builtin_ctz(c->sets);
	char *save, *word;

	for (word = strtok_r(list, "/", &save); word; word = strtok_r(NULL, "/", &save)) {
		uint64_t mask;

		if (nr == needed)
			return wrong(error, "%s: xor: more than %u masks for %u sets", c->name, needed,
				     c->sets);
		if (parse_address(word, &mask) || !mask || mask >> ADDRESS_BITS)
			return wrong(error, "%s: xor: %s: not a mask of address bits", c->name, word);
		if (mask & ((1ull << c->line_shift) - 1))
			return wrong(error, "%s: xor: %s: has bits within a line of %u bytes", c->name,
				     word, 1u << c->line_shift);
		c->mask[nr++] = mask;
	}
	if (nr != needed)
		return wrong(error, "%s: xor: %u masks, but %u sets need %u", c->name, nr, c->sets,
			     needed);
	if (dependent(c->mask, nr))
		return wrong(error, "%s: xor: a mask is the xor of others: some sets would be unused",
			     c->name);
	c->xored = true;
	return true;
}

static bool parse_word(struct cache_shape *c, char *word, char *error)
{
	for (size_t i = 0; i < sizeof(policy_names) / sizeof(policy_names[0]); i++) {
		if (!strcmp(word, policy_names[i])) {
			c->policy = i;
			return true;
		}
	}
	if (!strcmp(word, "private"))
		c->shared = false;
	else if (!strcmp(word, "shared"))
		c->shared = true;
	else if (!strcmp(word, "inclusive"))
		c->inclusive = true;
	else if (!strcmp(word, "data"))
		c->kinds = 1 << CACHE_DATA;
	else if (!strcmp(word, "fetch"))
		c->kinds = 1 << CACHE_FETCH;
	else if (!strncmp(word, "xor=", 4))
		return parse_masks(c, word + 4, error);
	else
		return wrong(error, "%s: %s: unknown word (lru, plru, fifo, random, private, shared, "
			     "inclusive, data, fetch, xor=MASK/...)", c->name, word);
	return true;
}

static bool parse_numbers(struct cache_shape *c, const char *size, const char *ways,
			  const char *line, char *error)
{
	uint64_t n;

	if (parse_size(size, &c->size) || !c->size)
		return wrong(error, "%s: %s: not a size", c->name, size);
	if (parse_size(ways, &n) || n < 1 || n > 64)
		return wrong(error, "%s: %s: not a number of ways from 1 to 64", c->name, ways);
	c->ways = n;
	if (parse_size(line, &n) || !is_power(n) || n < 8 || n > 4096)
		return wrong(error, "%s: %s: not a line size: a power of two from 8 to 4096", c->name,
			     line);
	c->line_shift = __builtin_ctzll(n);
	if (c->size % (n * c->ways) || !is_power(c->size / (n * c->ways)))
		return wrong(error, "%s: %s bytes in %s ways of %s bytes: not a power of two of sets",
			     c->name, size, ways, line);
	if (c->size / n > MAX_LINES)
		return wrong(error, "%s: %s: more than %llu lines", c->name, size, MAX_LINES);
	c->sets = c->size / (n * c->ways);
	return true;
}

bool cache_shape_parse(struct cache_shape *c, const char *spec, char error[CACHE_ERROR_LEN])
{
	char text[MAX_TEXT], *rest = text, *field[4], *word;

	if (strlen(spec) >= sizeof(text))
		return wrong(error, "%.40s...: longer than a description can be", spec);
	strcpy(text, spec);
	*c = (struct cache_shape){
		.kinds = (1 << CACHE_NR_KINDS) - 1,
		.shared = true,
	};
	for (int i = 0; i < 4; i++) {
		field[i] = strsep(&rest, ":");
		if (!field[i] || !*field[i])
			return wrong(error, "%s: not NAME:SIZE:WAYS:LINE[:WORD...]", spec);
	}
	if (!is_name(field[0]))
		return wrong(error, "%s: not a cache's name: a letter, then up to %d letters, digits "
			     "and _; not instructions or end", field[0], CACHE_NAME_LEN - 2);
	strcpy(c->name, field[0]);
	if (!parse_numbers(c, field[1], field[2], field[3], error))
		return false;
	while ((word = strsep(&rest, ":"))) {
		if (!parse_word(c, word, error))
			return false;
	}
	if (c->policy == CACHE_PLRU && !is_power(c->ways))
		return wrong(error, "%s: plru: %u ways are not a power of two", c->name, c->ways);
	return true;
}

void cache_shape_print(const struct cache_shape *c, char *text, size_t size)
{
	int n = snprintf(text, size, "%s:%llu:%u:%u:%s:%s", c->name, (unsigned long long)c->size,
			 c->ways, 1u << c->line_shift, c->shared ? "shared" : "private",
			 policy_names[c->policy]);

	if (c->kinds == 1 << CACHE_DATA)
		n += snprintf(text + n, size - n, ":data");
	if (c->kinds == 1 << CACHE_FETCH)
		n += snprintf(text + n, size - n, ":fetch");
	if (c->inclusive)
		n += snprintf(text + n, size - n, ":inclusive");
	for (unsigned int i = 0; c->xored && 1u << i < c->sets; i++)
		n += snprintf(text + n, size - n, "%s0x%llx", i ? "/" : ":xor=",
			      (unsigned long long)c->mask[i]);
}
