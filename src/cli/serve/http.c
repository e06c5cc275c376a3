// SPDX-License-Identifier: GPL-2.0-only
#include "cli/serve/http.h"

#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "cli/serve/answer.h"
#include "cli/serve/guard.h"
#include "cli/serve/zip.h"

enum {
	THREADS = 4,
	CONNECTIONS_MAX = 512,
	IDLE_SECONDS = 10,    /* without a byte */
	REQUEST_SECONDS = 30, /* from a connection's beginning, or its last answer, to an answer */
	HEADERS_MAX = 32 * 1024, /* and all else of a connection */
	ZIP_MIN = 1400		 /* what fits into a packet is sent as it is */
};

/* Answers on their way, which wait for whoever reads them. */
static const size_t answering_max = 64 << 20;

struct connection {
	struct connection *next;
	struct connection **link;
	int fd;
	time_t since;
};

struct serve_http {
	struct server *server;
	struct MHD_Daemon *daemon;
	bool check_host;
	bool far; /* who asks may be on another machine */
	pthread_mutex_t lock;
	struct connection *connections;
};

static time_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec;
}

static void add_connection(struct serve_http *http, struct MHD_Connection *of, void **context)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(of, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct connection *connection = calloc(1, sizeof(*connection));

	*context = connection;
	if (!connection)
		return;
	connection->fd = info ? info->connect_fd : -1;
	connection->since = now();
	connection->next = http->connections;
	connection->link = &http->connections;
	if (connection->next)
		connection->next->link = &connection->next;
	http->connections = connection;
}

static void drop_connection(void **context)
{
	struct connection *connection = *context;

	if (!connection)
		return;
	*connection->link = connection->next;
	if (connection->next)
		connection->next->link = connection->link;
	free(connection);
	*context = NULL;
}

static void notify(void *arg, struct MHD_Connection *of, void **context,
		   enum MHD_ConnectionNotificationCode code)
{
	struct serve_http *http = arg;
	bool started = code == MHD_CONNECTION_NOTIFY_STARTED;

	pthread_mutex_lock(&http->lock);
	if (started)
		add_connection(http, of, context);
	else
		drop_connection(context);
	pthread_mutex_unlock(&http->lock);
	pthread_mutex_lock(&http->server->lock);
	http->server->connections += started ? 1 : -(size_t)1;
	pthread_mutex_unlock(&http->server->lock);
}

static void completed(void *arg, struct MHD_Connection *of, void **request,
		      enum MHD_RequestTerminationCode why)
{
	struct serve_http *http = arg;
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(of, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	struct connection *connection = info ? info->socket_context : NULL;

	*request = NULL;
	pthread_mutex_lock(&http->lock);
	if (connection)
		connection->since = now();
	pthread_mutex_unlock(&http->lock);
}

void serve_http_tidy(struct serve_http *http)
{
	time_t oldest = now() - REQUEST_SECONDS;

	pthread_mutex_lock(&http->lock);
	for (struct connection *c = http->connections; c; c = c->next) {
		if (c->since < oldest && c->fd >= 0)
			shutdown(c->fd, SHUT_RDWR);
	}
	pthread_mutex_unlock(&http->lock);
}

/* A text that is answered, and counted until it is gone. */
struct body {
	struct server *server;
	char *text;
	size_t len;
};

static void free_body(void *arg)
{
	struct body *body = arg;

	pthread_mutex_lock(&body->server->lock);
	body->server->answering -= body->len;
	pthread_mutex_unlock(&body->server->lock);
	free(body->text);
	free(body);
}

static struct MHD_Response *make_response(struct server *server, char *text, size_t len)
{
	struct body *body = malloc(sizeof(*body));

	if (!body) {
		free(text);
		return NULL;
	}
	*body = (struct body){ server, text, len };
	pthread_mutex_lock(&server->lock);
	server->answering += len;
	pthread_mutex_unlock(&server->lock);
	struct MHD_Response *response =
		MHD_create_response_from_buffer_with_free_callback_cls(len, text, free_body, body);

