/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Scanning text at full speed. Texts handed to these functions have SCAN_PAD readable bytes behind
 * their end, so that nothing is checked byte by byte.
 */
#ifndef KMP_BASE_SCAN_H
#define KMP_BASE_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { SCAN_PAD = 4096 };

static inline bool scan_is_digit(char c)
{
	return (unsigned char)(c - '0') < 10;
}

/* Decimal digits at *p, at most 19; moves *p behind them. False if there are none. */
static inline bool scan_decimal(const char **p, uint64_t *value)
{
	const char *s = *p;
	uint64_t v = 0;

	while (scan_is_digit(*s) && s - *p < 19)
		v = v * 10 + (uint64_t)(*s++ - '0');
	if (s == *p || scan_is_digit(*s))
		return false;
	*p = s;
	*value = v;
	return true;
}

static inline int scan_hex_digit(char c)
{
	if (scan_is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

/* Hexadecimal digits at *p, at most 16; moves *p behind them. False if there are none. */
static inline bool scan_hex(const char **p, uint64_t *value)
{
	const char *s = *p;
	uint64_t v = 0;
	int digit;

	while ((digit = scan_hex_digit(*s)) >= 0 && s - *p < 16) {
		v = v << 4 | (uint64_t)digit;
		s++;
	}
	if (s == *p || scan_hex_digit(*s) >= 0)
		return false;
	*p = s;
	*value = v;
	return true;
}

/* Does the text at *p begin with word (a literal)? Then *p moves behind it. */
#define scan_word(p, word)                                                                         \
	(memcmp(*(p), "" word, sizeof(word) - 1) == 0 ? (*(p) += sizeof(word) - 1, true) : false)

/*
 * The first line below p that does not begin with a blank: where a block of frames ends. p is
 * the start of a line that does. Stops at end.
 */
static inline const char *scan_frames_end(const char *p, const char *end)
{
#ifdef __SSE2__
	const __m128i newline = _mm_set1_epi8('\n');
	const __m128i blank = _mm_set1_epi8(' ');

	for (; p < end; p += 16) {
		__m128i here = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)p), newline);
		__m128i next = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(p + 1)), blank);
		int hit = _mm_movemask_epi8(_mm_andnot_si128(next, here));

		if (hit) {
			p += __builtin_ctz((unsigned)hit) + 1;
			return p < end ? p : end;
		}
	}
	return end;
#else
	while (p < end && *p == ' ') {
		const char *nl = memchr(p, '\n', (size_t)(end - p));

		if (!nl)
			return end;
		p = nl + 1;
	}
	return p;
#endif
}

/* How many newlines there are. */
static inline uint64_t scan_count_lines(const char *p, size_t len)
{
	uint64_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += p[i] == '\n';
	return n;
}

#endif
