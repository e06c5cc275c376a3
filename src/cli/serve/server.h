/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the threads of the server share: the samples, which one thread reads at each interval, and
 * what others ask of them.
 */
#ifndef KMP_CLI_SERVE_SERVER_H
#define KMP_CLI_SERVE_SERVER_H

#include "cli/serve/metrics.h"
#include "cli/serve/reader.h"

struct serve_options {
	const char *listen;
	double interval; /* seconds */
	size_t top;	 /* series of each kind */
	char *token;	 /* or NULL */
	bool open;	 /* others may ask without a token */
};

struct server {
	struct serve_options options;
	struct serve_reader reader;
	pthread_mutex_t reading; /* one reads at a time */
	pthread_mutex_t lock;	 /* what follows */
	pthread_cond_t ends;
	bool ending;
	struct serve_sample *first; /* since the server began */
	struct serve_sample *previous;
	struct serve_sample *last;
	char *failure; /* why the last reading failed, or NULL */
	uint64_t readings;
	uint64_t failures;
	uint64_t requests;
	uint64_t refused; /* of the requests: not answered with what they asked for */
	double rendering; /* seconds that the metrics of the last sample took */
	size_t connections;
	size_t answering; /* bytes of answers on their way */
	pthread_mutex_t metrics_lock;
	struct serve_metrics metrics;
	pthread_t sampler;
};

/* Read the first sample, and begin to read more of them. The options and the reader are there. */
struct kmp_error *server_start(struct server *server);
void server_stop(struct server *server);

/*
 * The sample named `first`, `previous` or `last`, or of a moment of a history; a reference that
 * must be put. KMP_ERROR_USAGE.
 */
struct kmp_error *server_sample(struct server *server, const char *when,
				struct serve_sample **sample);

/* The metrics of the last sample, to a stream. */
void server_metrics(struct server *server, bool open, FILE *out);

/* One line on how it goes; false if the source cannot be read now. */
bool server_health(struct server *server, FILE *out);

#endif
