// SPDX-License-Identifier: GPL-2.0-only
/*
 * The difference of two groupings: groups are joined by what their keys say. A side of which only
 * the largest tags are known cannot tell whether a group that it lacks grew or shrank.
 */
#include "ledger/groups.h"

enum side { BEFORE, AFTER };

static struct kmp_error *check_alike(const struct kmp_groups *before,
				     const struct kmp_groups *after)
{
	bool alike = before->key_count == after->key_count;

	if (before->unit != after->unit)
		return kmp_error_new(KMP_ERROR_USAGE, "page owners cannot be compared with tags");
	for (size_t i = 0; alike && i < before->key_count; i++)
		alike = !strcmp(before->keys[i], after->keys[i]);
	if (!alike)
		return kmp_error_new(KMP_ERROR_USAGE,
				     "only groups by the same keys can be compared");
	if (before->difference || after->difference)
		return kmp_error_new(KMP_ERROR_USAGE, "a difference cannot be compared again");
	return NULL;
}

static void extend_times(struct kmp_group *group, const struct kmp_group *from)
{
	if (from->ts_first < group->ts_first)
		group->ts_first = from->ts_first;
	if (from->ts_last != KMP_UNKNOWN &&
	    (group->ts_last == KMP_UNKNOWN || from->ts_last > group->ts_last))
		group->ts_last = from->ts_last;
}

/* Until both sides were added, `unknown` says that only one of them has the group. */
static struct kmp_error *add_side(struct kmp_builder *builder, const struct kmp_groups *from,
				  enum side side)
{
	for (size_t i = 0; i < from->count; i++) {
		const struct kmp_group *source = &from->groups[i];
		size_t known = builder->groups.len;
		struct kmp_group *group;

		try(kmp_builder_group(builder, source->key, &group));
		group->unknown = builder->groups.len > known;
		kmp_sums_add(side == AFTER ? &group->now : &group->before, &source->now);
		group->approximate |= source->approximate;
		extend_times(group, source);
		if (source->note && !group->note)
			try(kmp_builder_text(builder, source->note, strlen(source->note),
					     &group->note));
	}
	return NULL;
}

static bool is_zero(const struct kmp_sums *sums)
{
	return !sums->records && !sums->pages && !sums->bytes;
}

/* Drop what is nothing on both sides; tell an absence that is a fact from one that is a cut. */
static void settle(struct kmp_builder *builder, size_t after_count, bool before_cut, bool after_cut)
{
	size_t kept = 0;

	for (size_t i = 0; i < builder->groups.len; i++) {
		struct kmp_group *group = &builder->groups.data[i];

		group->unknown = group->unknown && (i < after_count ? before_cut : after_cut);
		if (!is_zero(&group->now) || !is_zero(&group->before))
			builder->groups.data[kept++] = *group;
	}
	builder->groups.len = kept;
}

static struct kmp_error *build(struct kmp_builder *builder, const struct kmp_groups *before,
			       const struct kmp_groups *after, struct kmp_groups **diff)
{
	struct kmp_groups *result = kmp_builder_result(builder);

	try(kmp_builder_facts_of(builder, before, &result->facts_before));
	try(kmp_builder_facts_of(builder, after, &result->facts));
	result->difference = true;
	result->records_unknown = before->records_unknown || after->records_unknown;
	try(add_side(builder, after, AFTER));
	size_t after_count = builder->groups.len;

	try(add_side(builder, before, BEFORE));
	settle(builder, after_count, before->facts.top_only, after->facts.top_only);
	return kmp_builder_finish(builder, diff);
}

struct kmp_error *kmp_groups_diff(const struct kmp_groups *before, const struct kmp_groups *after,
				  struct kmp_groups **diff)
{
	struct kmp_builder builder;

	try(check_alike(before, after));
	try(kmp_builder_init(&builder, after->unit, after->keys, after->key_count));
	struct kmp_error *err = build(&builder, before, after, diff);

	kmp_builder_deinit(&builder);
	return err;
}
