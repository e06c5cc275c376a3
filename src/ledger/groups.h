/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Building struct kmp_groups, for page owners and tags alike:
 *
 *     struct kmp_builder builder;
 *     struct kmp_group *group;
 *
 *     try(kmp_builder_init(&builder, KMP_UNIT_TAGS, names, count));   then, on every way out,
 *     kmp_builder_deinit(&builder);
 *
 *     try(kmp_builder_facts(&builder, ledger));
 *     for each thing:
 *         try(kmp_builder_group(&builder, values, &group));           find it, or make it
 *         kmp_sums_add(&group->now, &(struct kmp_sums){ … });
 *     try(kmp_builder_finish(&builder, &groups));                     totals, order
 *
 * Groups own copies of all texts and frames, each distinct one once: the same trace in several
 * groups is one array.
 */
#ifndef KMP_LEDGER_GROUPS_H
#define KMP_LEDGER_GROUPS_H

#include "base/pool.h"

struct kmp_groups_owner;

struct kmp_builder {
	struct kmp_groups_owner *owner; /* becomes the result */
	VEC(struct kmp_group) groups;
	VEC(uint64_t) ids;	  /* what identifies each group: two numbers for each value */
	VEC(const char *) frames; /* scratch */
	struct kmp_index index;
	size_t key_count;
};

/* Start with these keys, whose names are copied; an error leaves nothing to deinit. */
struct kmp_error *kmp_builder_init(struct kmp_builder *builder, enum kmp_unit unit,
				   const char *const *keys, size_t key_count) must_check;

/* Free what kmp_builder_finish() did not hand out. */
void kmp_builder_deinit(struct kmp_builder *builder);

/* Copy facts, losses and warnings. */
struct kmp_error *kmp_builder_facts(struct kmp_builder *builder,
				    const struct kmp_ledger *ledger) must_check;

/* The same from other groups; losses and warnings add to those that are there. */
struct kmp_error *kmp_builder_facts_of(struct kmp_builder *builder, const struct kmp_groups *from,
				       struct kmp_facts *to) must_check;

/* A text that lives as long as the groups, for struct kmp_group's note. */
struct kmp_error *kmp_builder_text(struct kmp_builder *builder, const char *text, size_t len,
				   const char **out) must_check;

/*
 * The group whose key is these values (key_count of them, copied), new with all sums 0 and times
 * unknown, or the one that was there. The pointer is valid until the next call.
 */
struct kmp_error *kmp_builder_group(struct kmp_builder *builder, const struct kmp_value *values,
				    struct kmp_group **group) must_check;

/* The result so far, for its flags; it gets its groups by kmp_builder_finish(). */
struct kmp_groups *kmp_builder_result(struct kmp_builder *builder);

/* Add up totals, sort (largest first; differences by growth) and hand out the result. */
struct kmp_error *kmp_builder_finish(struct kmp_builder *builder,
				     struct kmp_groups **groups) must_check;

/* Add to sums, which stay at the ends of their range rather than overflow. */
void kmp_sums_add(struct kmp_sums *sums, const struct kmp_sums *more);

/* a - b, or the end of the range. */
int64_t kmp_sums_delta(int64_t a, int64_t b);

/* A total order of values: numbers, texts, stacks by their frames; what is not told comes last. */
int kmp_value_compare(const struct kmp_value *a, const struct kmp_value *b);

#endif
