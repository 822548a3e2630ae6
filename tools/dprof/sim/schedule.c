// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* The list of accesses to simulate, and the sets of lines and objects already accessed. */
#include <stdlib.h>
#include <string.h>

#include "parts.h"

int sim_add_step(struct schedule *s, const struct step *step)
{
	if (s->nr == s->capacity) {
		size_t capacity = s->capacity * 2 + 4096;
		struct step *grown = realloc(s->step, capacity * sizeof(*grown));

		if (!grown)
			return -1;
		s->step = grown;
		s->capacity = capacity;
	}
	s->step[s->nr++] = *step;
	return 0;
}

/* Return 1 at the first access of @what and @type in @set, later 0; -1 without memory. */
int sim_first_time(struct sim_seen **seen, uint64_t what, uint32_t type, uint32_t set)
{
	struct sim_seen key, *found;

	memset(&key.key, 0, sizeof(key.key));
	key.key.what = what;
	key.key.type = type;
	key.key.set = set;
	HASH_FIND(hh, *seen, &key.key, sizeof(key.key), found);
	if (found)
		return 0;
	found = malloc(sizeof(*found));
	if (!found)
		return -1;
	found->key = key.key;
	HASH_ADD(hh, *seen, key, sizeof(found->key), found);
	return 1;
}

void sim_free_seen(struct sim_seen **seen)
{
	struct sim_seen *s, *next;

	HASH_ITER(hh, *seen, s, next) {
		HASH_DEL(*seen, s);
		free(s);
	}
}
