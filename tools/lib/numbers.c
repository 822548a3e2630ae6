// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Parsers of numbers, their lists, sizes, addresses and times as users write them: 100, 0,4-7,
 * 64M, 0x40000000, 1.5s.  Used for all options and files of the tools.  Signs, blanks and
 * exponents are refused.
 */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "numbers.h"

/* Parse digits at @text; @end is set behind them. */
static int digits(const char *text, int base, uint64_t *value, char **end)
{
	unsigned long long n;

	if (base == 16 ? !isxdigit((unsigned char)*text) : !isdigit((unsigned char)*text))
		return -1;
	errno = 0;
	n = strtoull(text, end, base);
	if (errno)
		return -1;
	*value = n;
	return 0;
}

static int parse_hex(const char *text, uint64_t *value)
{
	uint64_t n;
	char *end;

	/* strtoull() would accept a second 0x. */
	if (strncasecmp(text, "0x", 2) || !strncasecmp(text + 2, "0x", 2) ||
	    digits(text + 2, 16, &n, &end) || *end)
		return -1;
	*value = n;
	return 0;
}

/**
 * parse_number() - parse an integer
 * @text: decimal digits, or 0x and hexadecimal digits
 * @min: smallest number allowed
 * @max: largest number allowed
 * @value: set to the number
 *
 * Return: 0, or -1 if @text is not a number from @min to @max.
 */
int parse_number(const char *text, uint64_t min, uint64_t max, uint64_t *value)
{
	uint64_t n;
	char *end;

	if (parse_hex(text, &n) && (digits(text, 10, &n, &end) || *end))
		return -1;
	if (n < min || n > max)
		return -1;
	*value = n;
	return 0;
}

/* Parse a number, or two with a - between them. */
static int parse_range(char *text, uint64_t min, uint64_t max, uint64_t *first, uint64_t *last)
{
	char *dash = strchr(text, '-');

	if (dash)
		*dash++ = '\0';
	if (parse_number(text, min, max, first))
		return -1;
	*last = *first;
	return dash && (parse_number(dash, min, max, last) || *last < *first) ? -1 : 0;
}

/**
 * parse_list() - parse integers with commas between them
 * @text: numbers, as of parse_number(), and ranges: 0,4-7
 * @min: smallest number allowed
 * @max: largest number allowed
 * @take: called with the ends of each range, which are the same for a number; nonzero ends parsing
 * @ctx: for @take
 *
 * Return: 0, -1 if @text is not a list of numbers from @min to @max, or what @take returned.
 */
int parse_list(const char *text, uint64_t min, uint64_t max,
	       int (*take)(void *ctx, uint64_t first, uint64_t last), void *ctx)
{
	uint64_t first, last;
	char word[48];
	size_t n;
	int ret;

	for (;; text += n + 1) {
		n = strcspn(text, ",");
		if (n >= sizeof(word))
			return -1;
		snprintf(word, sizeof(word), "%.*s", (int)n, text);
		if (parse_range(word, min, max, &first, &last))
			return -1;
		ret = take(ctx, first, last);
		if (ret || !text[n])
			return ret;
	}
}

/* Parse a number with an optional fraction at @text; @end is set behind it. */
static int real(const char *text, double *value, char **end)
{
	char copy[64];
	size_t n = strspn(text, "0123456789.");

	/* strtod() would also accept signs, hexadecimal digits, exponents, inf and nan. */
	if (!isdigit((unsigned char)*text) || n >= sizeof(copy))
		return -1;
	snprintf(copy, sizeof(copy), "%.*s", (int)n, text);
	*value = strtod(copy, end);
	if (**end)
		return -1;
	*end = (char *)text + n;
	return 0;
}

/**
 * parse_real() - parse a number with an optional fraction
 * @text: decimal digits, with at most one point between or behind them
 * @value: set to the number
 *
 * Return: 0, or -1 if @text is not such a number.
 */
int parse_real(const char *text, double *value)
{
	double x;
	char *end;

	if (real(text, &x, &end) || *end)
		return -1;
	*value = x;
	return 0;
}

