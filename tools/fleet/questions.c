// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * The questions, by name, as queries of the tables intervals and services.
 *
 * Sums are exact integers that become double once, and equal keys are ordered by name, so
 * that any other computation over the same rows gives the same answer.
 *
 * DuckDB and ClickHouse run the same text where ClickHouse 18.16, that of Debian 12, can: it
 * has subqueries, but neither named ones nor window functions.  What aggregates rows selects
 * from the table itself: of a subquery without GROUP BY, shards would send all rows.
 */
#include <string.h>

#include "questions.h"

#define REFERENCED	"pages_kernel + pages_user + pages_page_cache"
/* A store has complete imports only.  A server has their numbers in a table. */
#define STORED		"true"
#define COMPLETE	"import GLOBAL IN (SELECT import FROM imports)"
#define BOTH(query)	query(STORED), query(COMPLETE)
/* Rows of whole machines; nodes have rows of their own. */
#define MACHINES(rows)	"FROM intervals WHERE " rows " AND node IS NULL "
/* When a row's day begins, in UTC. */
#define DAY		"time_ns - time_ns % 86400000000000"

#define CACHE(rows) \
	"SELECT host, n, cache / n / 262144, 100 * cache / pages AS share FROM (" \
	"SELECT host, count(*) AS n, CAST(sum(pages_page_cache) AS DOUBLE) AS cache, " \
	"CAST(sum(" REFERENCED ") AS DOUBLE) AS pages " MACHINES(rows) "GROUP BY host) h " \
	"WHERE 2 * cache >= pages AND pages > 0 ORDER BY share DESC, host"

#define DRIFT(rows) \
	"SELECT host, was / 262144, now / 262144, change FROM (" \
	"SELECT host, was, now, 100 * (now - was) / was AS change FROM (" \
	"SELECT host, max(CASE WHEN day = last - 86400000000000 THEN pages END) AS was, " \
	"max(CASE WHEN day = last THEN pages END) AS now FROM (" \
	"SELECT host, day, pages, (SELECT max(" DAY ") " MACHINES(rows) ") AS last FROM (" \
	"SELECT host, " DAY " AS day, CAST(sum(" REFERENCED ") AS DOUBLE) / count(*) AS pages " \
	MACHINES(rows) "GROUP BY host, day) d) l GROUP BY host) h WHERE was > 0 AND now IS NOT NULL) c " \
	"ORDER BY abs(change) DESC, host"

#define DRAIN(rows) \
	"SELECT host, freed / 262144, faults / 262144, freed / faults AS ratio FROM (" \
	"SELECT host, CAST(max(pages_resident) AS DOUBLE) AS freed, " \
	"CAST(max(pages_user + pages_page_cache) AS DOUBLE) AS faults " MACHINES(rows) \
	"AND pages_resident > 0 GROUP BY host) h WHERE faults > 0 ORDER BY ratio DESC, host"

