// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * How rows of each table are read, checked and stored: SQL.
 *
 * All fields are read as text, so that a wrong one costs its row and not the file.  What a
 * row is refused for is in the column refused; NULL: nothing.
 */
#include "tables.h"

const char * const table_header[NR_TABLES] = {
	"schema,host,boot,time_ns,interval_ns,seq,node,memory_bytes,pages_kernel,pages_user,pages_page_cache,groups,"
	"groups_written,pages_resident,flags",
	"schema,host,boot,time_ns,interval_ns,seq,service,processes,pages,pages_written,pages_resident",
};

/* No machine has more: 4 PiB, in pages and in bytes; 4 million nodes or processes. */
#define PAGES(column)	column " BETWEEN 0 AND 1099511627776"
#define BYTES(column)	column " BETWEEN 0 AND 4503599627370496"
#define SMALL(column)	column " BETWEEN 0 AND 4194304"
/* A number that may be empty must be a number if it is not. */
#define NULLABLE(column, check) "(raw_" column " IS NULL OR coalesce(" check ", false))"
#define NUMBER(column)	"TRY_CAST(" column " AS BIGINT) AS " column
#define RAW(column)	column " AS raw_" column ", " NUMBER(column)

#define READ(columns) \
	"FROM read_csv(%s, header = true, auto_detect = false, delim = ',', quote = '\"', escape = '\"', " \
	"nullstr = '', filename = true, hive_partitioning = false, ignore_errors = true, columns = {" columns "})"
#define TEXT(column)	"'" column "': 'VARCHAR'"
#define FIRST_TEXTS	TEXT("schema") ", " TEXT("host") ", " TEXT("boot") ", " TEXT("time_ns") ", " \
			TEXT("interval_ns") ", " TEXT("seq")
#define FIRST_COLUMNS \
	"string_split(filename, '/')[-2] AS host, host AS claimed, boot, TRY_CAST(schema AS INTEGER) AS version, " \
	NUMBER("time_ns") ", " NUMBER("interval_ns")
/* %llu: the latest time. */
#define FIRST_CHECKS \
	"WHEN version IS DISTINCT FROM 1 THEN 'schema' " \
	"WHEN claimed IS DISTINCT FROM t.host THEN 'name of another host' " \
	"WHEN time_ns > %llu THEN 'time in the future' " \
	"WHEN coalesce(time_ns <= 0 OR interval_ns <= 0 OR interval_ns > 86400000000000, true) THEN 'time' " \
	"WHEN length(boot) > 64 THEN 'boot' "

const char * const table_read_sql[NR_TABLES] = {
	"CREATE TEMP TABLE batch AS SELECT *, CASE " FIRST_CHECKS
	"WHEN NOT (" NULLABLE("node", SMALL("node")) " AND " NULLABLE("memory_bytes", BYTES("memory_bytes")) " AND "
	NULLABLE("pages_resident", PAGES("pages_resident")) " AND coalesce(" PAGES("pages_kernel") " AND "
	PAGES("pages_user") " AND " PAGES("pages_page_cache") " AND " PAGES("groups") " AND "
	PAGES("groups_written") ", false)) THEN 'number' "
	"WHEN 4096 * greatest(pages_kernel, pages_user, pages_page_cache) > memory_bytes THEN 'more than the memory' "
	"END AS refused FROM (SELECT " FIRST_COLUMNS ", " RAW("node") ", " RAW("memory_bytes") ", "
	NUMBER("pages_kernel") ", " NUMBER("pages_user") ", " NUMBER("pages_page_cache") ", " NUMBER("groups") ", "
	NUMBER("groups_written") ", " RAW("pages_resident") ", TRY_CAST(flags AS BIGINT) AS flags "
	READ(FIRST_TEXTS ", " TEXT("node") ", " TEXT("memory_bytes") ", " TEXT("pages_kernel") ", " TEXT("pages_user") ", "
	     TEXT("pages_page_cache") ", " TEXT("groups") ", " TEXT("groups_written") ", " TEXT("pages_resident") ", "
	     TEXT("flags")) ") t",

	"CREATE TEMP TABLE batch AS SELECT *, CASE " FIRST_CHECKS
	"WHEN service IS NULL OR length(service) > 256 THEN 'service' "
	"WHEN NOT coalesce(" SMALL("processes") " AND " PAGES("pages") " AND " PAGES("pages_written") " AND "
	PAGES("pages_resident") ", false) THEN 'number' "
	"END AS refused FROM (SELECT " FIRST_COLUMNS ", service, " NUMBER("processes") ", " NUMBER("pages") ", "
	NUMBER("pages_written") ", " NUMBER("pages_resident") " "
	READ(FIRST_TEXTS ", " TEXT("service") ", " TEXT("processes") ", " TEXT("pages") ", " TEXT("pages_written") ", "
	     TEXT("pages_resident")) ") t",
};

const char * const table_store_sql[NR_TABLES] = {
	"SELECT host, boot, time_ns, interval_ns, CAST(node AS INTEGER) AS node, memory_bytes, pages_kernel, pages_user, "
	"pages_page_cache, groups, groups_written, pages_resident, flags FROM batch WHERE refused IS NULL "
	"ORDER BY host, time_ns, node",

	/* A host may have any number of names: those beyond its 1,000 largest are added up. */
	"WITH names AS (SELECT host, service, row_number() OVER (PARTITION BY host ORDER BY max(pages) DESC, service) AS k "
	"FROM batch WHERE refused IS NULL GROUP BY host, service) "
	"SELECT b.host AS host, any_value(boot) AS boot, time_ns, any_value(interval_ns) AS interval_ns, "
	"CASE WHEN k <= 1000 THEN b.service ELSE '(others)' END AS service, CAST(sum(processes) AS BIGINT) AS processes, "
	"CAST(sum(pages) AS BIGINT) AS pages, CAST(sum(pages_written) AS BIGINT) AS pages_written, "
	"CAST(sum(pages_resident) AS BIGINT) AS pages_resident "
	"FROM batch b JOIN names n ON b.host = n.host AND b.service = n.service WHERE refused IS NULL "
	"GROUP BY b.host, time_ns, CASE WHEN k <= 1000 THEN b.service ELSE '(others)' END ORDER BY 1, 3, 5",
};
