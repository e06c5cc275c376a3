/* SPDX-License-Identifier: GPL-2.0-only */
/* The machines of a fleet, and which of their samples answer what is asked. */
#ifndef KMP_CLI_FLEET_HOSTS_H
#define KMP_CLI_FLEET_HOSTS_H

#include "cli/fleet/ask.h"
#include "cli/fleet/pool.h"

/* What can be told of a machine. */
enum host_state {
	HOST_GOOD,
	HOST_STALE,    /* no sample of late, or none since */
	HOST_REBOOTED, /* had one at the time asked for, of another boot */
	HOST_NEW,      /* had none then */
	HOST_STATES
};

struct host {
	uint64_t session; /* of its newest sample */
	uint64_t now;	  /* when that is of; ns since 1970 */
	uint64_t first;	  /* its first sample of this boot */
	uint64_t before;  /* of the last sample of this boot until --since, 0: none */
	uint64_t lost;	  /* in the newest sample */
	uint32_t page_size;
	uint8_t state; /* enum host_state */
	uint8_t side;  /* compare: 1 or 2, 3 for both; else 1 */
	bool twice;    /* several machines are called so at the same time */
	const char *name;
	const char *kernel;
};

/* All-zero is empty. */
struct hosts {
	VEC(struct host) list; /* by session */
	uint32_t page_size;    /* the smallest */
	size_t counts[HOST_STATES];
	size_t sides[4]; /* how many of HOST_GOOD */
	uint64_t lost;	 /* of HOST_GOOD */
};

/* Whom to ask, and what. */
struct fleet {
	const struct fleet_ask *ask;
	struct clickhouse *server;
	struct pool pool; /* for whatever is to last */
};

/* KMP_ERROR_INPUT if there is no such host. */
struct kmp_error *hosts_load(struct fleet *fleet, enum schema_kind kind, struct hosts *hosts);
void hosts_deinit(struct hosts *hosts);

/* NULL for a session that came since. */
const struct host *hosts_find(const struct hosts *hosts, uint64_t session);

/* Of which hosts the next statement is. */
struct hosts_pick {
	bool good;	 /* of HOST_GOOD alone */
	int side;	 /* of compare, 0: any */
	bool before;	 /* the sample before, too, where there is one */
	bool by_session; /* no samples, but sessions */
	size_t next;	 /* host to go on with */
};

/*
 * `(session, at) IN (…)` of as many hosts as a statement can have; *more is false if there were
 * none left. What is asked of shards has no questions within, so that each can answer by itself.
 */
struct kmp_error *hosts_pick_sql(const struct hosts *hosts, struct hosts_pick *pick,
				 struct sql *sql, bool *more);

/* Ask, in the form that struct row_reader reads. */
struct kmp_error *fleet_query(const struct fleet *fleet, struct sql *sql,
			      struct row_writer *answer);

#endif
