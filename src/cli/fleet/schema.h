/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tables that push fills and fleet asks; docs/fleet.md tells what they hold. In a cluster each
 * has its rows in NAME_local on every server, and NAME is a Distributed table over all of them, so
 * that questions and inserts are the same as with one server.
 */
#ifndef KMP_CLI_FLEET_SCHEMA_H
#define KMP_CLI_FLEET_SCHEMA_H

#include "cli/fleet/clickhouse.h"

/* Of figures.kind: whose bytes they are. */
enum schema_kind { SCHEMA_STACK, SCHEMA_TAG, SCHEMA_TASK, SCHEMA_KINDS };

enum schema_table {
	SCHEMA_FIGURES,		/* by owner, then session and time */
	SCHEMA_FIGURES_BY_HOST, /* the same rows by session and time, then owner */
	SCHEMA_SAMPLES,		/* one row a sample, written when its figures are there */
	SCHEMA_STACKS,		/* what a fingerprint is */
	SCHEMA_TAGS,		/* what a tag's number is */
	SCHEMA_TASKS,		/* what a task's number is */
	SCHEMA_VERSIONS,	/* which versions of the tables there were */
	SCHEMA_TABLES
};

/* The columns of each table in the order in which rows are inserted. */
const char *schema_name(enum schema_table table);
const char *schema_insert_columns(enum schema_table table);

struct schema_options {
	const char *cluster; /* or NULL */
	uint64_t ttl;	     /* seconds after which samples go, 0: as it is */
};

/*
 * Make what is missing of the tables, and bring what is there up to date. *note, which is to be
 * freed, says what cannot be had with this server, or is NULL. The server must be connected.
 */
struct kmp_error *schema_prepare(struct clickhouse *server, const struct schema_options *options,
				 char **note);

/* For who only reads: KMP_ERROR_INPUT if there are no tables, or of a version that we do not know.
 */
struct kmp_error *schema_check(struct clickhouse *server);

/* Drop what is older than options->ttl from a server that has no TTL of its own; else nothing. */
struct kmp_error *schema_expire(struct clickhouse *server, const struct schema_options *options);

#endif
