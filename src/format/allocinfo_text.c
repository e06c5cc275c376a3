// SPDX-License-Identifier: GPL-2.0-only
#include "format/allocinfo_text.h"

#include <errno.h>

#include "base/put.h"

enum { PIECE = 64 * 1024, SIZE_COLUMNS = 12, CALLS_COLUMNS = 8 };

/* Columns, line number and all fixed text of a line fit into this. */
enum { LINE_FIXED = 160 };

static const char header[] = "allocinfo - version: 2.0\n#     <size>  <calls> <tag info>\n";

/* The digits end, and what was put in front begins, at the returned pointer. */
static char *put_right(char *p, uint64_t value, bool negative, size_t width)
{
	char digits[PUT_NUMBER_MAX + 1];
	char *end = digits;

	if (negative)
		*end++ = '-';
	end = put_decimal(end, negative ? -value : value);

	size_t len = (size_t)(end - digits);

	if (len < width) {
		memset(p, ' ', width - len);
		p += width - len;
	}
	return put_bytes(p, digits, len);
}

static char *put_text(char *p, const struct kmp_string *text)
{
	return put_bytes(p, text->text, text->len);
}

/*
 * Further `key:value` words. Others, such as a column of numbers that an out-of-tree kernel
 * prints, are nothing that a reader of version 2.0 expects.
 */
static char *put_extra(char *p, const char *extra)
{
	while (*extra) {
		size_t len = strcspn(extra, " ");
		const char *colon = memchr(extra, ':', len);

		if (colon && colon > extra) {
			*p++ = ' ';
			p = put_bytes(p, extra, len);
		}
		extra += len + (extra[len] != '\0');
	}
	return p;
}

static struct kmp_error *render_tag(struct kmp_allocinfo_text *text, const struct kmp_tags *tags,
				    size_t number)
{
	const struct kmp_tag_key *key = &tags->keys.data[number];
	const struct kmp_tag_words *words = &tags->words.data[number];
	const struct kmp_string *file = kmp_tags_text(tags, words->file);
	const struct kmp_string *module = kmp_tags_text(tags, words->module);
	const struct kmp_string *function = kmp_tags_text(tags, words->function);
	const struct kmp_string *extra = kmp_tags_text(tags, words->extra);
	uint64_t bytes = kmp_tags_bytes(tags, number);

	try(vec_reserve(&text->piece,
			LINE_FIXED + file->len + module->len + function->len + 2 * extra->len));

	char *p = text->piece.data + text->piece.len;

	p = put_right(p, bytes, (int64_t)bytes < 0, SIZE_COLUMNS);
	*p++ = ' ';
	p = put_right(p, kmp_tags_calls(tags, number), false, CALLS_COLUMNS);
	*p++ = ' ';
	p = put_text(p, file);
	*p++ = ':';
	p = put_decimal(p, key->line);
	if (module->len) {
		p = put_literal(p, " [");
		p = put_text(p, module);
		*p++ = ']';
	}
	p = put_literal(p, " func:");
	p = put_text(p, function);
	if (!key->accurate)
		p = put_literal(p, " accurate:no");
	p = put_extra(p, extra->text);
	p = put_literal(p, " \n");
	text->piece.len = (size_t)(p - text->piece.data);
	return NULL;
}

/* The next piece into the buffer; it stays empty if no tag is left. */
static struct kmp_error *render(struct kmp_allocinfo_text *text, const struct kmp_tags *tags)
{
	try(vec_push(&text->marks, (struct kmp_allocinfo_mark){ text->start, text->next }));
	try(vec_reserve(&text->piece, PIECE));
	if (!text->start)
		try(vec_append(&text->piece, header, sizeof(header) - 1));
	while (text->next < tags->keys.len && text->piece.len < PIECE) {
		try(render_tag(text, tags, text->next));
		text->next++;
	}
	return NULL;
}

/* Be at the beginning that this mark remembers, with nothing made yet. */
static void go_back(struct kmp_allocinfo_text *text, size_t mark)
{
	text->start = text->marks.data[mark].offset;
	text->next = text->marks.data[mark].tag;
	text->marks.len = mark;
	text->piece.len = 0;
}

static int step(struct kmp_allocinfo_text *text, struct kmp_tags *tags)
{
	pthread_rwlock_rdlock(&tags->lock);

	bool more = text->next < tags->keys.len || !(text->start + text->piece.len);
	struct kmp_error *err = NULL;

	if (more) {
		size_t mark = text->marks.len;

		text->start += text->piece.len;
		text->piece.len = 0;
		err = render(text, tags);
		if (err && text->marks.len > mark)
			go_back(text, mark);
	}
	pthread_rwlock_unlock(&tags->lock);
	if (!err)
		return more;
	kmp_error_destroy(err);
	return -ENOMEM;
}

static void seek(struct kmp_allocinfo_text *text, uint64_t offset)
{
	size_t mark = text->marks.len;

	if (!mark || (offset && offset >= text->start))
		return;
	do
		mark--;
	while (mark && text->marks.data[mark].offset > offset);
	go_back(text, mark);
}

int64_t kmp_allocinfo_text_read(struct kmp_allocinfo_text *text, struct kmp_tags *tags, char *buf,
				size_t size, uint64_t offset)
{
	size_t got = 0;

	seek(text, offset);
	while (got < size) {
		uint64_t skip = offset + got - text->start;

		if (skip < text->piece.len) {
			size_t part = text->piece.len - skip;

			if (part > size - got)
				part = size - got;
			memcpy(buf + got, text->piece.data + skip, part);
			got += part;
			continue;
		}
		int more = step(text, tags);

		if (more < 0)
			return got ? (int64_t)got : more;
		if (!more)
			break;
	}
	return (int64_t)got;
}

void kmp_allocinfo_text_deinit(struct kmp_allocinfo_text *text)
{
	vec_deinit(&text->piece);
	vec_deinit(&text->marks);
}