	if (!response)
		free_body(body);
	return response;
}

static void add_headers(struct MHD_Response *response, const struct serve_answer *answer)
{
	static const char *const always[][2] = {
		{ "Cache-Control", "no-store" },
		{ "Cross-Origin-Opener-Policy", "same-origin" },
		{ "Cross-Origin-Resource-Policy", "same-origin" },
		{ "Referrer-Policy", "no-referrer" },
		{ "Vary", "Accept-Encoding" },
		{ "X-Content-Type-Options", "nosniff" },
		{ "X-Frame-Options", "DENY" },
	};

	for (size_t i = 0; i < sizeof(always) / sizeof(*always); i++)
		MHD_add_response_header(response, always[i][0], always[i][1]);
	MHD_add_response_header(response, "Content-Type", answer->type);
	MHD_add_response_header(response, "Content-Security-Policy", answer->policy);
	if (answer->disposition)
		MHD_add_response_header(response, "Content-Disposition", answer->disposition);
	if (answer->zipped)
		MHD_add_response_header(response, "Content-Encoding", "gzip");
	if (*answer->tag)
		MHD_add_response_header(response, "ETag", answer->tag);
	if (answer->status == 401)
		MHD_add_response_header(response, "WWW-Authenticate", "Bearer");
	if (answer->status == 405)
		MHD_add_response_header(response, "Allow", "GET, HEAD");
	if (answer->status == 503)
		MHD_add_response_header(response, "Retry-After", "5");
	if (answer->status == 413)
		MHD_add_response_header(response, "Connection", "close");
}

static void count(struct server *server, unsigned status)
{
	pthread_mutex_lock(&server->lock);
	server->requests++;
	server->refused += status >= 400;
	pthread_mutex_unlock(&server->lock);
}

static void put_shared(void *sample)
{
	serve_sample_put(sample);
}

/* Of a text that many get, none of them waits for memory of his own. */
static struct MHD_Response *share_response(const struct serve_answer *answer)
{
	struct MHD_Response *response = MHD_create_response_from_buffer_with_free_callback_cls(
		answer->len, (void *)answer->text, put_shared, answer->shared);

	if (!response)
		serve_sample_put(answer->shared);
	return response;
}

/* Send text, which is taken. */
static enum MHD_Result send_text(struct serve_http *http, struct MHD_Connection *to,
				 const struct serve_answer *answer, char *text, size_t len)
{
	struct MHD_Response *response;

	if (answer->shared) {
		free(text);
		response = share_response(answer);
	} else {
		response = make_response(http->server, text, len);
	}
	if (!response)
		return MHD_NO;
	count(http->server, answer->status);
	add_headers(response, answer);
	enum MHD_Result result = MHD_queue_response(to, answer->status, response);

	MHD_destroy_response(response);
	return result;
}

static enum MHD_Result refuse(struct serve_http *http, struct MHD_Connection *to, unsigned status,
			      const char *why)
{
	struct serve_answer answer = { .status = status,
				       .type = "application/json",
				       .policy = "default-src 'none'" };
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	struct kmp_json json;

	if (!out)
		return MHD_NO;
	kmp_json_init(&json, out);
	kmp_json_open(&json, NULL, '{');
	kmp_json_text(&json, "error", why, strlen(why));
	kmp_json_close(&json, '}');
	putc('\n', out);
	fclose(out);
	return send_text(http, to, &answer, text, len);
}

static enum MHD_Result refuse_error(struct serve_http *http, struct MHD_Connection *to,
				    struct kmp_error *err)
{
	bool theirs = err->kind == KMP_ERROR_USAGE;
	char *text auto_free =
		http->server->reader.redact && !theirs ? NULL : kmp_error_format(err);

