// SPDX-License-Identifier: GPL-2.0-only
#include "cli/fleet/row.h"

#include <endian.h>
#include <string.h>

struct kmp_error *row_put_u8(struct row_writer *to, uint8_t value)
{
	return grow_push(&to->bytes, (char)value);
}

struct kmp_error *row_put_u32(struct row_writer *to, uint32_t value)
{
	uint32_t little = htole32(value);

	return grow_append(&to->bytes, (const char *)&little, sizeof(little));
}

struct kmp_error *row_put_u64(struct row_writer *to, uint64_t value)
{
	uint64_t little = htole64(value);

	return grow_append(&to->bytes, (const char *)&little, sizeof(little));
}

struct kmp_error *row_put_i64(struct row_writer *to, int64_t value)
{
	return row_put_u64(to, (uint64_t)value);
}

struct kmp_error *row_put_length(struct row_writer *to, uint64_t value)
{
	char bytes[10];
	size_t len = 0;

	for (; value >= 0x80; value >>= 7)
		bytes[len++] = (char)(value | 0x80);
	bytes[len++] = (char)value;
	return grow_append(&to->bytes, bytes, len);
}

struct kmp_error *row_put_text(struct row_writer *to, const char *text, size_t len)
{
	try(row_put_length(to, len));
	return grow_append(&to->bytes, text, len);
}

struct kmp_error *row_put_string(struct row_writer *to, const char *text)
{
	return row_put_text(to, text, strlen(text));
}

struct row_reader row_reader(const void *bytes, size_t len)
{
	const char *at = len ? bytes : "";

	return (struct row_reader){ .at = at, .end = at + len };
}

/* So many bytes, or NULL. */
static const char *take(struct row_reader *from, uint64_t len)
{
	const char *at = from->at;

	if (from->bad || len > (uint64_t)(from->end - at)) {
		from->bad = true;
		return NULL;
	}
	from->at += len;
	return at;
}

uint8_t row_u8(struct row_reader *from)
{
	const char *at = take(from, 1);

	return at ? (uint8_t)*at : 0;
}

uint32_t row_u32(struct row_reader *from)
{
	const char *at = take(from, sizeof(uint32_t));
	uint32_t value = 0;

	if (at)
		memcpy(&value, at, sizeof(value));
	return le32toh(value);
}

uint64_t row_u64(struct row_reader *from)
{
	const char *at = take(from, sizeof(uint64_t));
	uint64_t value = 0;

	if (at)
		memcpy(&value, at, sizeof(value));
	return le64toh(value);
}

int64_t row_i64(struct row_reader *from)
{
	return (int64_t)row_u64(from);
}

double row_f64(struct row_reader *from)
{
	uint64_t bits = row_u64(from);
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

uint64_t row_length(struct row_reader *from)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		uint8_t byte = row_u8(from);

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	from->bad = true;
	return 0;
}

const char *row_text(struct row_reader *from, size_t *len)
{
	uint64_t size = row_length(from);
	const char *at = take(from, size);

	*len = at ? (size_t)size : 0;
	return at ? at : "";
}

bool row_more(const struct row_reader *from)
{
	return !from->bad && from->at < from->end;
}