const struct question questions[] = {
	{ "wss", "working set of each service: median, 99th percentile and maximum over hosts and intervals",
	  "services",
	  "WITH q AS (SELECT service, quantile_disc(pages, [0.5, 0.99]) AS quantiles FROM services GROUP BY service), "
	  "h AS (SELECT service, host, count(*) AS n, max(pages) AS most FROM services GROUP BY service, host), "
	  "s AS (SELECT service, count(*) AS hosts, CAST(sum(n) AS BIGINT) AS n, max(most) AS most FROM h GROUP BY service) "
	  "SELECT s.service, hosts, n, quantiles[1] / 256.0, quantiles[2] / 256.0 AS p99, most / 256.0 "
	  "FROM s JOIN q ON s.service = q.service ORDER BY p99 DESC, s.service",
	  /*
	   * Of n sorted values, quantilesExact(q) takes that at the index floor(q * n).  The smallest one that
	   * the share q does not exceed, as quantile_disc() takes, is at ceil(q * n) - 1: with shares that
	   * are this much smaller, the same for up to 10^9 rows.  quantilesExactWeighted() takes it
	   * as well, in four times the time.
	   */
	  "SELECT service, hosts, n, quantiles[1] / 256.0, quantiles[2] / 256.0 AS p99, most / 256.0 FROM ("
	  "SELECT service, uniqExact(host) AS hosts, count(*) AS n, quantilesExact(0.499999999999, 0.989999999999)(pages) AS quantiles, "
	  "max(pages) AS most FROM services WHERE " COMPLETE " GROUP BY service) ORDER BY p99 DESC, service",
	  COLUMNS(
		{ "service", CELL_TEXT, 0, "", "name of processes; (others): those beyond a host's 1,000 largest" },
		{ "hosts", CELL_INT, 0, "hosts", "hosts that have the service" },
		{ "intervals", CELL_INT, 0, "intervals", "intervals of all these hosts" },
		{ "wss_median_mib", CELL_REAL, 3, "MiB", "working set in an interval: not exceeded in half of the intervals" },
		{ "wss_p99_mib", CELL_REAL, 3, "MiB", "not exceeded in 99 % of the intervals" },
		{ "wss_max_mib", CELL_REAL, 3, "MiB", "largest working set in an interval" }) },
	{ "coldest", "the tenth of the hosts that reference the smallest share of their memory",
	  "intervals",
	  "WITH h AS (SELECT host, count(*) AS n, max(memory_bytes) AS memory, "
	  "CAST(sum(" REFERENCED ") AS DOUBLE) * 4096 AS referenced, CAST(sum(memory_bytes) AS DOUBLE) AS bytes "
	  MACHINES(STORED) "AND memory_bytes > 0 GROUP BY host) "
	  "SELECT host, n, memory / 1073741824.0, referenced / n / 1073741824.0, 100 * referenced / bytes "
	  "FROM (SELECT *, row_number() OVER (ORDER BY referenced / bytes, host) AS k FROM h) "
	  "WHERE k <= (SELECT (count(*) + 9) // 10 FROM h) ORDER BY k",
	  /*
	   * Without window functions: rows of an ordered subquery by their number.  Bytes are added up
	   * in two parts, since 2,048 intervals of 4 PiB have more than 64 bits.
	   */
	  "SELECT host, n, memory / 1073741824.0, referenced / n / 1073741824.0, 100 * referenced / bytes FROM ("
	  "SELECT host, count(*) AS n, max(memory_bytes) AS memory, CAST(sum(" REFERENCED ") AS DOUBLE) * 4096 AS referenced, "
	  "CAST(sum(intDiv(memory_bytes, 1048576)) AS DOUBLE) * 1048576 + CAST(sum(memory_bytes % 1048576) AS DOUBLE) AS bytes "
	  MACHINES(COMPLETE) "AND memory_bytes > 0 GROUP BY host ORDER BY referenced / bytes, host) "
	  "WHERE rowNumberInAllBlocks() < (SELECT intDiv(uniqExact(host) + 9, 10) "
	  MACHINES(COMPLETE) "AND memory_bytes > 0) ORDER BY referenced / bytes, host",
	  COLUMNS(
		{ "host", CELL_TEXT, 0, "", "name of the host's folder" },
		{ "intervals", CELL_INT, 0, "intervals", "intervals of the host in the store" },
		{ "memory_gib", CELL_REAL, 3, "GiB", "memory of the host's nodes" },
		{ "referenced_mean_gib", CELL_REAL, 3, "GiB", "memory referenced in an interval, mean" },
		{ "referenced_pct", CELL_REAL, 3, "%", "memory referenced, of all memory, over all intervals" }) },
	{ "cache", "hosts of whose referenced memory at least half is page cache",
	  "intervals",
	  BOTH(CACHE),
	  COLUMNS(
		{ "host", CELL_TEXT, 0, "", "name of the host's folder" },
		{ "intervals", CELL_INT, 0, "intervals", "intervals of the host in the store" },
		{ "page_cache_mean_gib", CELL_REAL, 3, "GiB", "page cache accessed in an interval, mean" },
		{ "page_cache_pct", CELL_REAL, 3, "%", "page cache, of all memory referenced" }) },
	{ "drift", "change of each host's mean working set from the last but one day (UTC) to the last",
	  "intervals",
	  BOTH(DRIFT),
	  COLUMNS(
		{ "host", CELL_TEXT, 0, "", "name of the host's folder" },
		{ "day_before_gib", CELL_REAL, 3, "GiB", "mean working set on the last but one day (UTC) of the store" },
		{ "last_day_gib", CELL_REAL, 3, "GiB", "mean working set on the last day" },
		{ "change_pct", CELL_REAL, 3, "%", "change from the day before" }) },
	{ "drain", "hosts by the resident memory that draining frees for each page that must be faulted in elsewhere",
	  "intervals",
	  BOTH(DRAIN),
	  COLUMNS(
		{ "host", CELL_TEXT, 0, "", "name of the host's folder" },
		{ "freed_gib", CELL_REAL, 3, "GiB", "largest resident memory: what draining the host frees" },
		{ "refaulted_max_gib", CELL_REAL, 3, "GiB", "most user and page cache memory referenced in an interval: what must be faulted in elsewhere" },
		{ "freed_per_refault", CELL_REAL, 3, "", "pages freed for each page faulted in" }) },
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
