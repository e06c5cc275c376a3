// SPDX-License-Identifier: GPL-2.0-only
/* The program kmemprof-serve, which `kmemprof serve` becomes. */
#include <malloc.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "cli/commands.h"
#include "cli/serve/confine.h"
#include "cli/serve/http.h"
#include "cli/launch.h"

enum { TOP = 50, TOP_MAX = 10000, INTERVAL = 30 };

DEFINE_CLEANUP(http, struct serve_http *, serve_http_stop)

static struct kmp_error *read_options(const struct cli_args *args, struct serve_options *options)
{
	const char *listen = cli_value(args, "listen"), *token = cli_value(args, "token-file");
	uint64_t top = TOP;

	*options = (struct serve_options){ .listen = listen ? listen : "127.0.0.1:9417",
					   .interval = INTERVAL,
					   .open = cli_value(args, "no-token") != NULL };
	if (cli_value(args, "interval"))
		try(cli_duration(args, "interval", &options->interval));
	if (options->interval < 0.01 || options->interval > 366 * 86400.0)
		return kmp_error_new(KMP_ERROR_USAGE, "--interval: from 10ms to a year");
	if (cli_value(args, "top"))
		try(cli_number(args, "top", &top));
	if (top < 1 || top > TOP_MAX)
		return kmp_error_new(KMP_ERROR_USAGE, "--top: from 1 to %d", TOP_MAX);
	options->top = (size_t)top;
	if (options->open && token)
		return kmp_error_new(KMP_ERROR_USAGE, "--no-token excludes --token-file");
	return token ? serve_read_token(token, &options->token) : NULL;
}

/* Until a signal comes. */
static void wait_for_end(struct serve_http *http, const sigset_t *signals)
{
	const struct timespec second = { .tv_sec = 1 };

	while (sigtimedwait(signals, NULL, &second) < 0)
		serve_http_tidy(http);
}

struct kmp_error *cli_serve_run(struct cli_args *args)
{
	struct server server cleanup(server_stop) = { 0 };
	struct serve_listen listen cleanup(serve_listen_deinit) = { .fd = -1 };
	struct serve_http *http cleanup(cleanup_http) = NULL;
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &signals, NULL);
	try(read_options(args, &server.options));
	try(serve_listen(server.options.listen, server.options.open || server.options.token,
			 &listen));
	try(serve_reader_open(&server.reader, args));
	const struct serve_needs needs = {
		.recorder = server.reader.recorder,
		.source = server.reader.recorder ? NULL : server.reader.path,
		.history = server.reader.history ? server.reader.path : NULL,
		.socket = listen.path,
	};

	serve_confine(&needs);
	try(server_start(&server));
	try(serve_http_start(&server, &listen, &http));
	/* The daemon closes it. */
	listen.fd = -1;
	printf("serving at %s\n", listen.where);
	fflush(stdout);
	wait_for_end(http, &signals);
	return NULL;
}

int main(int argc, char **argv)
{
	struct cli_args args;

	signal(SIGPIPE, SIG_IGN);
	/* Samples are made by one thread and freed by another: with more arenas, memory would grow.
	 */
	mallopt(M_ARENA_MAX, 2);
	/* Each sample takes what the one before it gave back: the kernel need not clear it anew. */
	mallopt(M_MMAP_THRESHOLD, 8 << 20);
	mallopt(M_TRIM_THRESHOLD, 16 << 20);
	struct kmp_error *err = cli_parse(&cmd_serve, argc, argv, &args);

	if (!err)
		err = cli_serve_run(&args);
	return err ? cli_report_error(err) : args.status;
}
