/* SPDX-License-Identifier: GPL-2.0-only */
/* Printing without printf(): each writes at p, where there must be room, and returns the end. */
#ifndef KMP_BASE_PUT_H
#define KMP_BASE_PUT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The most bytes that put_decimal() and put_hex() write. */
enum { PUT_NUMBER_MAX = 20 };

static inline char *put_bytes(char *p, const char *text, size_t len)
{
	memcpy(p, text, len);
	return p + len;
}

/* A string literal. */
#define put_literal(p, text) put_bytes((p), "" text, sizeof(text) - 1)

static inline char *put_decimal(char *p, uint64_t value)
{
	char digits[PUT_NUMBER_MAX];
	char *d = digits + sizeof(digits);

	while (value >= 100) {
		uint64_t rest = value / 100;
		unsigned pair = (unsigned)(value - rest * 100);

		*--d = (char)('0' + pair % 10);
		*--d = (char)('0' + pair / 10);
		value = rest;
	}
	*--d = (char)('0' + value % 10);
	if (value >= 10)
		*--d = (char)('0' + value / 10);
	return put_bytes(p, d, (size_t)(digits + sizeof(digits) - d));
}

static inline char *put_signed(char *p, int64_t value)
{
	if (value < 0)
		*p++ = '-';
	return put_decimal(p, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

/* Hexadecimal in at least min_digits digits (1 to 16), without `0x`. */
static inline char *put_hex(char *p, uint64_t value, int min_digits)
{
	int digits = value ? (67 - __builtin_clzll(value)) / 4 : 1;

	if (digits < min_digits)
		digits = min_digits;
	for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4)
		*p++ = "0123456789abcdef"[value >> shift & 15];
	return p;
}

#endif
