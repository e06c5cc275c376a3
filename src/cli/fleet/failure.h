/* SPDX-License-Identifier: GPL-2.0-only */
/* What a failed request means, and how it is told. */
#ifndef KMP_CLI_FLEET_FAILURE_H
#define KMP_CLI_FLEET_FAILURE_H

#include "cli/fleet/clickhouse.h"

struct failure {
	const char *where; /* HOST:PORT/DB */
	enum clickhouse_trouble trouble;
	int code; /* ClickHouse's, or 0 */
};

/* libcurl's code and what it says; never NULL. */
struct kmp_error *failure_of_curl(struct failure *failure, int code, const char *text);

/* An answer with another status than 200, from anyone; never NULL. */
struct kmp_error *failure_of_answer(struct failure *failure, long status, const char *text,
				    size_t len);

#endif
