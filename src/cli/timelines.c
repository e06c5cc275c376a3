// SPDX-License-Identifier: GPL-2.0-only
#include "cli/timelines.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"

DEFINE_CLEANUP(history, struct kmp_history *, kmp_history_close)

static const struct {
	const char *key;
	enum kmp_unit unit;
} wanted[CLI_TIMELINES] = {
	{ "function", KMP_UNIT_PAGES },
	{ "comm", KMP_UNIT_PAGES },
	{ "function", KMP_UNIT_TAGS },
};

static struct kmp_error *open_at(const char *path, struct kmp_history **history, size_t *last)
{
	char *file auto_free = strdup(path);
	char *at = file ? strrchr(file, '@') : NULL;

	if (!file)
		return kmp_error_new(KMP_ERROR_MEMORY, "out of memory");
	if (!kmp_history_probe(path)) {
		if (!at)
			return NULL;
		*at = 0;
		if (!kmp_history_probe(file))
			return NULL;
	}
	try(kmp_history_open(file, history));
	return kmp_history_find(*history, strcmp(file, path) != 0 ? at + 1 : "last", last);
}

struct kmp_error *cli_timelines_read(const char *path, struct cli_timelines *timelines)
{
	struct kmp_history *history cleanup(cleanup_history) = NULL;
	size_t last = 0;

	try(open_at(path, &history, &last));
	for (size_t i = 0; history && i < CLI_TIMELINES; i++) {
		struct kmp_timeline_options options = { .key = wanted[i].key,
							.unit = wanted[i].unit,
							.last = last };
		struct kmp_timeline *timeline;

		try(kmp_timeline_create(history, &options, &timeline));
		timelines->list[timelines->count++] = timeline;
	}
	return NULL;
}

void cli_timelines_deinit(struct cli_timelines *timelines)
{
	for (size_t i = 0; i < timelines->count; i++)
		kmp_timeline_destroy(timelines->list[i]);
	timelines->count = 0;
}
