// SPDX-License-Identifier: GPL-2.0-only
/* A descriptor of /proc/allocinfo: its text, and the ioctls as Linux 7.3 answers them. */
#include <errno.h>

#include "format/allocinfo_text.h"
#include "format/allocinfo_uapi.h"
#include "ledger/tag_query.h"

_Static_assert((int)KMP_TAG_MODULE == KMP_ALLOCINFO_MODNAME &&
		       (int)KMP_TAG_FUNCTION == KMP_ALLOCINFO_FUNCTION &&
		       (int)KMP_TAG_FILE == KMP_ALLOCINFO_FILENAME &&
		       (int)KMP_TAG_LINE == KMP_ALLOCINFO_LINENO &&
		       (int)KMP_TAG_INACCURATE == KMP_ALLOCINFO_INACCURATE &&
		       (int)KMP_TAG_MIN_SIZE == KMP_ALLOCINFO_MIN_SIZE &&
		       (int)KMP_TAG_MAX_SIZE == KMP_ALLOCINFO_MAX_SIZE,
	       "a mask is a set of criteria");
_Static_assert((int)KMP_ALLOCINFO_TEXT == KMP_TAG_TEXT_MAX + 1, "texts are of one size");

struct kmp_tags_file {
	struct kmp_tags *tags;
	struct kmp_allocinfo_text text;
	struct kmp_tag_query query;
	size_t next;	 /* the tag that the next search begins with */
	bool positioned; /* false: it begins with the first */
};

struct kmp_error *kmp_tags_open(struct kmp_tags *tags, struct kmp_tags_file **file)
{
	struct kmp_tags_file *new = calloc(1, sizeof(*new));

	if (!new)
		return &kmp_error_no_memory;
	new->tags = tags;
	*file = new;
	return NULL;
}

void kmp_tags_close(struct kmp_tags_file *file)
{
	if (!file)
		return;
	kmp_allocinfo_text_deinit(&file->text);
	free(file);
}

int64_t kmp_tags_read(struct kmp_tags_file *file, char *buf, size_t size, uint64_t offset)
{
	return kmp_allocinfo_text_read(&file->text, file->tags, buf, size, offset);
}

/* Writes what was found, under the store's lock. */
typedef void (*found_fn)(const struct kmp_tags *tags, size_t number, void *out);

/* The match number pos, or the count of tags; every tag is a match where nothing is asked. */
static size_t find_at(struct kmp_tag_query *query, const struct kmp_tags *tags, uint64_t pos)
{
	if (!query->set)
		return (size_t)pos;

	size_t number = kmp_tag_query_find(query, tags, 0);

	while (pos-- && number < tags->keys.len)
		number = kmp_tag_query_find(query, tags, number + 1);
	return number;
}

/*
 * A position beyond all tags changes nothing. One beyond the matches leaves the new query and the
 * search at its end, without placing a descriptor that was not placed before.
 */
static int get_at(struct kmp_tags_file *file, const struct kmp_tag_query *query, uint64_t pos,
		  found_fn found, void *out)
{
	struct kmp_tags *tags = file->tags;
	int result = -ENOENT;

	if (kmp_tag_query_is_empty(query))
		return -EINVAL;
	pthread_rwlock_rdlock(&tags->lock);
	if (pos < tags->keys.len) {
		size_t number;

		file->query = *query;
		number = find_at(&file->query, tags, pos);
		file->next = number;
		if (number < tags->keys.len) {
			found(tags, number, out);
			file->next++;
			file->positioned = true;
			result = 0;
		}
	}
	pthread_rwlock_unlock(&tags->lock);
	return result;
}

static int get_next(struct kmp_tags_file *file, found_fn found, void *out)
{
	struct kmp_tags *tags = file->tags;

	pthread_rwlock_rdlock(&tags->lock);

	size_t number = kmp_tag_query_find(&file->query, tags, file->positioned ? file->next : 0);

	file->positioned = number < tags->keys.len;
	file->next = number + 1;
	if (file->positioned)
		found(tags, number, out);
	pthread_rwlock_unlock(&tags->lock);
	return file->positioned ? 0 : -ENOENT;
}

