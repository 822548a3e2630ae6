// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * The other engine: a ClickHouse server, asked by HTTP.
 *
 * Rows go in as the body of a request, in a format that has no statements; answers come as
 * JSON, of which a part is no JSON.  The server answers when a query is complete, so that an
 * error is the status of the answer, never a line within it.
 */
#include <ctype.h>
#include <curl/curl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "clickhouse.h"
#include "lib/complain.h"
#include "lib/cells/utf8.h"

#define CONNECT_TIMEOUT_MS	10000L
/* Of an answer; the largest of a fleet of 10,000 hosts has 1 MB. */
#define ANSWER_BYTES		(1UL << 30)

struct server {
	CURL *curl;
	CURLU *url;		/* without a database */
	struct curl_slist *headers;
	char *database, *name;
	double timeout_s;
	int quiet;		/* print no messages */
	char *answer;
	size_t size, capacity;
	char error[CURL_ERROR_SIZE];
};

static size_t take(char *data, size_t one, size_t size, void *to)
{
	struct server *s = to;
	char *more;

	size *= one;
	if (s->size + size > ANSWER_BYTES)
		return 0;
	if (s->size + size >= s->capacity) {
		more = realloc(s->answer, 2 * (s->size + size) + 4096);
		if (!more)
			return 0;
		s->answer = more;
		s->capacity = 2 * (s->size + size) + 4096;
	}
	memcpy(s->answer + s->size, data, size);
	s->size += size;
	s->answer[s->size] = '\0';
	return size;
}

/* A part of the URL, decoded; NULL: there is none. */
static char *part(CURLU *url, CURLUPart which)
{
	char *text, *copy;

	if (curl_url_get(url, which, &text, which == CURLUPART_PORT ? CURLU_DEFAULT_PORT : CURLU_URLDECODE))
		return NULL;
	copy = strdup(text);
	curl_free(text);
	return copy;
}

/*
 * Take http://[USER[:PASSWORD]@]HOST[:PORT]/DATABASE apart.  Messages are without the
 * password.  Return OK, or FAILED with a message.
 */
static int take_address(struct server *s, const char *text)
{
	char *scheme, *host, *port, *path, *query;
	int ret = OK;

	if (curl_url_set(s->url, CURLUPART_URL, text, 0))
		return complain(FAILED, "--clickhouse: not http://HOST:PORT/DATABASE");
	scheme = part(s->url, CURLUPART_SCHEME);
	host = part(s->url, CURLUPART_HOST);
	port = part(s->url, CURLUPART_PORT);
	path = part(s->url, CURLUPART_PATH);
	query = part(s->url, CURLUPART_QUERY);
	if (!scheme || (strcmp(scheme, "http") && strcmp(scheme, "https")) || !host || !port || query)
		ret = complain(FAILED, "--clickhouse: not http://HOST:PORT/DATABASE");
	else if (!path || !path[1] || strchr(path + 1, '/'))
		ret = complain(FAILED, "--clickhouse %s://%s:%s: names no database: http://HOST:PORT/DATABASE", scheme, host, port);
	else if (!(s->database = strdup(path + 1)) ||
		 asprintf(&s->name, "%s://%s:%s/%s", scheme, host, port, path + 1) < 0)
		ret = complain(FAILED, "no memory left");
	free(scheme);
	free(host);
	free(port);
	free(path);
	free(query);
	return ret;
}

static void set_options(struct server *s)
{
	curl_easy_setopt(s->curl, CURLOPT_ERRORBUFFER, s->error);
	curl_easy_setopt(s->curl, CURLOPT_WRITEFUNCTION, take);
	curl_easy_setopt(s->curl, CURLOPT_WRITEDATA, s);
	curl_easy_setopt(s->curl, CURLOPT_HTTPHEADER, s->headers);
	/* On a connection that was used before, curl sends again what may have been done. */
	curl_easy_setopt(s->curl, CURLOPT_FRESH_CONNECT, 1L);
	curl_easy_setopt(s->curl, CURLOPT_FORBID_REUSE, 1L);
	curl_easy_setopt(s->curl, CURLOPT_NETRC, (long)CURL_NETRC_OPTIONAL);
	curl_easy_setopt(s->curl, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_TIMEOUT_MS);
	curl_easy_setopt(s->curl, CURLOPT_TIMEOUT_MS, (long)(s->timeout_s * 1000));
}

/**
 * server_open() - prepare to ask a server; nothing is sent yet
 * @address: from the options
 *
 * Return: the server, or NULL with a message printed.
 */
struct server *server_open(const struct server_address *address)
{
	struct server *s = calloc(1, sizeof(*s));

