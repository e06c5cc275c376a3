/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the views of groups share, and the views themselves: kmp_groups_write() chooses one.
 */
#ifndef KMP_FORMAT_VIEWS_H
#define KMP_FORMAT_VIEWS_H

#include "base/error.h"

/* How many groups the view shows. */
static inline size_t view_shown(const struct kmp_groups *groups, const struct kmp_view *view)
{
	return view->limit && view->limit < groups->count ? view->limit : groups->count;
}

/* Are these single locations, keyed by file, line, module and function? */
bool kmp_groups_are_locations(const struct kmp_groups *groups);

/* The sums of the groups from number first on; in a difference, of the earlier side too. */
void kmp_groups_rest(const struct kmp_groups *groups, size_t first, struct kmp_sums *now,
		     struct kmp_sums *before);

/* The sums of a side that has nothing of the group, which may be because it was cut. */
bool kmp_sums_empty(const struct kmp_sums *sums);

/* a - b, at the limit of the type where the difference is beyond it. */
int64_t kmp_minus(int64_t a, int64_t b);

/* a + b, likewise. */
int64_t kmp_plus(int64_t a, int64_t b);

/* A line of CSV being written. All zero but for out is the beginning of one. */
struct kmp_csv {
	FILE *out;
	bool has_field;
};

/* Begin a field, write a text as one, a group's key as one for each part, end the line. */
void kmp_csv_field(struct kmp_csv *csv);
void kmp_csv_text(struct kmp_csv *csv, const char *text, size_t len);
void kmp_csv_key(struct kmp_csv *csv, const struct kmp_groups *groups,
		 const struct kmp_group *group);
void kmp_csv_end(struct kmp_csv *csv);

/* The parts of a JSON document that stand before and behind its list, and a group's key. */
void kmp_groups_json_begin(struct kmp_json *json, const struct kmp_groups *groups,
			   const struct kmp_view *view, FILE *out);
void kmp_groups_json_key(struct kmp_json *json, const struct kmp_groups *groups,
			 const struct kmp_group *group);
void kmp_groups_json_end(struct kmp_json *json, const struct kmp_groups *groups);

struct kmp_error *kmp_groups_table(const struct kmp_groups *groups, FILE *out,
				   const struct kmp_view *view) must_check;
struct kmp_error *kmp_groups_json(const struct kmp_groups *groups, FILE *out,
				  const struct kmp_view *view) must_check;
struct kmp_error *kmp_groups_csv(const struct kmp_groups *groups, FILE *out,
				 const struct kmp_view *view) must_check;
struct kmp_error *kmp_groups_folded(const struct kmp_groups *groups, FILE *out,
				    const struct kmp_view *view) must_check;
struct kmp_error *kmp_groups_html(const struct kmp_groups *groups, FILE *out,
				  const struct kmp_view *view) must_check;
struct kmp_error *kmp_groups_pprof(const struct kmp_groups *groups, FILE *out,
				   const struct kmp_view *view) must_check;
struct kmp_error *kmp_groups_svg(const struct kmp_groups *groups, FILE *out,
				 const struct kmp_view *view) must_check;

#endif
