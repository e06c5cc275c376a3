/* SPDX-License-Identifier: GPL-2.0-only */
/* A sample as it is pushed: who held how much on a machine at a moment, and who that is. */
#ifndef KMP_CLI_FLEET_SAMPLE_H
#define KMP_CLI_FLEET_SAMPLE_H

#include "cli/fleet/schema.h"

struct push_figure {
	uint64_t owner; /* a fingerprint, or the number of a tag or task; 0: not told */
	int64_t bytes;
	int64_t count; /* allocations, or calls */
	uint8_t kind;  /* enum schema_kind */
};

struct push_sample {
	uint64_t session; /* a hash of host and boot */
	uint64_t at;	  /* ns since 1970 */
	char *host;
	char *boot;
	char *kernel;
	uint64_t uptime; /* as in struct kmp_moment, as are the next three */
	uint64_t memory_total;
	uint64_t memory_free;
	uint64_t memory_available;
	uint32_t page_size;
	uint8_t holds; /* bits of enum kmp_read */
	uint64_t lost;
	int64_t pages_bytes;
	int64_t tags_bytes;
	struct row_writer labels; /* how many, then names and values as texts */
	VEC(struct push_figure) figures;
	/*
	 * Rows of the tables of stacks, tags and tasks for owners of the figures: of all, or of
	 * those that no sample had before.
	 */
	struct row_writer names[SCHEMA_KINDS];
	void *waiting; /* what the spool knows it by, or NULL */
	bool doubtful; /* all or some of it may be at the server */
	bool tried;    /* by us */
};

void push_sample_destroy(struct push_sample *sample);

/* The number of a boot of a host. */
uint64_t push_session(const char *host, const char *boot);

/* The name of the host and so on, copied; labels as `NAME=VALUE`, kernel added. */
struct kmp_error *push_sample_name(struct push_sample *sample, const char *host, const char *boot,
				   const char *kernel, const struct row_writer *labels);

/* A file of the spool: compressed, with a checksum. */
struct kmp_error *push_sample_encode(const struct push_sample *sample, struct row_writer *bytes);

/*
 * The sample of such a file, which may come from anyone. KMP_ERROR_INPUT if it is none. Free it
 * with push_sample_destroy().
 */
struct kmp_error *push_sample_decode(const char *bytes, size_t len, struct push_sample **sample);

/* Step over a row of a table of names, whose first column is *id. */
void push_name_skip(struct row_reader *reader, enum schema_kind kind, uint64_t *id);

#endif