	kmp_error_destroy(err);
	return refuse(http, to, theirs ? 400 : 500, text ? text : "it failed");
}

static enum MHD_Result add_pair(void *arg, enum MHD_ValueKind kind, const char *name,
				const char *value)
{
	struct serve_query *query = arg;
	size_t max = sizeof(query->pairs) / sizeof(*query->pairs);

	if (query->count < max) {
		query->pairs[query->count].name = name;
		query->pairs[query->count].value = value ? value : "";
	}
	query->count++;
	return MHD_YES;
}

/* Make the text smaller if that is asked for. A profile is gzip already. */
static void zip_text(const struct serve_query *query, struct serve_answer *answer, char **text,
		     size_t *len)
{
	size_t zipped_len;

	if (!query->gzip || answer->shared || *len < ZIP_MIN || answer->disposition)
		return;
	char *zipped = serve_zip(*text, *len, &zipped_len);

	if (!zipped)
		return;
	free(*text);
	*text = zipped;
	*len = zipped_len;
	answer->zipped = true;
}

static enum MHD_Result answer_request(struct serve_http *http, struct MHD_Connection *to,
				      const char *path)
{
	struct serve_answer answer = { .type = "text/plain; charset=utf-8",
				       .policy = "default-src 'none'" };
	struct serve_query query = { 0 };
	char *text = NULL;
	size_t len = 0;
	bool full;

	MHD_get_connection_values(to, MHD_GET_ARGUMENT_KIND, add_pair, &query);
	if (query.count >= sizeof(query.pairs) / sizeof(*query.pairs))
		return refuse(http, to, 400, "too many parameters");
	pthread_mutex_lock(&http->server->lock);
	full = http->server->answering > answering_max;
	pthread_mutex_unlock(&http->server->lock);
	if (full)
		return refuse(http, to, 503, "too many answers wait to be read");
	query.open_metrics = serve_wants_open_metrics(
		MHD_lookup_connection_value(to, MHD_HEADER_KIND, "Accept"));
	query.gzip = http->far && serve_takes_gzip(MHD_lookup_connection_value(to, MHD_HEADER_KIND,
									       "Accept-Encoding"));
	query.known = MHD_lookup_connection_value(to, MHD_HEADER_KIND, "If-None-Match");
	answer.out = open_memstream(&text, &len);
	if (!answer.out)
		return MHD_NO;
	struct kmp_error *err = serve_answer(http->server, path, &query, &answer);
	bool failed = ferror(answer.out);

	failed |= fclose(answer.out) != 0;
	if (!err && !failed && answer.status) {
		zip_text(&query, &answer, &text, &len);
		return send_text(http, to, &answer, text, len);
	}
	free(text);
	serve_sample_put(answer.shared);
	if (err)
		return refuse_error(http, to, err);
	return failed ? refuse(http, to, 500, "out of memory")
		      : refuse(http, to, 404, "there is no such path");
}

static bool has_body(struct MHD_Connection *of)
{
	const char *length = MHD_lookup_connection_value(of, MHD_HEADER_KIND, "Content-Length");

	return (length && strcmp(length, "0") != 0) ||
	       MHD_lookup_connection_value(of, MHD_HEADER_KIND, "Transfer-Encoding");
}

static enum MHD_Result handle(void *arg, struct MHD_Connection *from, const char *path,
			      const char *method, const char *version, const char *data,
			      size_t *data_size, void **request)
{
	struct serve_http *http = arg;
	const char *token = http->server->options.token;
	static char begun;

	/* Once for the headers, then for the request. */
	if (!*request) {
		*request = &begun;
		return has_body(from) ? refuse(http, from, 413, "requests have no body") : MHD_YES;
	}
	if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
		return refuse(http, from, 405, "only GET and HEAD");
	if (http->check_host &&
	    !serve_host_is_here(MHD_lookup_connection_value(from, MHD_HEADER_KIND, "Host")))
		return refuse(http, from, 421,
			      "this is for users of this machine: ask localhost, or its address");
	if (token && !serve_is_open(path) &&
	    !serve_token_fits(token,
			      MHD_lookup_connection_value(from, MHD_HEADER_KIND, "Authorization")))
		return refuse(http, from, 401, "a bearer token is needed");
	return answer_request(http, from, path);
}

static void no_log(void *arg, const char *fmt, va_list args)
{
}

struct kmp_error *serve_http_start(struct server *server, const struct serve_listen *listen,
				   struct serve_http **out)
{
	struct serve_http *http = calloc(1, sizeof(*http));

	if (!http)
		return kmp_error_new(KMP_ERROR_MEMORY, "out of memory");
	http->server = server;
	/* A page from elsewhere could have its own name mean this machine. */
	http->far = !listen->loopback;
	http->check_host = listen->loopback && !listen->path && !server->options.token;
	pthread_mutex_init(&http->lock, NULL);
	http->daemon = MHD_start_daemon(
		MHD_USE_POLL_INTERNAL_THREAD | MHD_USE_ERROR_LOG, 0, NULL, NULL, handle, http,
		MHD_OPTION_EXTERNAL_LOGGER, no_log, NULL, MHD_OPTION_LISTEN_SOCKET, listen->fd,
		MHD_OPTION_THREAD_POOL_SIZE, (unsigned)THREADS, MHD_OPTION_CONNECTION_LIMIT,
		(unsigned)CONNECTIONS_MAX, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_SECONDS,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HEADERS_MAX,
		MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_NOTIFY_CONNECTION, notify, http,
		MHD_OPTION_NOTIFY_COMPLETED, completed, http, MHD_OPTION_END);
	if (!http->daemon) {
		serve_http_stop(http);
		return kmp_error_new(KMP_ERROR_SYSTEM, "the HTTP server cannot start");
	}
	*out = http;
	return NULL;
}

void serve_http_stop(struct serve_http *http)
{
	if (!http)
		return;
	if (http->daemon)
		MHD_stop_daemon(http->daemon);
	pthread_mutex_destroy(&http->lock);
	free(http);
}
