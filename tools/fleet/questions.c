// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * The questions, by name, as queries of the tables intervals and services.
 *
 * Sums are exact integers that become double once, and equal keys are ordered by name, so
 * that any other computation over the same rows gives the same answer.
 */
#include <string.h>

#include "questions.h"

#define REFERENCED	"pages_kernel + pages_user + pages_page_cache"
/* Rows of whole machines; nodes have rows of their own. */
#define MACHINES	"FROM intervals WHERE node IS NULL"

const struct question questions[] = {
	{ "wss", "working set of each service: median, 99th percentile and maximum over hosts and intervals",
	  "services",
	  "WITH q AS (SELECT service, quantile_disc(pages, [0.5, 0.99]) AS quantiles FROM services GROUP BY service), "
	  "h AS (SELECT service, host, count(*) AS n, max(pages) AS most FROM services GROUP BY service, host), "
	  "s AS (SELECT service, count(*) AS hosts, CAST(sum(n) AS BIGINT) AS n, max(most) AS most FROM h GROUP BY service) "
	  "SELECT s.service, hosts, n, quantiles[1] / 256.0, quantiles[2] / 256.0 AS p99, most / 256.0 "
	  "FROM s JOIN q ON s.service = q.service ORDER BY p99 DESC, s.service",
	  { { "service", CELL_TEXT }, { "hosts", CELL_INT }, { "intervals", CELL_INT },
	    { "wss_median_mib", CELL_REAL, 3 }, { "wss_p99_mib", CELL_REAL, 3 }, { "wss_max_mib", CELL_REAL, 3 } }, 6 },
	{ "coldest", "the tenth of the hosts that reference the smallest share of their memory",
	  "intervals",
	  "WITH h AS (SELECT host, count(*) AS n, max(memory_bytes) AS memory, "
	  "CAST(sum(" REFERENCED ") AS DOUBLE) * 4096 AS referenced, CAST(sum(memory_bytes) AS DOUBLE) AS bytes "
	  MACHINES " AND memory_bytes > 0 GROUP BY host) "
	  "SELECT host, n, memory / 1073741824.0, referenced / n / 1073741824.0, 100 * referenced / bytes "
	  "FROM (SELECT *, row_number() OVER (ORDER BY referenced / bytes, host) AS k FROM h) "
	  "WHERE k <= (SELECT (count(*) + 9) // 10 FROM h) ORDER BY k",
	  { { "host", CELL_TEXT }, { "intervals", CELL_INT }, { "memory_gib", CELL_REAL, 3 },
	    { "referenced_mean_gib", CELL_REAL, 3 }, { "referenced_pct", CELL_REAL, 3 } }, 5 },
	{ "cache", "hosts of whose referenced memory at least half is page cache",
	  "intervals",
	  "WITH h AS (SELECT host, count(*) AS n, CAST(sum(pages_page_cache) AS DOUBLE) AS cache, "
	  "CAST(sum(" REFERENCED ") AS DOUBLE) AS pages " MACHINES " GROUP BY host) "
	  "SELECT host, n, cache / n / 262144, 100 * cache / pages AS share FROM h "
	  "WHERE 2 * cache >= pages AND pages > 0 ORDER BY share DESC, host",
	  { { "host", CELL_TEXT }, { "intervals", CELL_INT }, { "page_cache_mean_gib", CELL_REAL, 3 },
	    { "page_cache_pct", CELL_REAL, 3 } }, 4 },
	{ "drift", "change of each host's mean working set from the last but one day (UTC) to the last",
	  "intervals",
	  "WITH d AS (SELECT host, time_ns // 86400000000000 AS day, "
	  "CAST(sum(" REFERENCED ") AS DOUBLE) / count(*) AS pages " MACHINES " GROUP BY host, day), "
	  "c AS (SELECT a.host AS host, a.pages AS was, b.pages AS now, 100 * (b.pages - a.pages) / a.pages AS change "
	  "FROM d a JOIN d b ON a.host = b.host AND b.day = a.day + 1 "
	  "WHERE a.pages > 0 AND b.day = (SELECT max(day) FROM d)) "
	  "SELECT host, was / 262144, now / 262144, change FROM c ORDER BY abs(change) DESC, host",
	  { { "host", CELL_TEXT }, { "day_before_gib", CELL_REAL, 3 }, { "last_day_gib", CELL_REAL, 3 },
	    { "change_pct", CELL_REAL, 3 } }, 4 },
	{ "drain", "hosts by the resident memory that draining frees for each page that must be faulted in elsewhere",
	  "intervals",
	  "WITH h AS (SELECT host, CAST(max(pages_resident) AS DOUBLE) AS freed, "
	  "CAST(max(pages_user + pages_page_cache) AS DOUBLE) AS faults " MACHINES " AND pages_resident > 0 GROUP BY host) "
	  "SELECT host, freed / 262144, faults / 262144, freed / faults AS ratio FROM h "
	  "WHERE faults > 0 ORDER BY ratio DESC, host",
	  { { "host", CELL_TEXT }, { "freed_gib", CELL_REAL, 3 }, { "refaulted_max_gib", CELL_REAL, 3 },
	    { "freed_per_refault", CELL_REAL, 3 } }, 4 },
	{ }
};

/** question_find() - a question by its name.  Return: NULL if there is none */
const struct question *question_find(const char *name)
{
	const struct question *q;

	for (q = questions; q->name; q++)
		if (!strcmp(q->name, name))
			return q;
	return NULL;
}

/** question_word() - for struct verb_usage */
const char *question_word(int n, const char **about)
{
	if (about)
		*about = questions[n].about;
	return questions[n].name;
}
