// SPDX-License-Identifier: GPL-2.0-only
/* The order of groups. */
#include "base/nearest.h"
#include "ledger/groups.h"

enum figure { PAGES, BYTES, RECORDS, TIMES, DELTA, CHANGE, KEY, EXTRA };

struct order {
	enum figure figure;
	size_t key; /* which, of KEY and EXTRA */
	bool reverse;
	size_t key_count;
};

static int compare_bytes(const char *a, size_t a_len, const char *b, size_t b_len)
{
	int result = memcmp(a, b, a_len < b_len ? a_len : b_len);

	if (result)
		return result;
	return (a_len > b_len) - (a_len < b_len);
}

static int compare_frames(const struct kmp_value *a, const struct kmp_value *b)
{
	/* Shared arrays make equal stacks cheap. */
	for (size_t i = 0; a->frames != b->frames && i < a->depth && i < b->depth; i++) {
		int result = strcmp(a->frames[i], b->frames[i]);

		if (result)
			return result;
	}
	return (a->depth > b->depth) - (a->depth < b->depth);
}

int kmp_value_compare(const struct kmp_value *a, const struct kmp_value *b)
{
	if (a->kind != b->kind) {
		if (a->kind == KMP_VALUE_NONE || b->kind == KMP_VALUE_NONE)
			return a->kind == KMP_VALUE_NONE ? 1 : -1;
		return a->kind < b->kind ? -1 : 1;
	}
	switch (a->kind) {
	case KMP_VALUE_NONE:
		return 0;
	case KMP_VALUE_NUMBER:
		break;
	case KMP_VALUE_TEXT:
		return compare_bytes(a->text, a->len, b->text, b->len);
	case KMP_VALUE_STACK:
		if (a->depth && b->depth)
			return compare_frames(a, b);
		if (a->depth || b->depth)
			return a->depth ? -1 : 1;
		break;
	}
	return (a->number > b->number) - (a->number < b->number);
}

/* A change's size whatever its sign; then what is unknown, then what did not change. */
static int64_t change_of(const struct kmp_group *group)
{
	int64_t delta = kmp_sums_delta(group->now.bytes, group->before.bytes);

	if (group->unknown || !delta)
		return group->unknown ? -1 : -2;
	/* The size less one, which fits for the least number too. */
	return ~(delta > 0 ? -delta : delta);
}

static int64_t figure_of(const struct kmp_group *group, enum figure figure)
{
	switch (figure) {
	case PAGES:
		return group->now.pages;
	case RECORDS:
		return group->now.records;
	case TIMES:
		if (group->ts_last == KMP_UNKNOWN)
			return -1;
		return group->ts_last > INT64_MAX ? INT64_MAX : (int64_t)group->ts_last;
	case DELTA:
		return kmp_sums_delta(group->now.bytes, group->before.bytes);
	case CHANGE:
		return change_of(group);
	case BYTES:
	case KEY:
	case EXTRA:
		break;
	}
	return group->now.bytes;
}

/* Numbers largest first; what is no number is in rising order behind them. */
static int compare_extras(const struct kmp_value *a, const struct kmp_value *b)
{
	if (a->kind == KMP_VALUE_NUMBER && b->kind == KMP_VALUE_NUMBER)
		return (a->number < b->number) - (a->number > b->number);
	return kmp_value_compare(a, b);
}

static int compare_groups(const void *left, const void *right, void *arg)
{
	const struct kmp_group *a = left, *b = right;
	const struct order *order = arg;
	int result;

	/* A change that is not known is neither large nor small. */
	if (order->figure == DELTA && a->unknown != b->unknown)
		return a->unknown ? 1 : -1;
	if (order->figure == KEY) {
		result = kmp_value_compare(&a->key[order->key], &b->key[order->key]);
	} else if (order->figure == EXTRA) {
		result = compare_extras(&a->extras[order->key], &b->extras[order->key]);
	} else {
		int64_t x = figure_of(a, order->figure), y = figure_of(b, order->figure);

		result = (x < y) - (x > y);
	}
	if (order->reverse)
		result = -result;
	for (size_t i = 0; !result && i < order->key_count; i++)
		result = kmp_value_compare(&a->key[i], &b->key[i]);
	return result;
}

static const struct {
	const char *name;
	enum figure figure;
} figures[] = {
	{ "pages", PAGES }, { "bytes", BYTES }, { "records", RECORDS }, { "calls", RECORDS },
	{ "ts", TIMES },    { "delta", DELTA }, { "change", CHANGE },
};

enum { FIGURE_COUNT = sizeof(figures) / sizeof(*figures), NAMES_MAX = FIGURE_COUNT + 32 };

static bool of_difference(enum figure figure)
{
	return figure == DELTA || figure == CHANGE;
}

static struct kmp_error *unknown_name(const struct kmp_groups *groups, const char *name)
{
	const char *known[NAMES_MAX];
	char offer[KMP_NEAREST_SIZE];
	size_t count = 0;

	for (size_t i = 0; i < FIGURE_COUNT; i++) {
		if (groups->difference || !of_difference(figures[i].figure))
			known[count++] = figures[i].name;
	}
	for (size_t i = 0; i < groups->key_count && count < NAMES_MAX; i++)
		known[count++] = groups->keys[i];
	for (size_t i = 0; i < groups->extra_count && count < NAMES_MAX; i++)
		known[count++] = groups->extras[i].name;
	kmp_nearest(name, strlen(name), known, count, offer);
	return kmp_error_new(KMP_ERROR_USAGE, "cannot sort by '%s'%s", name, offer);
}

static struct kmp_error *parse_order(const struct kmp_groups *groups, const char *by,
				     struct order *order)
{
	*order = (struct order){ .reverse = by[0] == '-', .key_count = groups->key_count };
	by += order->reverse;
	for (size_t i = 0; i < groups->key_count; i++) {
		if (!strcmp(groups->keys[i], by)) {
			order->figure = KEY;
			order->key = i;
			return NULL;
		}
	}
	for (size_t i = 0; i < groups->extra_count; i++) {
		if (!strcmp(groups->extras[i].name, by)) {
			order->figure = EXTRA;
			order->key = i;
			return NULL;
		}
	}
	for (size_t i = 0; i < FIGURE_COUNT; i++) {
		if (strcmp(figures[i].name, by))
			continue;
		order->figure = figures[i].figure;
		if (of_difference(order->figure) && !groups->difference)
			return kmp_error_new(KMP_ERROR_USAGE,
					     "cannot sort by '%s': this is no difference", by);
		return NULL;
	}
	return unknown_name(groups, by);
}

struct kmp_error *kmp_groups_sort(struct kmp_groups *groups, const char *by)
{
	struct order order;

	try(parse_order(groups, by, &order));
	if (groups->count)
		qsort_r(groups->groups, groups->count, sizeof(*groups->groups), compare_groups,
			&order);
	return NULL;
}
