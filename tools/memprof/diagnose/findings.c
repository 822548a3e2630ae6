// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 the memscope authors
/* The list of findings. */
#include <stdlib.h>
#include <string.h>

#include "patterns.h"

/** findings_add() - room for one more finding; NULL without memory */
struct finding *findings_add(struct findings *f)
{
	struct finding *p;

	if (f->nr == f->capacity) {
		p = realloc(f->all, (2 * f->capacity + 16) * sizeof(*p));
		if (!p)
			return NULL;
		f->all = p;
		f->capacity = 2 * f->capacity + 16;
	}
	p = &f->all[f->nr++];
	memset(p, 0, sizeof(*p));
	return p;
}
