// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 the memscope authors
/* Texts, each kept once, by number. */
#include <stdlib.h>
#include <string.h>

#include "memprof/names/hash.h"
#include "internal.h"

struct string {
	uint32_t number;
	UT_hash_handle hh;
	char text[];
};

static uint32_t fail(struct strings *s)
{
	s->failed = true;
	return 0;
}

/** string_number() - the number of a text, which is kept; 0 without memory, which @s remembers */
uint32_t string_number(struct strings *s, const char *text)
{
	size_t length = strlen(text);
	struct string *t;

	HASH_FIND(hh, s->table, text, length, t);
	if (t)
		return t->number;
	if (s->used + 1 >= s->capacity) {
		uint32_t capacity = s->capacity ? 2 * s->capacity : 256;
		const char **p = realloc(s->text, capacity * sizeof(*p));

		if (!p)
			return fail(s);
		s->text = p;
		s->capacity = capacity;
	}
	if (!s->used)
		s->text[s->used++] = "";
	if (!*text)
		return 0;
	t = malloc(sizeof(*t) + length + 1);
	if (!t)
		return fail(s);
	memcpy(t->text, text, length + 1);
	t->number = s->used;
	HASH_ADD_KEYPTR(hh, s->table, t->text, length, t);
	if (!t->hh.tbl) {
		free(t);
		return fail(s);
	}
	s->text[s->used] = t->text;
	return s->used++;
}

/**
 * string_keep() - a text that is kept
 *
 * Not an index of strings.text: C may fetch that array before string_number() moves it.
 *
 * Return: the kept text; "" without memory.
 */
const char *string_keep(struct strings *s, const char *text)
{
	const uint32_t number = string_number(s, text);

	return s->text ? s->text[number] : "";
}

/** strings_free() - forget all */
void strings_free(struct strings *s)
{
	struct string *t, *next;

	HASH_ITER(hh, s->table, t, next) {
		HASH_DEL(s->table, t);
		free(t);
	}
	free(s->text);
}
