// SPDX-License-Identifier: GPL-2.0-only
/*
 * An insert of one session's samples of one day is one block, of which all is there or nothing. The
 * row in `samples` comes last.
 */
#include "cli/fleet/delivery.h"

#include <endian.h>
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/clock.h"

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
		of = of * 31 + delivery_has(delivery, i, table) + 1;
	if (of == delivery->packed_of)
		return NULL;
	delivery->packed_of = 0;
	for (size_t i = 0; i < delivery->batch.samples.len; i++) {
		if (!delivery_has(delivery, i, table))
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
		if (!delivery_has(delivery, i, SCHEMA_SAMPLES))
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
		missing += !delivery_has(delivery, i, table);
	if (!missing)
		return NULL;
	if (table == SCHEMA_SAMPLES)
		try(pack_samples(delivery, &packed));
	else
		try(pack_figures(delivery, table));
	try(insert(delivery, table, table == SCHEMA_SAMPLES ? &packed : &delivery->packed));
	for (size_t i = 0; i < count; i++)
		delivery_set(delivery, i, table);
	return NULL;
}

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
	struct kmp_error *err = delivery->doubt ? delivery_settle(delivery) : NULL;

	for (size_t i = 0; i < delivery->batch.samples.len && !err; i++)
		delivery->batch.samples.data[i]->tried = true;
	for (int kind = 0; kind < SCHEMA_KINDS && !err; kind++)
		err = fill_names(delivery, (enum schema_kind)kind);
	for (int table = 0; table < DELIVERY_TABLES && !err; table++)
		err = fill(delivery, (enum schema_table)table);
	return err;
}
