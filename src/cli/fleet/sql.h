/* SPDX-License-Identifier: GPL-2.0-only */
/* SQL put together: what comes from elsewhere goes in as a quoted text, or as a number. */
#ifndef KMP_CLI_FLEET_SQL_H
#define KMP_CLI_FLEET_SQL_H

#include "cli/grow.h"

/* A statement being made. All-zero is empty; vec_deinit(&sql.text) frees. */
struct sql {
	VEC(char) text; /* not ended by NUL */
};

/* Our own words, and numbers. */
struct kmp_error *sql_add(struct sql *sql, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* A text as a literal: 'it\'s'. */
struct kmp_error *sql_quote(struct sql *sql, const char *text, size_t len);
struct kmp_error *sql_quote_string(struct sql *sql, const char *text);

/* A name of a database, table or cluster: `name`. */
struct kmp_error *sql_name(struct sql *sql, const char *name);

static inline void sql_deinit(struct sql *sql)
{
	vec_deinit(&sql->text);
}

#endif
