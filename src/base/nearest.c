// SPDX-License-Identifier: GPL-2.0-only
#include "base/nearest.h"

#include <stdio.h>
#include <string.h>

enum { WORD_MAX = 31, OFFERS_MAX = 3 };

static unsigned smaller(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* Levenshtein's distance, one row at a time; words longer than WORD_MAX are near nothing. */
static unsigned edit_distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
	unsigned row[WORD_MAX + 1];

	if (a_len > WORD_MAX || b_len > WORD_MAX)
		return WORD_MAX;
	for (size_t j = 0; j <= b_len; j++)
		row[j] = (unsigned)j;
	for (size_t i = 1; i <= a_len; i++) {
		unsigned diagonal = row[0];

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= b_len; j++) {
			unsigned change = diagonal + (a[i - 1] != b[j - 1]);

			diagonal = row[j];
			row[j] = smaller(change, smaller(row[j], row[j - 1]) + 1);
		}
	}
	return row[b_len];
}

static unsigned distance_to(const char *word, size_t len, const char *known)
{
	size_t known_len = strlen(known);

	/* The beginning of a word is as good as a word with one slip. */
	if (len && len < known_len && !memcmp(word, known, len))
		return 1;
	return edit_distance(word, len, known, known_len);
}

static void list_all(const char *const *words, size_t count, char *out, size_t size)
{
	size_t used = (size_t)snprintf(out, size, "; one of:");

	for (size_t i = 0; i < count && used + WORD_MAX + 8 < size; i++)
		used += (size_t)snprintf(out + used, size - used, " %.*s", WORD_MAX, words[i]);
}

void kmp_nearest(const char *word, size_t len, const char *const *words, size_t count,
		 char out[KMP_NEAREST_SIZE])
{
	size_t size = KMP_NEAREST_SIZE, used, offers = 0;
	unsigned best = WORD_MAX;

	for (size_t i = 0; i < count; i++)
		best = smaller(best, distance_to(word, len, words[i]));
	if (best > 2 || best >= len) {
		list_all(words, count, out, size);
		return;
	}
	used = (size_t)snprintf(out, size, "; did you mean");
	for (size_t i = 0; i < count && offers < OFFERS_MAX; i++) {
		if (distance_to(word, len, words[i]) > best)
			continue;
		used += (size_t)snprintf(out + used, size - used, "%s '%.*s'", offers ? " or" : "",
					 WORD_MAX, words[i]);
		offers++;
	}
	snprintf(out + used, size - used, "?");
}
