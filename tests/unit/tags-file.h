/* SPDX-License-Identifier: GPL-2.0-only */
/* The tags of the 7.3 capture in memory, beside the text that the kernel printed. */
#ifndef KMP_TESTS_TAGS_FILE_H
#define KMP_TESTS_TAGS_FILE_H

#include <errno.h>
#include <inttypes.h>

#include "base/input.h"
#include "format/allocinfo_uapi.h"
#include "tags-read.h"

static const char tags_capture[] = "captures/linux-7.3/allocinfo.xz";

enum { TEXT_MAX = 1 << 20 };

struct fixture {
	struct kmp_tags *tags;
	char *text; /* what the kernel printed */
	size_t len;
};

static struct fixture *fix;

static inline char *load(const char *name, size_t *len)
{
	char *text = malloc(TEXT_MAX);
	struct kmp_input *input;
	char path[4096];
	size_t got;

	data_path(name, path);
	assert_null(kmp_input_open(path, &input));
	for (*len = 0;; *len += got) {
		assert_null(kmp_input_read(input, text + *len, TEXT_MAX - *len, &got));
		if (!got)
			break;
	}
	assert_in_range(*len, 1, TEXT_MAX - 1);
	text[*len] = '\0';
	kmp_input_destroy(input);
	return text;
}

static inline struct kmp_tags *make(struct kmp_ledger *ledger)
{
	struct kmp_tags *tags;

	assert_null(kmp_tags_create(ledger, &tags));
	kmp_ledger_destroy(ledger);
	return tags;
}

static inline int set_up(void **state)
{
	fix = calloc(1, sizeof(*fix));
	fix->text = load(tags_capture, &fix->len);
	fix->tags = make(read_allocinfo(tags_capture));
	return 0;
}

static inline int tear_down(void **state)
{
	kmp_tags_destroy(fix->tags);
	free(fix->text);
	free(fix);
	return 0;
}

static inline struct kmp_tags_file *open_tags(struct kmp_tags *tags)
{
	struct kmp_tags_file *file;

	assert_null(kmp_tags_open(tags, &file));
	return file;
}

#endif
