/* SPDX-License-Identifier: GPL-2.0-only */
/* What the paths answer. */
#ifndef KMP_CLI_SERVE_ANSWER_H
#define KMP_CLI_SERVE_ANSWER_H

#include "cli/serve/server.h"

/* The parameters of a request, each once. */
struct serve_query {
	struct {
		const char *name;
		const char *value;
	} pairs[24];
	size_t count;
	const char *known; /* `If-None-Match`, or NULL */
	bool open_metrics; /* the client prefers OpenMetrics */
	bool gzip;	   /* it takes that, and is not on this machine */
};

/* An answer being made: text is the stream's. */
struct serve_answer {
	unsigned status;	 /* 0: not known, 404 */
	const char *type;	 /* of its content */
	const char *policy;	 /* what the content may do in a browser */
	const char *disposition; /* or NULL */
	bool zipped;		 /* gzip is its encoding */
	char tag[48];		 /* names what is answered, or empty */
	FILE *out;
	/* Or a text that many get, in place of what was written: it is this sample's, whose
	 * reference is taken. */
	struct serve_sample *shared;
	const char *text;
	size_t len;
};

/* Is this a path that answers without a token: what has no figures? */
bool serve_is_open(const char *path);

/* Answer. KMP_ERROR_USAGE is the client's fault. */
struct kmp_error *serve_answer(struct server *server, const char *path,
			       const struct serve_query *query, struct serve_answer *answer);

/* Answers below /api/v1/ and /pprof/; a report of a given sample. */
struct kmp_error *serve_api(struct server *server, const char *verb,
			    const struct serve_query *query, struct serve_answer *answer);
struct kmp_error *serve_report(struct server *server, struct serve_sample *sample,
			       const struct serve_query *query, struct serve_answer *answer);
struct kmp_error *serve_pprof(struct server *server, const struct serve_query *query,
			      struct serve_answer *answer);

#endif
