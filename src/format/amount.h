/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Figures as people and tools round them: `4096`, `-12`, `0*`, `2.8M`, `29Gi`, `38.4` + `MiB`.
 * Units are binary multiples, whatever their spelling. Functions that can fail return why, a
 * static text, or NULL.
 */
#ifndef KMP_FORMAT_AMOUNT_H
#define KMP_FORMAT_AMOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kmp_amount {
	uint64_t whole;
	uint64_t fraction; /* of `scale` */
	uint64_t scale;	   /* a power of ten; 1: no fraction */
	unsigned shift;	   /* the unit is 1 << shift */
	bool negative;
	bool has_unit;
	bool rounded;  /* a unit larger than one byte */
	bool asterisk; /* marked as not accurate */
};

/* Does a figure begin here? */
bool kmp_amount_starts(const char *text, size_t len);

/* Is this word a unit that may stand apart: `B`, `KiB`, `MB`, …? */
bool kmp_amount_is_unit(const char *text, size_t len);

/* Take a word apart. */
const char *kmp_amount_parse(const char *text, size_t len, struct kmp_amount *amount);

/* Give an amount without a unit the one that stood apart. */
const char *kmp_amount_scale(struct kmp_amount *amount, const char *unit, size_t len);

/*
 * The value, rounded to the nearest. Without a unit, what is beyond the range of signed numbers
 * wraps below zero, as the kernel's unsigned counters do.
 */
const char *kmp_amount_get(const struct kmp_amount *amount, int64_t *value);

#endif
