// SPDX-License-Identifier: GPL-2.0-only
#include "format/amount.h"

#include <string.h>

enum { FRACTION_DIGITS = 9 };

static const char not_a_number[] = "not a number";
static const char too_large[] = "the number is beyond 64 bits";

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool kmp_amount_starts(const char *text, size_t len)
{
	return len && (is_digit(text[0]) || (len > 1 && text[0] == '-' && is_digit(text[1])));
}

/* `K`, `Ki`, `KB`, `KiB`, `B` */
static bool parse_unit(const char *text, size_t len, unsigned *shift)
{
	static const char letters[] = "KMGTPE";
	char letter = len && *text == 'k' ? 'K' : len ? *text : 'x';
	const char *found = letter ? strchr(letters, letter) : NULL;

	*shift = 0;
	if (found) {
		*shift = 10 * (unsigned)(found - letters + 1);
		text++, len--;
		if (len && *text == 'i')
			text++, len--;
	}
	if (len && *text == 'B')
		text++, len--;
	else if (!found)
		return false;
	return !len;
}

bool kmp_amount_is_unit(const char *text, size_t len)
{
	unsigned shift;

	return len && text[len - 1] == 'B' && parse_unit(text, len, &shift);
}

const char *kmp_amount_scale(struct kmp_amount *amount, const char *unit, size_t len)
{
	if (!parse_unit(unit, len, &amount->shift))
		return "unknown unit of size";
	amount->has_unit = true;
	amount->rounded = amount->shift != 0;
	return NULL;
}

static size_t parse_fraction(const char *text, size_t len, struct kmp_amount *amount)
{
	size_t i;

	for (i = 0; i < len && is_digit(text[i]); i++) {
		if (i < FRACTION_DIGITS) {
			amount->fraction = amount->fraction * 10 + (uint64_t)(text[i] - '0');
			amount->scale *= 10;
		}
	}
	return i;
}

const char *kmp_amount_parse(const char *text, size_t len, struct kmp_amount *amount)
{
	size_t i = 0;

	*amount = (struct kmp_amount){ .scale = 1 };
	if (!kmp_amount_starts(text, len))
		return not_a_number;
	if (text[0] == '-') {
		amount->negative = true;
		i++;
	}
	for (; i < len && is_digit(text[i]); i++) {
		if (__builtin_mul_overflow(amount->whole, 10, &amount->whole) ||
		    __builtin_add_overflow(amount->whole, text[i] - '0', &amount->whole))
			return too_large;
	}
	/* A comma is what some languages write. */
	if (i + 1 < len && (text[i] == '.' || text[i] == ',') && is_digit(text[i + 1]))
		i += 1 + parse_fraction(text + i + 1, len - i - 1, amount);
	if (len > i && text[len - 1] == '*') {
		amount->asterisk = true;
		len--;
	}
	if (i == len)
		return NULL;
	return kmp_amount_scale(amount, text + i, len - i) ? not_a_number : NULL;
}

const char *kmp_amount_get(const struct kmp_amount *amount, int64_t *value)
{
	uint64_t unit = UINT64_C(1) << amount->shift;
	uint64_t part = amount->scale > 1 ? (uint64_t)(((unsigned __int128)amount->fraction * unit +
							amount->scale / 2) /
						       amount->scale)
					  : 0;
	uint64_t magnitude;

	if (amount->scale > 1 && unit == 1)
		return "a fraction without a unit";
	if (__builtin_mul_overflow(amount->whole, unit, &magnitude) ||
	    __builtin_add_overflow(magnitude, part, &magnitude))
		return too_large;
	if (magnitude > INT64_MAX && (amount->negative || amount->rounded) &&
	    !(amount->negative && magnitude == (uint64_t)INT64_MAX + 1))
		return too_large;
	*value = (int64_t)(amount->negative ? 0 - magnitude : magnitude);
	return NULL;
}
