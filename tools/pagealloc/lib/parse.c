// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 the memscope authors
/* Parses hints as text: coloring:offset=3, partition:0-7,16. */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "internal.h"

/* The kernel's limit for arguments. */
#define MAX_ARG (64 << 20)

/* Of what was given, in a message. */
#define MAX_QUOTED 60

/* A number, and more: what does not fit is none. */
#define MAX_WORD 32

struct parser {
	const char *text;		/* the whole text, for messages */
	char *error;
	size_t error_size;
	char *arg;			/* the strategy's argument, as bytes */
	size_t arg_size, capacity;
};

__attribute__((format(printf, 3, 4)))
static int fail(struct parser *p, int err, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (!p->error_size)
		return err;
	/* The reason is what matters of a long text. */
	n = snprintf(p->error, p->error_size, "%.*s%s: ", MAX_QUOTED, p->text,
		     strlen(p->text) > MAX_QUOTED ? "..." : "");
	if (n < 0 || (size_t)n >= p->error_size)
		return err;
	va_start(ap, fmt);
	vsnprintf(p->error + n, p->error_size - n, fmt, ap);
	va_end(ap);
	return err;
}

static int append(struct parser *p, const void *data, size_t size)
{
	if (p->arg_size + size > p->capacity) {
		size_t capacity = 2 * p->capacity + size + 256;
		char *arg = realloc(p->arg, capacity);

		if (!arg)
			return fail(p, -ENOMEM, "no memory");
		p->arg = arg;
		p->capacity = capacity;
	}
	memcpy(p->arg + p->arg_size, data, size);
	p->arg_size += size;
	if (p->arg_size > MAX_ARG)
		return fail(p, -E2BIG, "more than %d MiB", MAX_ARG >> 20);
	return 0;
}

/* Parse a number at @s.  Return its end, or NULL if it is not a number up to @max. */
static const char *number(const char *s, uint64_t max, uint64_t *n)
{
	int base = s[0] == '0' && (s[1] == 'x' || s[1] == 'X') ? 16 : 10;
	char *end;

	if (!isdigit((unsigned char)*s) || (base == 16 && !isxdigit((unsigned char)s[2])))
		return NULL;
	errno = 0;
	*n = strtoull(s, &end, base);
	return errno || *n > max ? NULL : end;
}

/* Parse name=number,... into @values, in the order of @names; missing values are left alone. */
static int parse_fields(struct parser *p, const char *s, const char * const *names,
			const uint64_t *max, int nr, uint64_t *values)
{
	int seen = 0;

	while (s) {
		const char *end;
		size_t length;
		int i;

		for (i = 0; i < nr; i++) {
			length = strlen(names[i]);
			if (!strncmp(s, names[i], length) && s[length] == '=')
				break;
		}
		if (i == nr)
			return fail(p, -EINVAL, "%s: expected %s=N%s%s%s", s, names[0],
				    nr > 1 ? " or " : "", nr > 1 ? names[1] : "",
				    nr > 1 ? "=N" : "");
		if (seen & 1 << i)
			return fail(p, -EINVAL, "%s given twice", names[i]);
		seen |= 1 << i;
		end = number(s + length + 1, max[i], &values[i]);
		if (!end || (*end && *end != ','))
			return fail(p, -EINVAL, "%s: not a number up to %llu", s,
				    (unsigned long long)max[i]);
		s = *end ? end + 1 : NULL;
	}
	return 0;
}

static int parse_coloring(struct parser *p, const char *s)
{
	static const char * const names[] = { "offset" };
	static const uint64_t max[] = { UINT64_MAX };
	struct page_hints_arg_coloring arg = { };
	uint64_t offset = 0;
	int ret = parse_fields(p, s, names, max, 1, &offset);

	arg.offset = offset;
	return ret || !s ? ret : append(p, &arg, sizeof(arg));
}

static int parse_binhop(struct parser *p, const char *s)
{
	static const char * const names[] = { "first", "step" };
	static const uint64_t max[] = { UINT32_MAX, UINT32_MAX };
	struct page_hints_arg_binhop arg;
	uint64_t values[2] = { };
	int ret = parse_fields(p, s, names, max, 2, values);

	arg = (struct page_hints_arg_binhop){ .first = values[0], .step = values[1] };
	return ret || !s ? ret : append(p, &arg, sizeof(arg));
}

