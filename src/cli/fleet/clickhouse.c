// SPDX-License-Identifier: GPL-2.0-only
#include "cli/fleet/clickhouse.h"

#include <curl/curl.h>
#include <stdarg.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/fleet/failure.h"
#include "cli/fleet/pack.h"
#include "cli/fleet/target.h"

enum { ANSWER_MAX = 256 << 20, CONNECT_SECONDS = 10, INSERT_FACTOR = 5, ASYNC_INSERTS = 21011 };

struct clickhouse {
	struct target target;
	const char *ca_file;
	double timeout;
	const atomic_int *stop;
	CURL *curl;
	unsigned version;
	char version_text[32];
	enum clickhouse_trouble trouble;
	int code;
	char error[CURL_ERROR_SIZE];
};

/* One request and what came of it. */
struct request {
	struct clickhouse *server;
	struct row_writer url;
	struct row_writer answer;
	struct kmp_error *err; /* of memory */
};

DEFINE_CLEANUP(server, struct clickhouse *, clickhouse_close)
DEFINE_CLEANUP(headers, struct curl_slist *, curl_slist_free_all)

static void request_deinit(struct request *request)
{
	vec_deinit(&request->url.bytes);
	vec_deinit(&request->answer.bytes);
	kmp_error_destroy(request->err);
}

static struct kmp_error *no_memory(void)
{
	return kmp_error_new(KMP_ERROR_MEMORY, "out of memory");
}

struct kmp_error *clickhouse_open(const struct clickhouse_options *options, struct clickhouse **out)
{
	struct clickhouse *server cleanup(cleanup_server) = calloc(1, sizeof(*server));
	static bool started;

	if (!server)
		return no_memory();
	if (!started && curl_global_init(CURL_GLOBAL_DEFAULT))
		return kmp_error_new(KMP_ERROR_SYSTEM, "libcurl does not start");
	started = true;
	server->ca_file = options->ca_file;
	server->timeout = options->timeout > 0 ? options->timeout : 60;
	server->stop = options->stop;
	try(target_parse(options->url, options->password_file, &server->target));
	server->curl = curl_easy_init();
	if (!server->curl)
		return no_memory();
	*out = no_free(server);
	return NULL;
}

void clickhouse_close(struct clickhouse *server)
{
	if (!server)
		return;
	curl_easy_cleanup(server->curl);
	target_deinit(&server->target);
	free(server);
}

unsigned clickhouse_version(const struct clickhouse *server)
{
	return server->version;
}

const char *clickhouse_version_text(const struct clickhouse *server)
{
	return server->version_text;
}

const char *clickhouse_database(const struct clickhouse *server)
{
	return server->target.database;
}

const char *clickhouse_name(const struct clickhouse *server)
{
	return server->target.name;
}

enum clickhouse_trouble clickhouse_trouble(const struct clickhouse *server)
{
	return server->trouble;
}

int clickhouse_code(const struct clickhouse *server)
{
	return server->code;
}

struct kmp_error *clickhouse_table(const struct clickhouse *server, struct sql *sql,
				   const char *table)
{
	try(sql_name(sql, server->target.database));
	try(sql_add(sql, "."));
	return sql_name(sql, table);
}

static size_t take_answer(char *bytes, size_t size, size_t count, void *arg)
{
	struct request *request = arg;

	if (request->err || count > ANSWER_MAX - request->answer.bytes.len)
		return 0;
	request->err = grow_append(&request->answer.bytes, bytes, count);
	return request->err ? 0 : size * count;
}

static int look_for_stop(void *arg, curl_off_t down_total, curl_off_t down, curl_off_t up_total,
			 curl_off_t up)
{
	const struct clickhouse *server = arg;

	return server->stop && atomic_load(server->stop);
}

static struct kmp_error *add_parameter(struct request *request, const char *name, const char *value,
				       size_t len)
{
	char *safe = curl_easy_escape(request->server->curl, value, (int)len);

	if (!safe)
		return no_memory();
	struct kmp_error *err = grow_append(&request->url.bytes, name, strlen(name));

	if (!err)
		err = grow_append(&request->url.bytes, safe, strlen(safe));
	curl_free(safe);
	return err;
}

/* What all requests have in common. */
static void prepare(struct request *request, double timeout)
{
	struct clickhouse *server = request->server;
	CURL *curl = server->curl;

	/* Connections stay, options do not. */
	curl_easy_reset(curl);
	server->error[0] = '\0';
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, server->error);
	curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_SECONDS);
	curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)(timeout * 1000));
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_answer);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, request);
	curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
	curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, look_for_stop);
	curl_easy_setopt(curl, CURLOPT_XFERINFODATA, server);
	curl_easy_setopt(curl, CURLOPT_POST, 1L);
	if (server->ca_file)
		curl_easy_setopt(curl, CURLOPT_CAINFO, server->ca_file);
	if (server->target.user || server->target.password)
		curl_easy_setopt(curl, CURLOPT_USERNAME,
				 server->target.user ? server->target.user : "default");
	if (server->target.password)
		curl_easy_setopt(curl, CURLOPT_PASSWORD, server->target.password);
}

static struct kmp_error *perform(struct request *request)
{
	struct clickhouse *server = request->server;
	long status = 0;

	server->trouble = CLICKHOUSE_FINE;
	server->code = 0;
	curl_easy_setopt(server->curl, CURLOPT_URL, request->url.bytes.data);
	CURLcode got = curl_easy_perform(server->curl);

