// SPDX-License-Identifier: GPL-2.0-only
#include "ledger/tag_query.h"

enum { SIZES = KMP_TAG_MIN_SIZE | KMP_TAG_MAX_SIZE };

void kmp_tag_text_set(struct kmp_tag_text *want, const char *text)
{
	size_t len;
	const char *suffix = kmp_tag_suffix(text, &len);

	*want = (struct kmp_tag_text){ .number = KMP_NONE };
	memcpy(want->bytes, suffix, len);
}

void kmp_tag_text_set_array(struct kmp_tag_text *want, const char array[KMP_TAG_TEXT_MAX + 1])
{
	*want = (struct kmp_tag_text){ .number = KMP_NONE };
	want->never = !memccpy(want->bytes, array, '\0', sizeof(want->bytes));
}

void kmp_tag_query_init(struct kmp_tag_query *query, const struct kmp_tag_filter *filter)
{
	static const struct kmp_tag_filter all = { .accurate = -1 };

	if (!filter)
		filter = &all;
	*query = (struct kmp_tag_query){
		.set = (filter->module ? KMP_TAG_MODULE : 0) |
		       (filter->function ? KMP_TAG_FUNCTION : 0) |
		       (filter->file ? KMP_TAG_FILE : 0) | (filter->line ? KMP_TAG_LINE : 0) |
		       (filter->accurate >= 0 ? KMP_TAG_INACCURATE : 0) |
		       (filter->has_min_size ? KMP_TAG_MIN_SIZE : 0) |
		       (filter->has_max_size ? KMP_TAG_MAX_SIZE : 0),
		.any_spelling = true,
		.inaccurate = !filter->accurate,
		.line = filter->line,
		.min_size = (uint64_t)filter->min_size,
		.max_size = (uint64_t)filter->max_size,
		.sign = UINT64_C(1) << 63,
	};
	if (filter->module)
		kmp_tag_text_set(&query->module, filter->module);
	if (filter->function)
		kmp_tag_text_set(&query->function, filter->function);
	if (filter->file)
		kmp_tag_text_set(&query->file, filter->file);
}

bool kmp_tag_query_is_empty(const struct kmp_tag_query *query)
{
	return (query->set & SIZES) == SIZES &&
	       (query->min_size ^ query->sign) > (query->max_size ^ query->sign);
}

static bool resolve_text(struct kmp_tag_text *want, const struct kmp_tags *tags)
{
	if (want->number == KMP_NONE && !want->never)
		want->number = kmp_pool_find(&tags->texts, want->bytes, strlen(want->bytes));
	return want->number != KMP_NONE;
}

/* Find the texts' numbers; false if one that is wanted is no text of the store. */
static bool resolve(struct kmp_tag_query *query, const struct kmp_tags *tags)
{
	return (!(query->set & KMP_TAG_MODULE) || resolve_text(&query->module, tags)) &&
	       (!(query->set & KMP_TAG_FUNCTION) || resolve_text(&query->function, tags)) &&
	       (!(query->set & KMP_TAG_FILE) || resolve_text(&query->file, tags));
}

static inline bool key_passes(const struct kmp_tag_query *q, const struct kmp_tag_key *key)
{
	if (q->set & KMP_TAG_FILE && key->file != q->file.number &&
	    !(q->any_spelling && key->path == q->file.number))
		return false;
	if (q->set & KMP_TAG_FUNCTION && key->function != q->function.number)
		return false;
	if (q->set & KMP_TAG_MODULE && key->module != q->module.number)
		return false;
	if (q->set & KMP_TAG_LINE && key->line != q->line)
		return false;
	return !(q->set & KMP_TAG_INACCURATE) || key->accurate != q->inaccurate;
}

static bool size_passes(const struct kmp_tag_query *q, uint64_t bytes)
{
	if (q->set & KMP_TAG_MIN_SIZE && (bytes ^ q->sign) < (q->min_size ^ q->sign))
		return false;
	return !(q->set & KMP_TAG_MAX_SIZE) || (bytes ^ q->sign) <= (q->max_size ^ q->sign);
}

size_t kmp_tag_query_find(struct kmp_tag_query *query, const struct kmp_tags *tags, size_t from)
{
	if (!resolve(query, tags))
		return tags->keys.len;
	for (size_t i = from; i < tags->keys.len; i++) {
		if (key_passes(query, &tags->keys.data[i]) &&
		    (!(query->set & SIZES) || size_passes(query, kmp_tags_bytes(tags, i))))
			return i;
	}
	return tags->keys.len;
}