static int parse_random(struct parser *p, const char *s)
{
	static const char * const names[] = { "seed" };
	static const uint64_t max[] = { UINT64_MAX };
	struct page_hints_arg_random arg = { };
	uint64_t seed = 0;
	int ret;

	if (!s)
		return fail(p, -EINVAL, "expected seed=N");
	ret = parse_fields(p, s, names, max, 1, &seed);
	arg.seed = seed;
	return ret ? ret : append(p, &arg, sizeof(arg));
}

static int parse_partition(struct parser *p, const char *s)
{
	struct page_hints_arg_partition arg = { };
	size_t words = 0;

	if (!s)
		return fail(p, -EINVAL, "expected colors: 0-7,16");
	while (s) {
		uint64_t first, last;
		const char *end = number(s, PAGE_HINTS_MAX_COLORS - 1, &first);

		last = first;
		if (end && *end == '-')
			end = number(end + 1, PAGE_HINTS_MAX_COLORS - 1, &last);
		if (!end || (*end && *end != ','))
			return fail(p, -EINVAL, "%s: not colors below %d (0-7,16)", s,
				    PAGE_HINTS_MAX_COLORS);
		if (first > last)
			return fail(p, -EINVAL, "%.*s: the first color of a range is above its last",
				    (int)(end - s), s);
		for (; first <= last; first++)
			arg.colors[first / 64] |= UINT64_C(1) << first % 64;
		if (last / 64 >= words)
			words = last / 64 + 1;
		s = *end ? end + 1 : NULL;
	}
	return append(p, &arg, words * sizeof(arg.colors[0]));
}

static int append_color(struct parser *p, uint64_t n)
{
	uint32_t color = n;

	return append(p, &color, sizeof(color));
}

/* Add a word of a file: a color, a frame or "-", any frame. */
static int append_word(struct parser *p, const char *word, size_t length, int frames)
{
	const char *end = word + 1;
	uint64_t n = PAGEALLOC_ANY_FRAME;

	if (!frames || *word != '-')
		end = number(word, frames ? UINT64_MAX - 1 : PAGE_HINTS_MAX_COLORS - 1, &n);
	if (end != word + length)
		return -EINVAL;
	return frames ? append(p, &n, sizeof(n)) : append_color(p, n);
}

/*
 * Parse numbers separated by white space and commas; # begins a comment.  Word by word: a line
 * may have any length.
 */
static int parse_numbers(struct parser *p, FILE *f, const char *name, int frames)
{
	size_t length = 0, nr_line = 1;
	int c, comment = 0, ret = 0;
	char word[MAX_WORD];

	do {
		c = getc(f);
		comment |= c == '#';
		if (c != EOF && !isspace(c) && c != ',' && !comment) {
			word[length++] = c;
			if (length < sizeof(word))
				continue;
			/* Too long. */
			word[--length] = '\0';
			ret = -EINVAL;
		} else if (length) {
			word[length] = '\0';
			ret = append_word(p, word, length, frames);
			length = 0;
		}
		if (ret == -EINVAL)
			ret = fail(p, ret, "%s:%zu: not a %s", name, nr_line, frames ? "frame number" : "color");
		if (c == '\n') {
			nr_line++;
			comment = 0;
		}
	} while (!ret && c != EOF);
	if (!ret && ferror(f))
		ret = fail(p, -errno, "%s: %s", name, strerror(errno));
	if (!ret && !p->arg_size)
		ret = fail(p, -EINVAL, "%s: empty", name);
	return ret;
}

static int parse_file(struct parser *p, const char *path, int frames)
{
	FILE *f = fopen(path, "re");
	int ret;

	if (!f)
		return fail(p, -errno, "%s", strerror(errno));
	ret = parse_numbers(p, f, path, frames);
	fclose(f);
	return ret;
}