static void found_tag(const struct kmp_tags *tags, size_t number, void *out)
{
	const struct kmp_tag_words *words = &tags->words.data[number];

	*(struct kmp_tag *)out = (struct kmp_tag){
		.file = kmp_tags_text(tags, words->file)->text,
		.function = kmp_tags_text(tags, words->function)->text,
		.module = kmp_tags_text(tags, words->module)->text,
		.extra = kmp_tags_text(tags, words->extra)->text,
		.line = tags->keys.data[number].line,
		.bytes = (int64_t)kmp_tags_bytes(tags, number),
		.calls = (int64_t)kmp_tags_calls(tags, number),
		.accurate = tags->keys.data[number].accurate,
		.approximate = words->approximate,
	};
}

int kmp_tags_get_at(struct kmp_tags_file *file, const struct kmp_tag_filter *filter, uint64_t pos,
		    struct kmp_tag *tag)
{
	struct kmp_tag_query query;

	kmp_tag_query_init(&query, filter);
	return get_at(file, &query, pos, found_tag, tag);
}

int kmp_tags_get_next(struct kmp_tags_file *file, struct kmp_tag *tag)
{
	return get_next(file, found_tag, tag);
}

static void copy_text(char out[KMP_ALLOCINFO_TEXT], const struct kmp_tags *tags, uint32_t number)
{
	const struct kmp_string *text = kmp_tags_text(tags, number);

	memcpy(out, text->text, text->len); /* a suffix fits */
}

static void found_data(const struct kmp_tags *tags, size_t number, void *out)
{
	const struct kmp_tag_key *key = &tags->keys.data[number];
	struct kmp_allocinfo_tag_data *data = out;

	*data = (struct kmp_allocinfo_tag_data){
		.tag.lineno = key->line,
		.counter.bytes = kmp_tags_bytes(tags, number),
		.counter.calls = kmp_tags_calls(tags, number),
		.counter.accurate = key->accurate,
	};
	copy_text(data->tag.modname, tags, key->module);
	copy_text(data->tag.function, tags, key->function);
	copy_text(data->tag.filename, tags, key->file);
}

static int ioctl_content_id(struct kmp_tags_file *file, void *arg)
{
	struct kmp_allocinfo_content_id content = { kmp_tags_content_id(file->tags) };

	if (!arg)
		return -EFAULT;
	memcpy(arg, &content, sizeof(content));
	return 0;
}

static void query_of(struct kmp_tag_query *query, const struct kmp_allocinfo_filter *filter)
{
	*query = (struct kmp_tag_query){
		.set = (uint32_t)filter->mask,
		.inaccurate = filter->inaccurate,
		.line = filter->fields.lineno,
		.min_size = filter->min_size,
		.max_size = filter->max_size,
	};
	kmp_tag_text_set_array(&query->module, filter->fields.modname);
	kmp_tag_text_set_array(&query->function, filter->fields.function);
	kmp_tag_text_set_array(&query->file, filter->fields.filename);
}

static int ioctl_get_at(struct kmp_tags_file *file, void *arg)
{
	struct kmp_allocinfo_get_at get;
	struct kmp_tag_query query;

	if (!arg)
		return -EFAULT;
	memcpy(&get, arg, sizeof(get));
	if (get.filter.mask & ~(uint64_t)KMP_TAG_ALL)
		return -EINVAL;
	query_of(&query, &get.filter);

	int result = get_at(file, &query, get.pos, found_data, &get.data);

	if (!result)
		memcpy(arg, &get, sizeof(get));
	return result;
}

/* A bad pointer is noticed when there is something to write to it: the tag counts as read. */
static int ioctl_get_next(struct kmp_tags_file *file, void *arg)
{
	struct kmp_allocinfo_tag_data data;
	int result = get_next(file, found_data, &data);

	if (result)
		return result;
	if (!arg)
		return -EFAULT;
	memcpy(arg, &data, sizeof(data));
	return 0;
}

int kmp_tags_ioctl(struct kmp_tags_file *file, uint32_t request, void *arg)
{
	switch (request) {
	case KMP_ALLOCINFO_IOC_CONTENT_ID:
		return ioctl_content_id(file, arg);
	case KMP_ALLOCINFO_IOC_GET_AT:
		return ioctl_get_at(file, arg);
	case KMP_ALLOCINFO_IOC_GET_NEXT:
		return ioctl_get_next(file, arg);
	default:
		return -ENOTTY;
	}
}
