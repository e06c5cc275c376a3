/* SPDX-License-Identifier: GPL-2.0-only */
/* A directory of samples that wait: each is there whole, on the disk, or not at all. */
#ifndef KMP_CLI_FLEET_SPOOL_H
#define KMP_CLI_FLEET_SPOOL_H

#include "cli/fleet/sample.h"

enum { SPOOL_NAME_SIZE = 48 };

struct spool {
	const char *path;
	int dir;  /* -1: none */
	int lock; /* -1: none */
};

/* A file of it. */
struct spool_file {
	char name[SPOOL_NAME_SIZE]; /* rises with the time of the sample */
	uint64_t size;
};

/*
 * Open a directory, or make it (0700), for this process alone. What a writer that was killed left
 * half-written is removed.
 */
struct kmp_error *spool_open(const char *path, struct spool *spool);
void spool_close(struct spool *spool);

/* What waits there, oldest first; free() it. */
struct kmp_error *spool_list(const struct spool *spool, struct spool_file **files, size_t *count);

/* What the file of a sample is called, by its key. */
void spool_name(const struct push_sample *sample, char name[SPOOL_NAME_SIZE]);

/* Add a sample, encoded. KMP_ERROR_SYSTEM if there is no room. */
struct kmp_error *spool_write(const struct spool *spool, const struct push_sample *sample,
			      const struct row_writer *bytes, struct spool_file *file);

/* Read a sample. KMP_ERROR_INPUT if it is damaged. */
struct kmp_error *spool_read(const struct spool *spool, const char *name,
			     struct push_sample **sample);

void spool_remove(const struct spool *spool, const char *name);

#endif