	if (!s || curl_global_init(CURL_GLOBAL_DEFAULT)) {
		complain(FAILED, "no memory left");
		free(s);
		return NULL;
	}
	s->timeout_s = address->timeout_s > 0 ? address->timeout_s : SERVER_TIMEOUT_S;
	s->curl = curl_easy_init();
	s->url = curl_url();
	/* Large bodies do not wait for a "100 Continue". */
	s->headers = curl_slist_append(NULL, "Expect:");
	if (!s->curl || !s->url || !s->headers)
		complain(FAILED, "no memory left");
	else if (!take_address(s, address->url)) {
		set_options(s);
		return s;
	}
	server_close(s);
	return NULL;
}

/** server_close() - end the connection */
void server_close(struct server *s)
{
	if (!s)
		return;
	curl_easy_cleanup(s->curl);
	curl_url_cleanup(s->url);
	curl_slist_free_all(s->headers);
	curl_global_cleanup();
	free(s->database);
	free(s->name);
	free(s->answer);
	free(s);
}

/** server_name() - the server and its database, for messages */
const char *server_name(const struct server *s)
{
	return s->name;
}

/** server_database() - the database */
const char *server_database(const struct server *s)
{
	return s->database;
}

/* A key of the query part.  Return 0, or -1 without memory. */
static int add_key(CURLU *url, const char *key, const char *value)
{
	char *text;
	int failed = asprintf(&text, "%s=%s", key, value) < 0 ||
		     curl_url_set(url, CURLUPART_QUERY, text, CURLU_APPENDQUERY | CURLU_URLENCODE);

	if (!failed)
		free(text);
	return failed ? -1 : 0;
}

/* Line ends and blanks in a row become a blank. */
static void join_lines(char *text)
{
	char *to = text;

	for (; *text; text++)
		if (!isspace((unsigned char)*text))
			*to++ = *text;
		else if (text[1] && !isspace((unsigned char)text[1]))
			*to++ = ' ';
	*to = '\0';
}

/*
 * What the server says of an error: Code: N, e.displayText() = DB::Exception: TEXT, e.what() = ...;
 * later versions: Code: N. DB::Exception: TEXT.
 */
static int complain_answer(struct server *s, long status)
{
	static const char begin[] = "xception: ";
	char *text = s->size && !strncmp(s->answer, "Code: ", 6) ? strstr(s->answer, begin) : NULL, *end, *clean;
	int unknown, ret;

	if (s->quiet)
		return FAILED;
	if (!text)
		return complain(FAILED, "%s: HTTP status %ld, and not an answer of ClickHouse", s->name, status);
	/* UNKNOWN_TABLE, UNKNOWN_DATABASE */
	unknown = strtol(s->answer + 6, NULL, 10);
	unknown = unknown == 60 || unknown == 81;
	text += strlen(begin);
	end = strstr(text, ", e.what() = ");
	if (end)
		*end = '\0';
	join_lines(text);
	clean = utf8_clean(text);
	ret = complain(FAILED, "%s: ClickHouse: %.400s%s", s->name, clean ? clean : "",
		       unknown ? " (memscope-fleet create makes database and tables)" : "");
	free(clean);
	return ret;
}

static int complain_curl(struct server *s, CURLcode code)
{
	if (s->quiet)
		return FAILED;
	if (code == CURLE_OPERATION_TIMEDOUT)
		return complain(FAILED, "%s: no answer within %g s", s->name, s->timeout_s);
	if (code == CURLE_PARTIAL_FILE || code == CURLE_GOT_NOTHING || code == CURLE_RECV_ERROR)
		return complain(FAILED, "%s: the answer is cut", s->name);
	if (code == CURLE_WRITE_ERROR)
		return complain(FAILED, "%s: the answer does not fit into memory", s->name);
	return complain(FAILED, "%s: %s", s->name, *s->error ? s->error : curl_easy_strerror(code));
}

/*
 * Send a request: @sql, in the URL if there are @rows.  Only what changes something has
 * settings: a user with read access only cannot set any.
 */
static int send_request(struct server *s, const char *database, const char *sql, const char *rows, size_t size,
			int changes)
{
	CURLU *url = curl_url_dup(s->url);
	long status = 0;
	CURLcode code;
	int failed = !url || curl_url_set(url, CURLUPART_PATH, "/", 0) || add_key(url, "wait_end_of_query", "1") ||
		     (database && add_key(url, "database", database)) ||
		     (changes && add_key(url, "insert_distributed_sync", "1")) || (rows && add_key(url, "query", sql));

	if (failed) {
		curl_url_cleanup(url);
		return complain(FAILED, "no memory left");
	}
	s->size = 0;
	*s->error = '\0';
	curl_easy_setopt(s->curl, CURLOPT_CURLU, url);
	curl_easy_setopt(s->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)(rows ? size : strlen(sql)));
	curl_easy_setopt(s->curl, CURLOPT_POSTFIELDS, rows ? rows : sql);
	code = curl_easy_perform(s->curl);
	curl_easy_getinfo(s->curl, CURLINFO_RESPONSE_CODE, &status);
	curl_easy_setopt(s->curl, CURLOPT_CURLU, NULL);
	curl_url_cleanup(url);
	if (code)
		return complain_curl(s, code);
	return status == 200 ? OK : complain_answer(s, status);
}

