// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Rows of columns that hosts sent: checks, and the form that ClickHouse reads.
 *
 * The checks are those of tables.c, which DuckDB runs, for the same hostile hosts in the tests of
 * both.  Of numbers, only decimal ones are known here, as exports have them; DuckDB also
 * takes blanks and fractions.  A server gets checked rows only, as data of its TabSeparated format.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistr.h>

#include "lib/csv/csv.h"
#include "rows.h"
#include "tables.h"

const char * const verdict_name[NR_VERDICTS] = {
	"accepted", "schema", "name of another host", "time in the future", "time", "boot", "service", "number",
	"more than the memory", "not a row",
};

const char * const row_columns[NR_TABLES] = {
	"import, host, boot, time_ns, interval_ns, node, memory_bytes, pages_kernel, pages_user, pages_page_cache, "
	"groups, groups_written, pages_resident, flags",
	"import, host, boot, time_ns, interval_ns, service, processes, pages, pages_written, pages_resident",
};

/* The columns that both tables begin with. */
enum { SCHEMA, HOST, BOOT, TIME, INTERVAL, SEQ, NR_FIRST, NODE = NR_FIRST, MEMORY, KERNEL, USER, CACHE, SERVICE = NR_FIRST };

#define DAY_NS	INT64_C(86400000000000)
/* No machine has more: 4 PiB, in pages and in bytes; 4 million nodes or processes. */
#define PAGES	(INT64_C(1) << 40)
#define BYTES	(INT64_C(1) << 52)
#define SMALL	(INT64_C(1) << 22)

/* A column behind those: a number from 0 to @max; @max 0: text, -1: any number, unknown if it is none. */
static const struct rule {
	int64_t max;
	int may_be_empty;
} rules[NR_TABLES][MAX_FIELDS] = {
	{ [NODE] = { SMALL, 1 }, { BYTES, 1 }, { PAGES }, { PAGES }, { PAGES }, { PAGES }, { PAGES }, { PAGES, 1 }, { -1 } },
	{ [SERVICE] = { 0 }, { SMALL }, { PAGES }, { PAGES }, { PAGES } },
};
static const int nr_fields[NR_TABLES] = { 15, 11 };

/* Decimal numbers only: no blanks, no plus.  Return 1, or 0 if @text is none that fits. */
static int parse(const char *text, int64_t *value)
{
	char *end;

	if (!isdigit((unsigned char)text[*text == '-']))
		return 0;
	errno = 0;
	*value = strtoll(text, &end, 10);
	return !*end && !errno;
}

static size_t characters(const char *text)
{
	return u8_mbsnlen((const uint8_t *)text, strlen(text));
}

static enum verdict check_first(const struct row *r, const char *host, uint64_t now_ns)
{
	if (!r->known[SCHEMA] || r->value[SCHEMA] != FLEET_SCHEMA)
		return ROW_SCHEMA;
	if (strcmp(r->text[HOST], host))
		return ROW_OTHER_HOST;
	if (r->known[TIME] && r->value[TIME] > 0 && (uint64_t)r->value[TIME] > now_ns)
		return ROW_FUTURE;
	if (!r->known[TIME] || r->value[TIME] <= 0 || !r->known[INTERVAL] || r->value[INTERVAL] <= 0 ||
	    r->value[INTERVAL] > DAY_NS)
		return ROW_TIME;
	return characters(r->text[BOOT]) > 64 ? ROW_BOOT : ROW_ACCEPTED;
}

static enum verdict check_numbers(int table, const struct row *r)
{
	int i;

	for (i = NR_FIRST; i < r->nr; i++) {
		const struct rule *rule = &rules[table][i];

		if (rule->max <= 0 || (!*r->text[i] && rule->may_be_empty))
			continue;
		if (!r->known[i] || r->value[i] < 0 || r->value[i] > rule->max)
			return ROW_NUMBER;
	}
	return ROW_ACCEPTED;
}

static int more_than_memory(const struct row *r)
{
	const int64_t pages = r->known[MEMORY] ? r->value[MEMORY] / 4096 : INT64_MAX;

	return r->value[KERNEL] > pages || r->value[USER] > pages || r->value[CACHE] > pages;
}

/**
 * row_check() - check a row
 * @table: its table
 * @line: the line, without its end; modified
 * @length: bytes of it
 * @host: the host that sent it
 * @now_ns: the latest time
 * @row: gets the fields, which point into @line
 */
enum verdict row_check(int table, char *line, size_t length, const char *host, uint64_t now_ns, struct row *row)
{
	enum verdict verdict;
	int i;

	row->nr = 0;
	if (strlen(line) == length && !u8_check((const uint8_t *)line, length))
		row->nr = csv_split(line, row->text, MAX_FIELDS);
	if (row->nr != nr_fields[table])
		return ROW_NONE;
	for (i = 0; i < row->nr; i++)
		row->known[i] = parse(row->text[i], &row->value[i]);
	verdict = check_first(row, host, now_ns);
	if (verdict != ROW_ACCEPTED)
		return verdict;
	if (table == 1 && (!*row->text[SERVICE] || characters(row->text[SERVICE]) > 256))
		return ROW_SERVICE;
	verdict = check_numbers(table, row);
	if (verdict != ROW_ACCEPTED)
		return verdict;
	return table == 0 && more_than_memory(row) ? ROW_MEMORY : ROW_ACCEPTED;
}

static void write_text(const char *text, FILE *f)
{
	for (; *text; text++) {
		switch (*text) {
		case '\t':
			fputs("\\t", f);
			break;
		case '\n':
			fputs("\\n", f);
			break;
		case '\\':
			fputs("\\\\", f);
			break;
		default:
			putc_unlocked(*text, f);
		}
	}
}

/**
 * row_write() - write a row as TabSeparated of ClickHouse has it
 * @table: its table
 * @row: the row, which was accepted
 * @import: the number of the import
 * @f: where to
 */
void row_write(int table, const struct row *row, uint64_t import, FILE *f)
{
	int i;

	fprintf(f, "%" PRIu64, import);
	for (i = HOST; i < row->nr; i++) {
		const int text = i == HOST || i == BOOT || (i >= NR_FIRST && !rules[table][i].max);

		if (i == SEQ)
			continue;
		putc_unlocked('\t', f);
		if (text)
			write_text(row->text[i], f);
		else if (row->known[i])
			fprintf(f, "%" PRId64, row->value[i]);
		else
			fputs("\\N", f);
	}
	putc_unlocked('\n', f);
}
