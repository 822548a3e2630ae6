// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Trace events in JSON, which Perfetto's user interface shows ("Trace Event Format").  They are
 * printed one by one: a library would keep all of them.
 */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>

#include "lib/cells/utf8.h"
#include "perfetto.h"

/* What is no UTF-8 is replaced. */
static void print_text(struct perfetto *p, const char *text)
{
	char *clean = utf8_clean(text);
	json_t *string = clean ? json_string(clean) : NULL;
	char *printed = string ? json_dumps(string, JSON_ENCODE_ANY) : NULL;

	p->no_memory |= !printed;
	fputs(printed ? printed : "\"\"", p->f);
	free(printed);
	json_decref(string);
	free(clean);
}

/**
 * perfetto_begin() - begin a file
 * @p: set
 * @f: where to print
 * @host: name of the machine, that of process 1
 */
void perfetto_begin(struct perfetto *p, FILE *f, const char *host)
{
	*p = (struct perfetto){ .f = f };
	fputs("{\"displayTimeUnit\": \"ms\", \"traceEvents\": [\n{\"name\": \"process_name\", \"ph\": \"M\", "
	      "\"pid\": 1, \"args\": {\"name\": ", f);
	print_text(p, host);
	fputs("}}", f);
}

/** perfetto_name_thread() - name the track of a thread */
void perfetto_name_thread(struct perfetto *p, uint32_t pid, uint32_t tid, const char *name)
{
	fprintf(p->f, ",\n{\"name\": \"thread_name\", \"ph\": \"M\", \"pid\": %" PRIu32 ", \"tid\": %" PRIu32
		", \"args\": {\"name\": ", pid, tid);
	print_text(p, name);
	fputs("}}", p->f);
}

/** perfetto_add() - add a sample */
void perfetto_add(struct perfetto *p, const struct perfetto_sample *s)
{
	const struct perfetto_arg *a;

	fputs(",\n{\"name\": ", p->f);
	print_text(p, s->name);
	fprintf(p->f, ", \"ph\": \"i\", \"s\": \"t\", \"pid\": %" PRIu32 ", \"tid\": %" PRIu32
		", \"ts\": %" PRIu64 ".%03u, \"args\": {", s->pid, s->tid, s->ns / 1000, (unsigned int)(s->ns % 1000));
	for (a = s->args; a->key; a++) {
		fprintf(p->f, "%s\"%s\": ", a > s->args ? ", " : "", a->key);
		if (a->text)
			print_text(p, a->text);
		else
			fprintf(p->f, "%" PRId64, a->number);
	}
	fputs("}}", p->f);
}

/** perfetto_end() - end the file */
void perfetto_end(struct perfetto *p)
{
	fputs("\n]}\n", p->f);
}
