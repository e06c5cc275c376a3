// SPDX-License-Identifier: GPL-2.0-only
/* Which samples of a history the server lacks, and these on their way. */
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "cli/fleet/push.h"

static const uint64_t moment = UINT64_C(20000000);

DEFINE_CLEANUP(server, struct clickhouse *, clickhouse_close)

/* The samples of a session that the server has, as a set of times. */
struct known {
	uint64_t session;
	struct ids times;
	bool asked;
};

static void known_deinit(struct known *known)
{
	ids_deinit(&known->times);
}

static struct kmp_error *ask(struct clickhouse *server, struct known *known)
{
	struct row_writer answer cleanup(row_deinit) = { 0 };
	struct sql sql cleanup(sql_deinit) = { 0 };
	uint32_t number;
	bool added;

	try(sql_add(&sql, "SELECT at FROM "));
	try(clickhouse_table(server, &sql, schema_name(SCHEMA_SAMPLES)));
	try(sql_add(&sql, " WHERE session = %" PRIu64 " FORMAT RowBinary", known->session));
	try(clickhouse_query(server, &sql, &answer));
	struct row_reader reader = row_reader(answer.bytes.data, answer.bytes.len);

	while (row_more(&reader))
		try(ids_add(&known->times, row_u64(&reader), 0, &number, &added));
	return NULL;
}

/*
 * What is there need not be read. If the server cannot be asked now, all is read, and the sender
 * asks when it can.
 */
static struct kmp_error *learn(struct push *push, uint64_t session, struct known *known)
{
	struct clickhouse *server cleanup(cleanup_server) = NULL;

	if (known->asked && known->session == session)
		return NULL;
	ids_deinit(&known->times);
	known->session = session;
	known->asked = true;
	try(clickhouse_open(&push->options.server, &server));
	struct kmp_error *err = ask(server, known);

	if (err && err->kind == KMP_ERROR_MEMORY)
		return err;
	kmp_error_destroy(err);
	return NULL;
}

/* *more: it goes on. */
static struct kmp_error *push_sample_at(struct push *push, size_t index, bool *more)
{
	struct push_sample *sample;

	while (!outbox_has_room(push->outbox)) {
		*more = push_wait(push, moment);
		if (!*more)
			return NULL;
	}
	try(push_reader_at(&push->reader, index, &sample));
	push->read++;
	push->lost_records += sample->lost != 0;
	try(outbox_put(push->outbox, sample));
	*more = push->read != push->count && push_wait(push, 0);
	return NULL;
}

/* Samples later than *after, which is moved on. */
static struct kmp_error *push_new(struct push *push, uint64_t *after, bool *more)
{
	struct kmp_history *history = push->reader.history;
	struct known known cleanup(known_deinit) = { 0 };
	size_t count = kmp_history_count(history);

	*more = true;
	for (size_t i = 0; i < count && *more; i++) {
		const struct kmp_sample *of = kmp_history_sample(history, i);
		uint64_t session, id = of->id;

		if (id <= *after)
			continue;
		try(push_reader_session(&push->reader, of, &session));
		try(learn(push, session, &known));
		if (ids_has(&known.times, of->time))
			push->there++;
		else
			try(push_sample_at(push, i, more));
		*after = id;
	}
	outbox_flush(push->outbox);
	return NULL;
}

struct kmp_error *push_history(struct push *push)
{
	uint64_t after = 0;
	bool more;

	for (;;) {
		try(push_new(push, &after, &more));
		if (!more || !push->repeats)
			return NULL;
		if (!cli_ticker_wait(&push->ticker)) {
			push->interrupted = !atomic_load(&push->sender_over);
			return NULL;
		}
		try(kmp_history_refresh(push->reader.history, NULL));
	}
}