/**
 * parse_scaled() - parse a number with an optional fraction, to be multiplied, without loss of digits
 * @text: as of parse_real()
 * @unit: by what: a power of ten
 * @value: set to the product, rounded; UINT64_MAX if it is larger
 *
 * Return: 0, or -1 if @text is not such a number.
 */
int parse_scaled(const char *text, uint64_t unit, uint64_t *value)
{
	uint64_t n = 0, part = unit;
	bool large = false;

	if (!isdigit((unsigned char)*text))
		return -1;
	for (; isdigit((unsigned char)*text); text++)
		large |= __builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, *text - '0', &n);
	large |= __builtin_mul_overflow(n, unit, &n);
	text += *text == '.';
	for (; isdigit((unsigned char)*text); text++) {
		const unsigned int digit = *text - '0';

		/* That behind the last of a whole number rounds it. */
		large |= __builtin_add_overflow(n, part >= 10 ? part / 10 * digit : part && digit >= 5, &n);
		part /= 10;
	}
	if (*text)
		return -1;
	*value = large ? UINT64_MAX : n;
	return 0;
}

/**
 * parse_size() - parse a number of bytes
 * @text: digits, optionally with K, M, G or T for powers of 1024, and B or iB
 * @bytes: set to the size
 *
 * Return: 0, or -1 if @text is not a size, or too large.
 */
int parse_size(const char *text, uint64_t *bytes)
{
	unsigned int shift = 0;
	uint64_t n;
	char *end;

	if (digits(text, 10, &n, &end))
		return -1;
	switch (toupper((unsigned char)*end)) {
	case 'K': shift = 10; break;
	case 'M': shift = 20; break;
	case 'G': shift = 30; break;
	case 'T': shift = 40; break;
	}
	if (shift)
		end++;
	if (*end && strcasecmp(end, "B") && !(shift && !strcasecmp(end, "iB")))
		return -1;
	if (n > UINT64_MAX >> shift)
		return -1;
	*bytes = n << shift;
	return 0;
}

/**
 * parse_address() - parse an address
 * @text: a size, or 0x and hexadecimal digits
 * @address: set to the address
 *
 * Return: 0, or -1 if @text is neither, or too large.
 */
int parse_address(const char *text, uint64_t *address)
{
	return strncasecmp(text, "0x", 2) ? parse_size(text, address) : parse_hex(text, address);
}

/**
 * parse_addresses() - parse a range of addresses
 * @text: two addresses with - between them
 * @start: set to the first
 * @end: set to the second, which must be greater
 *
 * Return: 0, or -1 if @text is not a range.
 */
int parse_addresses(const char *text, uint64_t *start, uint64_t *end)
{
	const char *dash = strchr(text, '-');
	uint64_t first, last;
	char left[32];

	if (!dash || dash - text >= (int)sizeof(left))
		return -1;
	snprintf(left, sizeof(left), "%.*s", (int)(dash - text), text);
	if (parse_address(left, &first) || parse_address(dash + 1, &last) || first >= last)
		return -1;
	*start = first;
	*end = last;
	return 0;
}

/**
 * parse_time() - parse a duration
 * @text: a number with an optional fraction, and ns, us, ms, s, min or h
 * @unit: the unit if @text has none; NULL: a unit is required
 * @seconds: set to the duration
 *
 * Return: 0, or -1 if @text is not a duration, or longer than 30 years.
 */
int parse_time(const char *text, const char *unit, double *seconds)
{
	static const struct { const char *name; double seconds; } units[] = {
		{ "ns", 1e-9 }, { "us", 1e-6 }, { "ms", 1e-3 }, { "s", 1 }, { "min", 60 }, { "h", 3600 },
	};
	const char *name;
	double x;
	char *end;
	size_t i;

	if (real(text, &x, &end))
		return -1;
	name = *end ? end : unit;
	for (i = 0; name && i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(name, units[i].name))
			continue;
		x *= units[i].seconds;
		if (!(x < 1e9))
			return -1;
		*seconds = x;
		return 0;
	}
	return -1;
}
