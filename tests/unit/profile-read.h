/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads a profile without the library that writes it: gzip by zlib, the messages by hand, field
 * numbers as the format has them.
 */
#ifndef KMP_TESTS_PROFILE_READ_H
#define KMP_TESTS_PROFILE_READ_H

#include <string.h>
#include <zlib.h>

struct wire {
	const unsigned char *at;
	const unsigned char *end;
};

struct wire_field {
	unsigned number;
	uint64_t value;	   /* a number */
	struct wire bytes; /* a text or message; empty for numbers */
};

static inline uint64_t wire_number(struct wire *wire)
{
	uint64_t value = 0;
	unsigned shift = 0;

	for (;; shift += 7) {
		assert_true(wire->at < wire->end && shift < 64);
		value |= (uint64_t)(*wire->at & 0x7f) << shift;
		if (!(*wire->at++ & 0x80))
			return value;
	}
}

static inline bool wire_next(struct wire *wire, struct wire_field *field)
{
	if (wire->at == wire->end)
		return false;
	uint64_t tag = wire_number(wire);

	*field = (struct wire_field){ .number = (unsigned)(tag >> 3) };
	if ((tag & 7) == 0) {
		field->value = wire_number(wire);
		return true;
	}
	assert_int_equal(tag & 7, 2);
	uint64_t len = wire_number(wire);
	assert_true(len <= (uint64_t)(wire->end - wire->at));
	field->bytes = (struct wire){ wire->at, wire->at + len };
	wire->at += len;
	return true;
}

/* The first number of this field, packed or not; 0 if there is none. */
static inline uint64_t wire_get(struct wire wire, unsigned number)
{
	struct wire_field field;

	while (wire_next(&wire, &field)) {
		if (field.number == number)
			return field.bytes.at ? wire_number(&field.bytes) : field.value;
	}
	return 0;
}

/* The numbers of a repeated field; how many there are. */
static inline size_t wire_list(struct wire wire, unsigned number, uint64_t *list, size_t room)
{
	struct wire_field field;
	size_t count = 0;

	while (wire_next(&wire, &field)) {
		if (field.number != number)
			continue;
		if (!field.bytes.at) {
			assert_true(count < room);
			list[count++] = field.value;
		}
		while (field.bytes.at < field.bytes.end) {
			assert_true(count < room);
			list[count++] = wire_number(&field.bytes);
		}
	}
	return count;
}

/* The message or text number `index` (from 0) of this field. */
static inline bool wire_at(struct wire wire, unsigned number, size_t index, struct wire *found)
{
	struct wire_field field;

	while (wire_next(&wire, &field)) {
		if (field.number == number && index-- == 0) {
			*found = field.bytes;
			return true;
		}
	}
	*found = (struct wire){ 0 };
	return false;
}

static inline size_t wire_count(struct wire wire, unsigned number)
{
	struct wire_field field;
	size_t count = 0;

	while (wire_next(&wire, &field))
		count += field.number == number;
	return count;
}

/* Unpack gzip; valid until the next call. */
static inline struct wire profile_unpack(const char *packed, size_t len)
{
	static unsigned char room[1 << 20];
	z_stream gzip = { .next_in = (unsigned char *)packed,
			  .avail_in = (uInt)len,
			  .next_out = room,
			  .avail_out = sizeof(room) };

	assert_int_equal(inflateInit2(&gzip, 15 + 16), Z_OK);
	assert_int_equal(inflate(&gzip, Z_FINISH), Z_STREAM_END);
	assert_int_equal(gzip.avail_in, 0);
	inflateEnd(&gzip);
	return (struct wire){ room, room + gzip.total_out };
}

/* Is the text of this place in the string table this one? */
static inline bool profile_says(struct wire profile, uint64_t place, const char *text)
{
	struct wire string;

	assert_true(wire_at(profile, 6, place, &string));
	return (size_t)(string.end - string.at) == strlen(text) &&
	       memcmp(string.at, text, strlen(text)) == 0;
}

/* The message with this id of a list. */
static inline struct wire profile_find(struct wire profile, unsigned list, uint64_t id)
{
	struct wire found = { 0 };

	for (size_t i = 0; wire_at(profile, list, i, &found); i++) {
		if (wire_get(found, 1) == id)
			return found;
	}
	fail_msg("no %" PRIu64 " in list %u", id, list);
	return found;
}

#endif
