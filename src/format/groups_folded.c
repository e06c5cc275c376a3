// SPDX-License-Identifier: GPL-2.0-only
/*
 * Groups as folded stacks, `outer;…;inner BYTES`, in byte order, equal stacks added up. Of a
 * difference two figures, before and now. Stacks whose figures are not greater than 0 cannot be
 * said in this form and are left out.
 */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "format/flame_path.h"
#include "format/views.h"

struct line {
	size_t start; /* in text */
	size_t len;
	int64_t now;
	int64_t before;
};

struct folded {
	struct kmp_buf text;
	VEC(struct line) lines;
	struct flame_path path;
};

static void folded_deinit(struct folded *folded)
{
	vec_deinit(&folded->text);
	vec_deinit(&folded->lines);
	kmp_flame_path_deinit(&folded->path);
}

/*
 * Readers take a number behind the last blank but one for the earlier of two figures: a name that
 * ends so (`handle 12`) loses its blank.
 */
static void join_number(char *text, size_t len)
{
	size_t i = len;

	while (i && (isdigit((unsigned char)text[i - 1]) || text[i - 1] == '.'))
		i--;
	if (i && i < len && text[i - 1] == ' ')
		text[i - 1] = '_';
}

static struct kmp_error *add_line(struct folded *folded, const struct kmp_groups *groups,
				  const struct kmp_group *group)
{
	struct line line = { .start = folded->text.len,
			     .now = group->now.bytes > 0 ? group->now.bytes : 0,
			     .before = group->before.bytes > 0 ? group->before.bytes : 0 };
	struct flame_path *path = &folded->path;

	try(kmp_flame_path(path, groups, group));
	for (size_t i = 0; i < path->steps.len; i++) {
		const struct flame_step *step = &path->steps.data[i];
		const char *text = path->text.data + step->start;

		if (i)
			try(vec_push(&folded->text, ';'));
		for (size_t c = 0; c < step->len; c++)
			try(vec_push(&folded->text, text[c] == ';' ? ':' : text[c]));
	}
	line.len = folded->text.len - line.start;
	join_number(folded->text.data + line.start, line.len);
	return vec_push(&folded->lines, line);
}

static int compare_lines(const void *a, const void *b, void *text)
{
	const struct line *x = a, *y = b;
	size_t len = x->len < y->len ? x->len : y->len;
	int order = memcmp((char *)text + x->start, (char *)text + y->start, len);

	return order ? order : (x->len > y->len) - (x->len < y->len);
}

static void print_line(const struct folded *folded, const struct line *line, bool difference,
		       FILE *out)
{
	if (!line->now && !(difference && line->before))
		return;
	fwrite(folded->text.data + line->start, 1, line->len, out);
	if (difference)
		fprintf(out, " %" PRId64, line->before);
	fprintf(out, " %" PRId64 "\n", line->now);
}

struct kmp_error *kmp_groups_folded(const struct kmp_groups *groups, FILE *out,
				    const struct kmp_view *view)
{
	struct folded folded cleanup(folded_deinit) = { 0 };
	size_t shown = view_shown(groups, view);

	try(kmp_flame_check(groups));
	for (size_t i = 0; i < shown; i++)
		try(add_line(&folded, groups, &groups->groups[i]));
	if (!shown)
		return NULL;
	struct line *lines = folded.lines.data;
	qsort_r(lines, shown, sizeof(*lines), compare_lines, folded.text.data);
	for (size_t i = 0; i < shown; i++) {
		struct line *next = i + 1 < shown ? &lines[i + 1] : NULL;

		if (next && compare_lines(&lines[i], next, folded.text.data) == 0) {
			next->now = kmp_plus(next->now, lines[i].now);
			next->before = kmp_plus(next->before, lines[i].before);
			continue;
		}
		print_line(&folded, &lines[i], groups->difference, out);
	}
	return NULL;
}
