// SPDX-License-Identifier: GPL-2.0-only
#include "base/lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

enum { LINE_MAX_BYTES = 1 << 20, BUFFER_SIZE = 2 << 20 };

struct kmp_lines {
	struct kmp_input *input;
	struct kmp_input *own_input;
	char *buf; /* BUFFER_SIZE + 1 bytes */
	size_t pos;
	size_t len;
	uint64_t number;
	char saved; /* what stood where the last line's NUL was put */
	char *saved_at;
	bool ended;
};

struct kmp_error *kmp_lines_create(struct kmp_input *input, struct kmp_lines **out)
{
	struct kmp_lines *lines = calloc(1, sizeof(*lines));

	if (!lines)
		return &kmp_error_no_memory;
	lines->input = input;
	lines->buf = malloc(BUFFER_SIZE + 1);
	if (!lines->buf) {
		free(lines);
		return &kmp_error_no_memory;
	}
	*out = lines;
	return NULL;
}

struct kmp_error *kmp_lines_create_memory(const char *bytes, size_t len, struct kmp_lines **out)
{
	struct kmp_input *input;

	try(kmp_input_create_memory(bytes, len, &input));
	struct kmp_error *err = kmp_lines_create(input, out);
	if (err) {
		kmp_input_destroy(input);
		return err;
	}
	(*out)->own_input = input;
	return NULL;
}

void kmp_lines_destroy(struct kmp_lines *lines)
{
	if (!lines)
		return;
	kmp_input_destroy(lines->own_input);
	free(lines->buf);
	free(lines);
}

/* The end of the line in the buffer, or NULL; reads until there is one or no more room. */
static struct kmp_error *find_end(struct kmp_lines *l, char **end)
{
	size_t searched = 0;

	for (;;) {
		size_t have = l->len - l->pos;
		size_t got;

		*end = memchr(l->buf + l->pos + searched, '\n', have - searched);
		if (*end || have >= LINE_MAX_BYTES)
			return NULL;
		searched = have;
		if (l->pos + LINE_MAX_BYTES > BUFFER_SIZE) {
			memmove(l->buf, l->buf + l->pos, have);
			l->pos = 0;
			l->len = have;
		}
		try(kmp_input_read(l->input, l->buf + l->len, BUFFER_SIZE - l->len, &got));
		if (!got)
			return NULL;
		l->len += got;
	}
}

struct kmp_error *kmp_lines_next(struct kmp_lines *l, const char **text, size_t *len)
{
	char *end;

	if (l->saved_at)
		*l->saved_at = l->saved;
	l->saved_at = NULL;
	try(find_end(l, &end));
	if (l->pos == l->len) {
		*text = NULL;
		*len = 0;
		return NULL;
	}
	size_t n = l->len - l->pos;

	l->ended = end != NULL;
	if (end)
		n = (size_t)(end - (l->buf + l->pos));
	else if (n > LINE_MAX_BYTES)
		n = LINE_MAX_BYTES;
	*text = l->buf + l->pos;
	l->pos += n + (end != NULL);
	if (n && (*text)[n - 1] == '\r')
		n--;
	*len = n;
	l->saved_at = (char *)*text + n;
	l->saved = *l->saved_at;
	*l->saved_at = '\0';
	l->number++;
	return NULL;
}

uint64_t kmp_lines_number(const struct kmp_lines *lines)
{
	return lines->number;
}

bool kmp_lines_ended(const struct kmp_lines *lines)
{
	return lines->ended;
}

const char *kmp_lines_path(const struct kmp_lines *lines)
{
	return kmp_input_path(lines->input);
}