/**
 * server_run() - run a statement that has no answer
 * @s: the server
 * @fmt: the statement, of printf
 *
 * Return: OK, or FAILED with a message printed.
 */
int server_run(struct server *s, const char *fmt, ...)
{
	va_list args;
	char *sql;
	int ret;

	va_start(args, fmt);
	ret = vasprintf(&sql, fmt, args);
	va_end(args);
	if (ret < 0)
		return complain(FAILED, "no memory left");
	ret = send_request(s, s->database, sql, NULL, 0, 1);
	free(sql);
	return ret;
}

/** server_drop() - drop a table, if that is possible: prints no message */
void server_drop(struct server *s, const char *table)
{
	s->quiet = 1;
	server_run(s, "DROP TABLE IF EXISTS %s", table);
	s->quiet = 0;
}

/** server_run_without_database() - run a statement while there may be no database */
int server_run_without_database(struct server *s, const char *sql)
{
	return send_request(s, NULL, sql, NULL, 0, 0);
}

/**
 * server_insert() - insert rows
 * @s: the server
 * @table: the table
 * @columns: their names
 * @rows: the rows, TabSeparated
 * @size: bytes of them
 *
 * Return: OK, or FAILED with a message printed.
 */
int server_insert(struct server *s, const char *table, const char *columns, const char *rows, size_t size)
{
	char *sql;
	int ret;

	if (asprintf(&sql, "INSERT INTO %s (%s) FORMAT TabSeparated", table, columns) < 0)
		return complain(FAILED, "no memory left");
	ret = send_request(s, s->database, sql, rows, size, 1);
	free(sql);
	return ret;
}

/* Integers of 64 bits are strings, or numbers, as the server is set. */
static struct cell cell_of(const struct column *c, const json_t *value)
{
	const char *text = json_string_value(value);

	if (c->type == CELL_TEXT)
		return text ? TEXT_CELL(text) : NONE_CELL;
	if (!text && !json_is_number(value))
		return NONE_CELL;
	if (c->type == CELL_INT)
		return INT_CELL(text ? strtoull(text, NULL, 10) : (uint64_t)json_integer_value(value));
	return REAL_CELL(text ? strtod(text, NULL) : json_number_value(value));
}

/* Return OK, FAILED if it is no table of these columns, or -1 without memory. */
static int read_rows(const json_t *data, struct table *t)
{
	struct cell cells[16];
	size_t i;
	int c;

	if (!json_is_array(data))
		return FAILED;
	for (i = 0; i < json_array_size(data); i++) {
		const json_t *row = json_array_get(data, i);

		if (json_array_size(row) != (size_t)t->nr_columns)
			return FAILED;
		for (c = 0; c < t->nr_columns; c++)
			cells[c] = cell_of(&t->columns[c], json_array_get(row, c));
		if (table_add(t, cells))
			return -1;
	}
	return OK;
}

/**
 * server_query() - run a query
 * @s: the server
 * @sql: the query; its columns are those of the table
 * @columns: of the table, up to 16
 * @t: gets the rows; free it with table_free()
 *
 * Return: OK, or FAILED with a message printed.
 */
int server_query(struct server *s, const char *sql, const struct columns *columns, struct table *t)
{
	char *full;
	json_t *answer;
	int ret;

	table_init_columns(t, columns);
	if (asprintf(&full, "%s FORMAT JSONCompact", sql) < 0)
		return complain(FAILED, "no memory left");
	ret = send_request(s, s->database, full, NULL, 0, 0);
	free(full);
	if (ret)
		return FAILED;
	answer = json_loadb(s->answer ? s->answer : "", s->size, 0, NULL);
	ret = answer ? read_rows(json_object_get(answer, "data"), t) : FAILED;
	json_decref(answer);
	if (ret)
		return complain(FAILED, ret < 0 ? "no memory left" : "%s: the answer is cut, or not of ClickHouse", s->name);
	return OK;
}

/** server_identifier() - a name as an identifier of SQL.  Return: to be freed; NULL without memory */
char *server_identifier(const char *name)
{
	char *quoted = malloc(2 * strlen(name) + 3), *to = quoted;

	if (!quoted)
		return NULL;
	*to++ = '`';
	for (; *name; name++) {
		if (*name == '`' || *name == '\\')
			*to++ = '\\';
		*to++ = *name;
	}
	strcpy(to, "`");
	return quoted;
}
