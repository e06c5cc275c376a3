/* SPDX-License-Identifier: GPL-2.0-only */
/* Rows as ClickHouse's RowBinary has them: numbers in little endian, texts behind their length. */
#ifndef KMP_CLI_FLEET_ROW_H
#define KMP_CLI_FLEET_ROW_H

#include "cli/grow.h"

/* Bytes being written. All-zero is empty; vec_deinit() frees. */
struct row_writer {
	VEC(char) bytes;
};

static inline void row_deinit(struct row_writer *rows)
{
	vec_deinit(&rows->bytes);
}

struct kmp_error *row_put_u8(struct row_writer *to, uint8_t value);
struct kmp_error *row_put_u32(struct row_writer *to, uint32_t value);
struct kmp_error *row_put_u64(struct row_writer *to, uint64_t value);
struct kmp_error *row_put_i64(struct row_writer *to, int64_t value);

/* A number of 7 bits a byte: lengths of texts and of arrays. */
struct kmp_error *row_put_length(struct row_writer *to, uint64_t value);
struct kmp_error *row_put_text(struct row_writer *to, const char *text, size_t len);
struct kmp_error *row_put_string(struct row_writer *to, const char *text);

/*
 * Bytes being read, from anyone. What goes beyond the end is 0 or empty and sets `bad`, which is
 * asked once when all was read.
 */
struct row_reader {
	const char *at;
	const char *end;
	bool bad;
};

struct row_reader row_reader(const void *bytes, size_t len);
uint8_t row_u8(struct row_reader *from);
uint32_t row_u32(struct row_reader *from);
uint64_t row_u64(struct row_reader *from);
int64_t row_i64(struct row_reader *from);
double row_f64(struct row_reader *from);
uint64_t row_length(struct row_reader *from);

/* A text, which is not ended by NUL; valid as long as the bytes. */
const char *row_text(struct row_reader *from, size_t *len);

/* Is there another row? False also when something was bad. */
bool row_more(const struct row_reader *from);

#endif