static int parse_modulo(struct parser *p, const char *s)
{
	if (!s)
		return fail(p, -EINVAL, "expected colors (0,8,16) or a file");
	/* A file whose name consists of digits and commas can be given as ./0,1. */
	if (strspn(s, "0123456789,") != strlen(s)) {
		if (access(s, F_OK))
			return fail(p, -errno, "neither colors (0,8,16) nor a file: %s",
				    strerror(errno));
		return parse_file(p, s, 0);
	}
	for (;;) {
		uint64_t color;
		const char *end = number(s, PAGE_HINTS_MAX_COLORS - 1, &color);
		int ret;

		if (!end || (*end && *end != ','))
			return fail(p, -EINVAL, "%.*s: not a color below %d",
				    (int)strnlen(s, MAX_QUOTED), s, PAGE_HINTS_MAX_COLORS);
		ret = append_color(p, color);
		if (ret || !*end)
			return ret;
		s = end + 1;
	}
}

static int parse_exact(struct parser *p, const char *s)
{
	return s ? parse_file(p, s, 1) : fail(p, -EINVAL, "expected a file of frame numbers");
}

/* The argument of an unknown strategy: the bytes of a file. */
static int parse_other(struct parser *p, const char *s)
{
	char buf[4096];
	size_t n;
	int ret = 0;
	FILE *f;

	if (!s)
		return 0;
	if (*s != '@')
		return fail(p, -EINVAL, "expected @FILE, with the argument's bytes");
	f = fopen(s + 1, "re");
	if (!f)
		return fail(p, -errno, "%s", strerror(errno));
	while (!ret && (n = fread(buf, 1, sizeof(buf), f)))
		ret = append(p, buf, n);
	if (!ret && ferror(f))
		ret = fail(p, -errno, "%s: %s", s + 1, strerror(errno));
	fclose(f);
	return ret;
}

static const struct {
	const char *name;
	int (*parse)(struct parser *p, const char *s);
} strategies[] = {
	{ "coloring", parse_coloring }, { "binhop", parse_binhop }, { "modulo", parse_modulo },
	{ "exact", parse_exact }, { "partition", parse_partition }, { "random", parse_random },
};

/**
 * pagealloc_hint_parse() - parse a hint
 * @text: NAME or NAME:ARGUMENT: coloring[:offset=N], binhop[:first=N,step=N],
 *	modulo:C,C,... or modulo:FILE, exact:FILE, partition:C-C,C,...,
 *	random:seed=N, or NAME[:@FILE] for another module
 * @flags: PAGE_HINT_*
 * @hint: set to the hint; free it with pagealloc_hint_free()
 * @error: set to an error message; may be NULL if @error_size is 0
 * @error_size: size of @error
 *
 * Return: 0; -EINVAL: not a hint; -E2BIG: the argument is too large; -ENOMEM; or the
 * error of reading a file.
 */
API int pagealloc_hint_parse(const char *text, unsigned int flags, struct pagealloc_hint **hint,
			     char *error, size_t error_size)
{
	struct parser p = { .text = text, .error = error, .error_size = error_size };
	size_t length = strcspn(text, ":"), i;
	int (*parse)(struct parser *p, const char *s) = parse_other;
	struct pagealloc_hint *h;
	const char *name;
	int ret;

	if (!length || length >= PAGE_HINTS_NAME_LEN)
		return fail(&p, -EINVAL, "not the name of a strategy");
	for (i = 0; i < sizeof(strategies) / sizeof(strategies[0]); i++) {
		name = strategies[i].name;
		if (strlen(name) == length && !strncmp(text, name, length))
			parse = strategies[i].parse;
	}
	ret = parse(&p, text[length] ? text + length + 1 : NULL);
	if (ret) {
		free(p.arg);
		return ret;
	}
	h = malloc(sizeof(*h));
	name = strndup(text, length);
	if (!h || !name) {
		free(h);
		free((void *)name);
		free(p.arg);
		return fail(&p, -ENOMEM, "no memory");
	}
	*h = (struct pagealloc_hint){
		.strategy = name, .arg = p.arg, .arg_size = p.arg_size, .flags = flags,
	};
	*hint = h;
	return 0;
}

/**
 * pagealloc_hint_free() - free the result of pagealloc_hint_parse()
 * @hint: the hint, or NULL
 */
API void pagealloc_hint_free(struct pagealloc_hint *hint)
{
	if (!hint)
		return;
	free((void *)hint->strategy);
	free((void *)hint->arg);
	free(hint);
}
