// SPDX-License-Identifier: GPL-2.0-only
/*
 * An insert of one session's samples of one day is one block, of which all is there or nothing. The
 * row in `samples` comes last. So that nothing is there twice, a batch that may have been tried
 * before (by another process, too) is asked for first, when no insert of its session is running.
 */
#include "cli/fleet/delivery.h"

#include <endian.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "cli/clock.h"

static const struct timespec a_while = { .tv_nsec = 500000000 };

enum { FIGURE_SIZE = 1 + 5 * 8 };

static struct kmp_error *no_memory(void)
{
	return kmp_error_new(KMP_ERROR_MEMORY, "out of memory");
}

struct kmp_error *delivery_start(struct delivery *delivery)
{
	delivery->present = calloc(delivery->batch.samples.len + 1, 1);
	for (size_t i = 0; i < delivery->batch.samples.len; i++)
		delivery->doubt |= delivery->batch.samples.data[i]->doubtful;
	return delivery->present ? NULL : no_memory();
}

void delivery_deinit(struct delivery *delivery)
{
	for (size_t i = 0; i < delivery->batch.samples.len; i++)
		push_sample_destroy(delivery->batch.samples.data[i]);
	vec_deinit(&delivery->batch.samples);
	row_deinit(&delivery->packed);
	free(delivery->present);
}

static bool is_present(const struct delivery *delivery, size_t sample, enum schema_table table)
{
	return delivery->present[sample] >> table & 1;
}

static void set_present(struct delivery *delivery, size_t sample, enum schema_table table)
{
	delivery->present[sample] |= (uint8_t)(1 << table);
}

/* ---- What is there -------------------------------------------------------------------------- */

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
				set_present(delivery, i, SCHEMA_FIGURES);
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
				set_present(delivery, i, table);
		}
	}
	return check_answer(delivery, &reader);
}

static struct kmp_error *settle(struct delivery *delivery)
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
		if (is_present(delivery, i, SCHEMA_SAMPLES))
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

/* ---- What is inserted ----------------------------------------------------------------------- */

static struct kmp_error *insert(struct delivery *delivery, enum schema_table table,
				const struct row_writer *packed)
{
	struct sender *sender = delivery->sender;
	const struct push_sample *first = delivery->batch.samples.data[0];
	struct sql sql cleanup(sql_deinit) = { 0 };
	char id[96];

	try(sql_add(&sql, "INSERT INTO "));
	try(clickhouse_table(sender->server, &sql, schema_name(table)));
	try(sql_add(&sql, " (%s) FORMAT RowBinary", schema_insert_columns(table)));
	snprintf(id, sizeof(id), "kmp-%016" PRIx64 "-%s-%" PRIu64 "-%" PRIx64 "-%u", first->session,
		 schema_name(table), first->at, cli_clock_ns(CLOCK_REALTIME), ++sender->inserts);
	return clickhouse_insert(sender->server, &sql, id, packed);
}

static char *put64(char *to, uint64_t value)
{
	uint64_t little = htole64(value);

	memcpy(to, &little, sizeof(little));
	return to + sizeof(little);
}

static struct kmp_error *put_figures(const struct push_sample *sample, struct row_writer *to)
{
	try(grow_reserve(&to->bytes, sample->figures.len * FIGURE_SIZE));
	char *at = to->bytes.data + to->bytes.len;

	for (size_t i = 0; i < sample->figures.len; i++) {
		const struct push_figure *figure = &sample->figures.data[i];

		*at++ = (char)figure->kind;
		at = put64(at, figure->owner);
		at = put64(at, sample->session);
		at = put64(at, sample->at);
		at = put64(at, (uint64_t)figure->bytes);
		at = put64(at, (uint64_t)figure->count);
	}
	to->bytes.len += sample->figures.len * FIGURE_SIZE;
	return NULL;
}

/* Both tables of figures mostly lack the same: it is packed once. */
static struct kmp_error *pack_figures(struct delivery *delivery, enum schema_table table)
{
	struct row_writer rows cleanup(row_deinit) = { 0 };
	uint64_t of = 1;

	for (size_t i = 0; i < delivery->batch.samples.len; i++)
		of = of * 31 + is_present(delivery, i, table) + 1;
	if (of == delivery->packed_of)
		return NULL;
	delivery->packed_of = 0;
	for (size_t i = 0; i < delivery->batch.samples.len; i++) {
		if (!is_present(delivery, i, table))
			try(put_figures(delivery->batch.samples.data[i], &rows));
	}
	try(clickhouse_pack(delivery->sender->server, &rows, &delivery->packed));
	delivery->packed_of = of;
	return NULL;
}

