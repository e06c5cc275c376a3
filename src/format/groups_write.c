// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "format/views.h"

static const struct {
	const char *name;
	struct kmp_error *(*write)(const struct kmp_groups *groups, FILE *out,
				   const struct kmp_view *view);
} formats[] = {
	[KMP_FORMAT_TABLE] = { "table", kmp_groups_table },
	[KMP_FORMAT_JSON] = { "json", kmp_groups_json },
	[KMP_FORMAT_CSV] = { "csv", kmp_groups_csv },
	[KMP_FORMAT_FOLDED] = { "folded", kmp_groups_folded },
	[KMP_FORMAT_SVG] = { "svg", kmp_groups_svg },
	[KMP_FORMAT_PPROF] = { "pprof", kmp_groups_pprof },
	[KMP_FORMAT_HTML] = { "html", kmp_groups_html },
};

enum { FORMATS = sizeof(formats) / sizeof(formats[0]) };

struct kmp_error *kmp_format_parse(const char *name, enum kmp_format *format)
{
	for (size_t i = 0; i < FORMATS; i++) {
		if (strcmp(name, formats[i].name) == 0) {
			*format = (enum kmp_format)i;
			return NULL;
		}
	}
	return kmp_error_new(
		KMP_ERROR_USAGE,
		"unknown format '%s'; there are table, json, csv, folded, svg, pprof and html",
		name);
}

bool kmp_groups_are_locations(const struct kmp_groups *groups)
{
	static const char *const keys[] = { "file", "line", "module", "function" };

	if (groups->unit != KMP_UNIT_TAGS || groups->key_count != 4)
		return false;
	for (size_t i = 0; i < 4; i++) {
		if (strcmp(groups->keys[i], keys[i]) != 0)
			return false;
	}
	return true;
}

int64_t kmp_minus(int64_t a, int64_t b)
{
	int64_t result;

	if (__builtin_sub_overflow(a, b, &result))
		return a < 0 ? INT64_MIN : INT64_MAX;
	return result;
}

int64_t kmp_plus(int64_t a, int64_t b)
{
	int64_t result;

	if (__builtin_add_overflow(a, b, &result))
		return a < 0 ? INT64_MIN : INT64_MAX;
	return result;
}

static void add(struct kmp_sums *to, const struct kmp_sums *sums)
{
	to->records = kmp_plus(to->records, sums->records);
	to->pages = kmp_plus(to->pages, sums->pages);
	to->bytes = kmp_plus(to->bytes, sums->bytes);
	to->inaccurate = kmp_plus(to->inaccurate, sums->inaccurate);
	to->members = kmp_plus(to->members, sums->members);
}

void kmp_groups_rest(const struct kmp_groups *groups, size_t first, struct kmp_sums *now,
		     struct kmp_sums *before)
{
	*now = *before = (struct kmp_sums){ 0 };
	for (size_t i = first; i < groups->count; i++) {
		add(now, &groups->groups[i].now);
		add(before, &groups->groups[i].before);
	}
}

bool kmp_sums_empty(const struct kmp_sums *sums)
{
	return !sums->records && !sums->pages && !sums->bytes && !sums->members;
}

struct kmp_error *kmp_groups_write(const struct kmp_groups *groups, FILE *out,
				   const struct kmp_view *view)
{
	static const struct kmp_view plain;

	if (!view)
		view = &plain;
	if ((unsigned)view->format >= FORMATS)
		return kmp_error_new(KMP_ERROR_USAGE, "unknown format number %d",
				     (int)view->format);
	errno = 0;
	try(formats[view->format].write(groups, out, view));
	if (fflush(out) || ferror(out))
		return kmp_error_system(errno ? errno : EIO, NULL, "cannot write");
	return NULL;
}
