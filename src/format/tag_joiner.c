// SPDX-License-Identifier: GPL-2.0-only
#include "format/tag_joiner.h"

/* A row of 100 columns in a mail of 72 is two lines; very long paths make it three. */
enum { PARTS_MAX = 3 };

/* The row that waits will not be completed. */
static struct kmp_error *give_up(struct kmp_tag_joiner *joiner)
{
	struct kmp_tag_row row;

	kmp_tag_row_parse(joiner->held.data, joiner->held.len, &row);
	row.kind = KMP_ROW_BAD;
	joiner->held.len = 0;
	return joiner->row(joiner, &row, joiner->held_line);
}

static struct kmp_error *hold(struct kmp_tag_joiner *joiner, const struct kmp_tag_row *row,
			      uint64_t line)
{
	joiner->held_line = line;
	joiner->held_parts = 1;
	return vec_append(&joiner->held, row->text.text, row->text.len);
}

/* Try this line as the continuation of the row that waits. */
static struct kmp_error *join(struct kmp_tag_joiner *joiner, const struct kmp_tag_row *more,
			      bool *joined)
{
	size_t before = joiner->held.len;
	struct kmp_tag_row row;

	try(vec_push(&joiner->held, ' '));
	try(vec_append(&joiner->held, more->text.text, more->text.len));
	kmp_tag_row_parse(joiner->held.data, joiner->held.len, &row);
	*joined = true;
	if (row.kind == KMP_ROW_OPEN && ++joiner->held_parts < PARTS_MAX)
		return NULL;
	if (row.kind == KMP_ROW_TAG) {
		joiner->held.len = 0;
		return joiner->row(joiner, &row, joiner->held_line);
	}
	*joined = false;
	joiner->held.len = before;
	return NULL;
}

static bool can_continue(const struct kmp_tag_row *row)
{
	return row->kind == KMP_ROW_OTHER || row->kind == KMP_ROW_BAD || row->kind == KMP_ROW_OPEN;
}

struct kmp_error *kmp_tag_joiner_feed(struct kmp_tag_joiner *joiner, const char *text, size_t len,
				      uint64_t line)
{
	struct kmp_tag_row row;
	bool joined = false;

	kmp_tag_row_parse(text, len, &row);
	if (joiner->held.len && can_continue(&row))
		try(join(joiner, &row, &joined));
	if (joined)
		return NULL;
	if (joiner->held.len)
		try(give_up(joiner));
	if (row.kind != KMP_ROW_OPEN)
		return joiner->row(joiner, &row, line);
	return joiner->wanted(joiner, &row) ? hold(joiner, &row, line) : NULL;
}

struct kmp_error *kmp_tag_joiner_finish(struct kmp_tag_joiner *joiner)
{
	return joiner->held.len ? give_up(joiner) : NULL;
}

void kmp_tag_joiner_deinit(struct kmp_tag_joiner *joiner)
{
	vec_deinit(&joiner->held);
}
