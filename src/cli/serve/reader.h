/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads samples: of a file, a directory, the running kernel, a history, or what is being recorded.
 */
#ifndef KMP_CLI_SERVE_READER_H
#define KMP_CLI_SERVE_READER_H

#include <sys/stat.h>

#include "cli/record.h"
#include "cli/serve/sample.h"

struct serve_reader {
	const char *path; /* for people, too */
	bool kernel;	  /* the running one */
	struct kmp_recorder *recorder;
	struct kmp_history *history;
	struct cli_record job;
	struct stat last; /* the file that was read last */
	bool redact;
	uint64_t number; /* of the last sample */
};

/* Open what the options tell. */
struct kmp_error *serve_reader_open(struct serve_reader *reader, const struct cli_args *args);
void serve_reader_close(struct serve_reader *reader);

/* Read a sample; NULL if nothing can have changed since the last one. */
struct kmp_error *serve_reader_next(struct serve_reader *reader, struct serve_sample **sample);

/* The sample of a history at a moment, as kmp_history_find() takes it. */
struct kmp_error *serve_reader_at(struct serve_reader *reader, const char *when,
				  struct serve_sample **sample);

#endif