	if (request->err)
		return no_free(request->err);
	curl_easy_getinfo(server->curl, CURLINFO_RESPONSE_CODE, &status);
	if (got == CURLE_OK && status == 200)
		return NULL;
	struct failure failure = { .where = server->target.name };
	struct kmp_error *err =
		got != CURLE_OK ? failure_of_curl(&failure, (int)got,
						  server->error[0] ? server->error
								   : curl_easy_strerror(got))
				: failure_of_answer(&failure, status, request->answer.bytes.data,
						    request->answer.bytes.len);

	server->trouble = failure.trouble;
	server->code = failure.code;
	return err;
}

struct kmp_error *clickhouse_query(struct clickhouse *server, const struct sql *sql,
				   struct row_writer *answer)
{
	struct request request cleanup(request_deinit) = { .server = server };

	prepare(&request, server->timeout);
	/* An error half-way through the rows is then none behind the rows. */
	try(grow_append(&request.url.bytes, server->target.base, strlen(server->target.base)));
	try(add_parameter(&request, "?wait_end_of_query=", "1", 1));
	try(grow_push(&request.url.bytes, '\0'));
	curl_easy_setopt(server->curl, CURLOPT_POSTFIELDS, sql->text.len ? sql->text.data : "");
	curl_easy_setopt(server->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)sql->text.len);
	try(perform(&request));
	if (!answer)
		return NULL;
	vec_deinit(&answer->bytes);
	answer->bytes.data = no_free(request.answer.bytes.data);
	answer->bytes.len = request.answer.bytes.len;
	answer->bytes.cap = request.answer.bytes.cap;
	return NULL;
}

struct kmp_error *clickhouse_ask(struct clickhouse *server, struct row_writer *answer,
				 const char *fmt, ...)
{
	auto_free char *text = NULL;
	va_list args;

	va_start(args, fmt);
	int len = vasprintf(&text, fmt, args);
	va_end(args);
	if (len < 0) {
		text = NULL;
		return no_memory();
	}
	const struct sql sql = { .text = { .data = text, .len = (size_t)len } };

	return clickhouse_query(server, &sql, answer);
}

struct kmp_error *clickhouse_connect(struct clickhouse *server)
{
	struct row_writer answer = { 0 };
	unsigned major = 0, minor = 0;

	try(clickhouse_ask(server, &answer, "SELECT version()"));
	snprintf(server->version_text, sizeof(server->version_text), "%.*s",
		 (int)strnlen(answer.bytes.data ? answer.bytes.data : "", answer.bytes.len),
		 answer.bytes.data ? answer.bytes.data : "");
	vec_deinit(&answer.bytes);
	server->version_text[strspn(server->version_text, "0123456789.")] = '\0';
	if (sscanf(server->version_text, "%4u.%3u", &major, &minor) != 2 || !major) {
		server->trouble = CLICKHOUSE_REFUSED;
		return kmp_error_new(KMP_ERROR_INPUT, "%s: this is no ClickHouse",
				     server->target.name);
	}
	server->version = major * 1000 + minor;
	return NULL;
}

/* Rows that come as one block are there all or none, and only when they are is that said. */
static struct kmp_error *add_settings(struct request *request)
{
	char rows[24];

	snprintf(rows, sizeof(rows), "%u", 2U * CLICKHOUSE_ROWS);
	try(add_parameter(request, "&wait_end_of_query=", "1", 1));
	try(add_parameter(request, "&max_insert_block_size=", rows, strlen(rows)));
	try(add_parameter(request, "&min_insert_block_size_rows=", rows, strlen(rows)));
	try(add_parameter(request, "&min_insert_block_size_bytes=", "0", 1));
	try(add_parameter(request, "&insert_distributed_sync=", "1", 1));
	if (request->server->version >= ASYNC_INSERTS)
		try(add_parameter(request, "&async_insert=", "0", 1));
	return grow_push(&request->url.bytes, '\0');
}

struct kmp_error *clickhouse_insert(struct clickhouse *server, const struct sql *sql,
				    const char *query_id, const struct row_writer *packed)
{
	struct request request cleanup(request_deinit) = { .server = server };
	struct curl_slist *headers cleanup(cleanup_headers) =
		curl_slist_append(NULL, pack_header(server->version));

	if (!headers)
		return no_memory();
	prepare(&request, server->timeout * INSERT_FACTOR);
	try(grow_append(&request.url.bytes, server->target.base, strlen(server->target.base)));
	try(add_parameter(&request, "?query=", sql->text.data, sql->text.len));
	try(add_parameter(&request, "&query_id=", query_id, strlen(query_id)));
	try(add_settings(&request));
	curl_easy_setopt(server->curl, CURLOPT_HTTPHEADER, headers);
	curl_easy_setopt(server->curl, CURLOPT_POSTFIELDS, packed->bytes.data);
	curl_easy_setopt(server->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)packed->bytes.len);
	/* On a connection that was open before, libcurl would send a second time by itself. */
	curl_easy_setopt(server->curl, CURLOPT_FRESH_CONNECT, 1L);
	return perform(&request);
}

struct kmp_error *clickhouse_pack(const struct clickhouse *server, const struct row_writer *rows,
				  struct row_writer *packed)
{
	return pack_rows(server->version, rows, packed);
}
