// SPDX-License-Identifier: GPL-2.0-only
/*
 * So that nothing is there twice, a batch that may have been tried before (by another process, too)
 * is asked for first, when no insert of its session is running.
 */
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "cli/fleet/delivery.h"

static const struct timespec a_while = { .tv_nsec = 500000000 };

static struct kmp_error *ask_rows(struct delivery *delivery, const struct sql *sql,
				  struct row_writer *answer, struct row_reader *reader)
{
	try(clickhouse_query(delivery->sender->server, sql, answer));
	*reader = row_reader(answer->bytes.data, answer->bytes.len);
	return NULL;
}

static struct kmp_error *check_answer(const struct delivery *delivery,
				      const struct row_reader *reader)
{
	if (!reader->bad && reader->at == reader->end)
		return NULL;
	return kmp_error_new(KMP_ERROR_INPUT, "%s: not the answer of a ClickHouse",
			     clickhouse_name(delivery->sender->server));
}

/* An insert that nobody waits for any more can still be running: also one of a killed process. */
static struct kmp_error *check_running(struct delivery *delivery)
{
	const struct sender *sender = delivery->sender;
	const char *cluster = sender->options.schema.cluster;
	struct row_writer answer cleanup(row_deinit) = { 0 };
	struct sql sql cleanup(sql_deinit) = { 0 };
	struct row_reader reader;

	try(sql_add(&sql, "SELECT toUInt64(count()) FROM "));
	if (cluster) {
		try(sql_add(&sql, "cluster("));
		try(sql_quote_string(&sql, cluster));
		try(sql_add(&sql, ", system, processes) WHERE initial_query_id"));
	} else {
		try(sql_add(&sql, "system.processes WHERE query_id"));
	}
	try(sql_add(&sql, " LIKE 'kmp-%016" PRIx64 "-%%' FORMAT RowBinary",
		    delivery->batch.samples.data[0]->session));
	try(ask_rows(delivery, &sql, &answer, &reader));
	uint64_t running = row_u64(&reader);

	try(check_answer(delivery, &reader));
	if (!running)
		return NULL;
	return kmp_error_new(KMP_ERROR_INPUT, "%s: an earlier insert is still running",
			     clickhouse_name(sender->server));
}

static struct kmp_error *add_times(const struct delivery *delivery, struct sql *sql)
{
	const struct outbox_batch *batch = &delivery->batch;

	try(sql_add(sql, "session = %" PRIu64 " AND at IN (", batch->samples.data[0]->session));
	for (size_t i = 0; i < batch->samples.len; i++)
		try(sql_add(sql, "%s%" PRIu64, i ? ", " : "", batch->samples.data[i]->at));
	return sql_add(sql, ")");
}

/* The first figure of each sample stands for all: where it is, they are. */
static struct kmp_error *add_witnesses(const struct delivery *delivery, struct sql *sql)
{
	const struct outbox_batch *batch = &delivery->batch;
	bool first = true;

	try(sql_add(sql, " AND kind IN (0, 1, 2) AND owner IN ("));
	for (size_t i = 0; i < batch->samples.len; i++) {
		const struct push_sample *sample = batch->samples.data[i];

		if (!sample->figures.len)
			continue;
		try(sql_add(sql, "%s%" PRIu64, first ? "" : ", ", sample->figures.data[0].owner));
		first = false;
	}
	return sql_add(sql, "%s)", first ? "0" : "");
}

static bool is_witness(const struct push_sample *sample, uint64_t at, uint64_t owner, uint8_t kind)
{
	return sample->figures.len && sample->at == at && sample->figures.data[0].owner == owner &&
	       sample->figures.data[0].kind == kind;
}

static struct kmp_error *find_figures(struct delivery *delivery)
{
	struct row_writer answer cleanup(row_deinit) = { 0 };
	struct sql sql cleanup(sql_deinit) = { 0 };
	struct row_reader reader;

	try(sql_add(&sql, "SELECT DISTINCT at, owner, kind FROM "));
	try(clickhouse_table(delivery->sender->server, &sql, schema_name(SCHEMA_FIGURES)));
	try(sql_add(&sql, " WHERE "));
	try(add_times(delivery, &sql));
	try(add_witnesses(delivery, &sql));
	try(sql_add(&sql, " FORMAT RowBinary"));
	try(ask_rows(delivery, &sql, &answer, &reader));
	while (row_more(&reader)) {
		uint64_t at = row_u64(&reader), owner = row_u64(&reader);
		uint8_t kind = row_u8(&reader);

		for (size_t i = 0; i < delivery->batch.samples.len && !reader.bad; i++) {
			if (is_witness(delivery->batch.samples.data[i], at, owner, kind))
				delivery_set(delivery, i, SCHEMA_FIGURES);
		}
	}
	return check_answer(delivery, &reader);
}

/* In these tables, the number of rows of a sample tells. */
static struct kmp_error *find_counted(struct delivery *delivery, enum schema_table table)
{
	struct row_writer answer cleanup(row_deinit) = { 0 };
	struct sql sql cleanup(sql_deinit) = { 0 };
	struct row_reader reader;

	try(sql_add(&sql, "SELECT at, toUInt64(count()) FROM "));
	try(clickhouse_table(delivery->sender->server, &sql, schema_name(table)));
	try(sql_add(&sql, " WHERE "));
	try(add_times(delivery, &sql));
	try(sql_add(&sql, " GROUP BY at FORMAT RowBinary"));
	try(ask_rows(delivery, &sql, &answer, &reader));
	while (row_more(&reader)) {
		uint64_t at = row_u64(&reader), rows = row_u64(&reader);

		for (size_t i = 0; i < delivery->batch.samples.len && !reader.bad; i++) {
			const struct push_sample *sample = delivery->batch.samples.data[i];
			uint64_t wanted = table == SCHEMA_SAMPLES ? 1 : sample->figures.len;

			if (sample->at == at && rows >= wanted)
				delivery_set(delivery, i, table);
		}
	}
	return check_answer(delivery, &reader);
}

struct kmp_error *delivery_settle(struct delivery *delivery)
{
	const uint8_t all = (1 << DELIVERY_TABLES) - 1;
	size_t count = delivery->batch.samples.len;

	try(check_running(delivery));
	/* A server that stood still takes up this question and an insert from before together. */
	if (delivery->sender->silent) {
		nanosleep(&a_while, NULL);
		try(check_running(delivery));
	}
	for (size_t i = 0; i < count; i++)
		delivery->present[i] &= DELIVERY_THERE;
	try(find_counted(delivery, SCHEMA_SAMPLES));
	for (size_t i = 0; i < count; i++) {
		/* Its row comes last: then the others are there. */
		if (delivery_has(delivery, i, SCHEMA_SAMPLES))
			delivery->present[i] |=
				all | (delivery->batch.samples.data[i]->tried ? 0 : DELIVERY_THERE);
		else if (!delivery->batch.samples.data[i]->figures.len)
			delivery->present[i] |= all & ~(1 << SCHEMA_SAMPLES);
	}
	try(find_counted(delivery, SCHEMA_FIGURES_BY_HOST));
	try(find_figures(delivery));
	delivery->doubt = false;
	return NULL;
}