/* Names and values apart, as the columns are. */
static struct kmp_error *put_labels(const struct push_sample *sample, struct row_writer *to)
{
	for (int column = 0; column < 2; column++) {
		struct row_reader labels =
			row_reader(sample->labels.bytes.data, sample->labels.bytes.len);
		uint64_t count = row_length(&labels);

		try(row_put_length(to, count));
		for (uint64_t i = 0; i < 2 * count; i++) {
			size_t len;
			const char *text = row_text(&labels, &len);

			if (i % 2 == (uint64_t)column)
				try(row_put_text(to, text, len));
		}
	}
	return NULL;
}

static struct kmp_error *put_sample(const struct push_sample *sample, struct row_writer *to)
{
	try(row_put_u64(to, sample->session));
	try(row_put_u64(to, sample->at));
	try(row_put_string(to, sample->host));
	try(row_put_string(to, sample->boot));
	try(row_put_string(to, sample->kernel));
	try(row_put_u64(to, sample->uptime));
	try(row_put_u64(to, sample->memory_total));
	try(row_put_u64(to, sample->memory_free));
	try(row_put_u64(to, sample->memory_available));
	try(row_put_u32(to, sample->page_size));
	try(row_put_u8(to, sample->holds));
	try(row_put_u64(to, sample->lost));
	try(row_put_u32(to, (uint32_t)sample->figures.len));
	try(row_put_i64(to, sample->pages_bytes));
	try(row_put_i64(to, sample->tags_bytes));
	return put_labels(sample, to);
}

static struct kmp_error *pack_samples(struct delivery *delivery, struct row_writer *packed)
{
	struct row_writer rows cleanup(row_deinit) = { 0 };

	for (size_t i = 0; i < delivery->batch.samples.len; i++) {
		if (!is_present(delivery, i, SCHEMA_SAMPLES))
			try(put_sample(delivery->batch.samples.data[i], &rows));
	}
	return clickhouse_pack(delivery->sender->server, &rows, packed);
}

/* The rows of one table that are not there. */
static struct kmp_error *fill(struct delivery *delivery, enum schema_table table)
{
	struct row_writer packed cleanup(row_deinit) = { 0 };
	size_t missing = 0, count = delivery->batch.samples.len;

	for (size_t i = 0; i < count; i++)
		missing += !is_present(delivery, i, table);
	if (!missing)
		return NULL;
	if (table == SCHEMA_SAMPLES)
		try(pack_samples(delivery, &packed));
	else
		try(pack_figures(delivery, table));
	try(insert(delivery, table, table == SCHEMA_SAMPLES ? &packed : &delivery->packed));
	for (size_t i = 0; i < count; i++)
		set_present(delivery, i, table);
	return NULL;
}

/* ---- Names ---------------------------------------------------------------------------------- */

/* Rows of owners that this process has not told of; *told gets them. */
static struct kmp_error *new_names(const struct delivery *delivery, enum schema_kind kind,
				   struct ids *told, struct row_writer *rows)
{
	const struct ids *before = &delivery->sender->told[kind];

	for (size_t i = 0; i < delivery->batch.samples.len; i++) {
		if (delivery->present[i] & DELIVERY_THERE)
			continue;
		const struct row_writer *names = &delivery->batch.samples.data[i]->names[kind];
		struct row_reader reader = row_reader(names->bytes.data, names->bytes.len);

		while (row_more(&reader)) {
			const char *start = reader.at;
			uint32_t number;
			uint64_t id;
			bool added;

			push_name_skip(&reader, kind, &id);
			if (reader.bad || ids_has(before, id))
				continue;
			try(ids_add(told, id, 0, &number, &added));
			if (added)
				try(grow_append(&rows->bytes, start, (size_t)(reader.at - start)));
		}
	}
	return NULL;
}

/* A name that is there twice is one: it does not matter what became of an insert. */
static struct kmp_error *fill_names(struct delivery *delivery, enum schema_kind kind)
{
	static const enum schema_table tables[SCHEMA_KINDS] = { SCHEMA_STACKS, SCHEMA_TAGS,
								SCHEMA_TASKS };
	struct row_writer rows cleanup(row_deinit) = { 0 };
	struct row_writer packed cleanup(row_deinit) = { 0 };
	struct ids told cleanup(ids_deinit) = { 0 };

	try(new_names(delivery, kind, &told, &rows));
	if (!rows.bytes.len)
		return NULL;
	try(clickhouse_pack(delivery->sender->server, &rows, &packed));
	try(insert(delivery, tables[kind], &packed));
	return ids_merge(&delivery->sender->told[kind], &told);
}

struct kmp_error *delivery_try(struct delivery *delivery)
{
	struct kmp_error *err = delivery->doubt ? settle(delivery) : NULL;

	for (size_t i = 0; i < delivery->batch.samples.len && !err; i++)
		delivery->batch.samples.data[i]->tried = true;
	for (int kind = 0; kind < SCHEMA_KINDS && !err; kind++)
		err = fill_names(delivery, (enum schema_kind)kind);
	for (int table = 0; table < DELIVERY_TABLES && !err; table++)
		err = fill(delivery, (enum schema_table)table);
	return err;
}
