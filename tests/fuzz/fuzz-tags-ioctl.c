// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any requests with any bytes on descriptors of allocinfo, text reads and new tags between them.
 * Arguments stand in rooms of just their size, so that ASan sees a step outside; answers end their
 * texts and are of the errors that there are.
 *
 * The input is a row of calls: a byte that says which (the lowest three bits) and on which of two
 * descriptors, then what the call takes. An argument that the input is too short for is filled up
 * with zeros, so that short inputs reach far.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format/allocinfo_uapi.h"
#include "kmemprof/kmemprof.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CALLS_MAX = 64, TAGS_MAX = 256 };

struct input {
	const uint8_t *data;
	size_t size;
};

static void take(struct input *in, void *out, size_t size)
{
	size_t part = size < in->size ? size : in->size;

	memset(out, 0, size);
	if (part)
		memcpy(out, in->data, part);
	in->data += part;
	in->size -= part;
}

static void check_text(const char text[KMP_ALLOCINFO_TEXT])
{
	assert(memchr(text, '\0', KMP_ALLOCINFO_TEXT));
}

static void check_data(const char *arg)
{
	struct kmp_allocinfo_tag_data data;

	memcpy(&data, arg, sizeof(data));
	check_text(data.tag.modname);
	check_text(data.tag.function);
	check_text(data.tag.filename);
	assert(data.counter.accurate <= 1);
	for (size_t i = 0; i < sizeof(data.counter.reserved); i++)
		assert(!data.counter.reserved[i]);
}

static void call_ioctl(struct kmp_tags_file *file, uint32_t request, struct input *in, bool null)
{
	size_t size = _IOC_SIZE(request);
	char *arg = malloc(size ? size : 1);

	assert(arg);
	take(in, arg, size);
	int result = kmp_tags_ioctl(file, request, null ? NULL : arg);

	assert(result == 0 || result == -EINVAL || result == -ENOENT || result == -ENOTTY ||
	       (null && result == -EFAULT));
	assert(result || !null);
	if (!result && request == KMP_ALLOCINFO_IOC_GET_NEXT)
		check_data(arg);
	if (!result && request == KMP_ALLOCINFO_IOC_GET_AT)
		check_data(arg + offsetof(struct kmp_allocinfo_get_at, data));
	free(arg);
}

/* GET_AT with a filter of few bytes, which a fuzzer finds sooner than 464 of them. */
static void call_get_at(struct kmp_tags_file *file, struct input *in)
{
	struct kmp_allocinfo_get_at get = { 0 };
	struct {
		uint8_t mask, pos, line, inaccurate;
		int8_t min_size, max_size;
		char text[6];
	} brief;

	take(in, &brief, sizeof(brief));
	get.pos = brief.pos;
	get.filter.mask = brief.mask;
	get.filter.min_size = (uint64_t)(int64_t)brief.min_size;
	get.filter.max_size = (uint64_t)(int64_t)brief.max_size;
	get.filter.inaccurate = brief.inaccurate;
	get.filter.fields.lineno = brief.line;
	memcpy(get.filter.fields.modname, brief.text, 2);
	memcpy(get.filter.fields.function, brief.text + 2, 2);
	memcpy(get.filter.fields.filename, brief.text + 4, 2);
	int result = kmp_tags_ioctl(file, KMP_ALLOCINFO_IOC_GET_AT, &get);

	assert(result == 0 || result == -EINVAL || result == -ENOENT);
	if (!result && brief.mask & KMP_ALLOCINFO_LINENO)
		assert(get.data.tag.lineno == brief.line);
	if (!result && brief.mask & KMP_ALLOCINFO_MAX_SIZE)
		assert(get.data.counter.bytes <= get.filter.max_size);
}

static void call_read(struct kmp_tags_file *file, struct input *in)
{
	struct {
		uint16_t size;
		uint64_t offset;
	} where;
	char *buf;

	take(in, &where, sizeof(where));
	buf = malloc(where.size + 1U);
	assert(buf);
	int64_t got = kmp_tags_read(file, buf, where.size, where.offset);

	assert(got >= 0 && got <= where.size);
	free(buf);
}

static void add_tag(struct kmp_tags *tags, struct input *in)
{
	struct {
		int64_t bytes;
		uint8_t calls, line, accurate, length;
	} brief;
	char texts[4][256];

	if (kmp_tags_count(tags) >= TAGS_MAX)
		return;
	take(in, &brief, sizeof(brief));
	for (int i = 0; i < 4; i++) {
		memset(texts[i], 0, sizeof(texts[i]));
		take(in, texts[i], brief.length >> (2 * i) & 3);
		if (brief.length & 0x80 && texts[i][0])
			memset(texts[i] + 3, texts[i][0], 60 + (size_t)brief.line % 8);
	}
	struct kmp_tag tag = { .file = texts[0],
			       .function = texts[1],
			       .module = texts[2],
			       .extra = texts[3],
			       .line = brief.line,
			       .bytes = brief.bytes,
			       .calls = (int8_t)brief.calls,
			       .accurate = brief.accurate };

	if (kmp_tags_add(tags, &tag, 1))
		abort();
	kmp_tags_charge(tags, kmp_tags_count(tags) - 1, brief.line % 3U, brief.bytes, -1);
}

static void call(struct kmp_tags *tags, struct kmp_tags_file *file, uint8_t what, struct input *in)
{
	uint32_t request;

	switch (what & 7) {
	case 0:
		add_tag(tags, in);
		break;
	case 1:
		call_get_at(file, in);
		break;
	case 2:
		call_read(file, in);
		break;
	case 3:
		call_ioctl(file, KMP_ALLOCINFO_IOC_GET_AT, in, what & 0x80);
		break;
	case 4:
		call_ioctl(file, KMP_ALLOCINFO_IOC_CONTENT_ID, in, what & 0x80);
		break;
	case 5:
		take(in, &request, sizeof(request));
		call_ioctl(file, request, in, what & 0x80);
		break;
	default:
		call_ioctl(file, KMP_ALLOCINFO_IOC_GET_NEXT, in, what & 0x80);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	struct kmp_tags_file *files[2];
	struct kmp_tags *tags;

	if (kmp_tags_create_empty(3, &tags) || kmp_tags_open(tags, &files[0]) ||
	    kmp_tags_open(tags, &files[1]))
		abort();
	for (int i = 0; i < CALLS_MAX && in.size; i++) {
		uint8_t what;

		take(&in, &what, 1);
		call(tags, files[what >> 3 & 1], what, &in);
	}
	kmp_tags_close(files[0]);
	kmp_tags_close(files[1]);
	kmp_tags_destroy(tags);
	return 0;
}
