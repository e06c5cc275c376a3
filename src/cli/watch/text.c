// SPDX-License-Identifier: GPL-2.0-only
#include "cli/watch/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "base/error.h"

void watch_text_deinit(struct watch_text *text)
{
	free(text->data);
	*text = (struct watch_text){ 0 };
}

struct kmp_error *watch_text_put(struct watch_text *text, const char *bytes, size_t len)
{
	if (text->cap - text->len <= len) {
		size_t cap = 2 * text->cap + len + 64;
		char *data = realloc(text->data, cap);

		if (!data)
			return kmp_error_new(KMP_ERROR_MEMORY, "out of memory");
		text->data = data;
		text->cap = cap;
	}
	memcpy(text->data + text->len, bytes, len);
	text->len += len;
	text->data[text->len] = '\0';
	return NULL;
}

/* Characters that are drawn nowhere, or move others. */
static bool is_invisible(wchar_t c)
{
	return wcwidth(c) < 0 || c == 0xad || (c >= 0x200b && c <= 0x200f) ||
	       (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff ||
	       (c >= 0xfff9 && c <= 0xfffb) || c >= 0xe0000;
}

static void print_escape(char out[16], wchar_t c)
{
	static const char letters[] = "\aa\bb\tt\nn\vv\ff\rr";

	for (const char *l = letters; *l; l += 2) {
		if (c == *l) {
			snprintf(out, 16, "\\%c", l[1]);
			return;
		}
	}
	snprintf(out, 16, c < 0x100 ? "\\x%02x" : c < 0x10000 ? "\\u%04x" : "\\U%06x", (unsigned)c);
}

struct kmp_error *watch_text_visible(struct watch_text *text, const char *bytes, size_t len)
{
	mbstate_t state = { 0 };

	for (size_t i = 0; i < len;) {
		wchar_t c = 0;
		size_t took = mbrtowc(&c, bytes + i, len - i, &state);
		char escape[16] = "\\\\";

		if (took == (size_t)-1 || took == (size_t)-2) {
			snprintf(escape, sizeof(escape), "\\x%02x", (unsigned char)bytes[i]);
			state = (mbstate_t){ 0 };
			took = 1;
		} else if (took == 0 || is_invisible(c)) {
			took = took ? took : 1;
			print_escape(escape, c);
		} else if (c != '\\') {
			try(watch_text_put(text, bytes + i, took));
			i += took;
			continue;
		}
		try(watch_text_put(text, escape, strlen(escape)));
		i += took;
	}
	return NULL;
}

size_t watch_text_fit(const char *text, size_t columns, size_t *used)
{
	mbstate_t state = { 0 };
	size_t left = strlen(text), at = 0;

	*used = 0;
	while (left) {
		wchar_t c;
		size_t took = mbrtowc(&c, text + at, left, &state);
		int width = took && took < (size_t)-2 ? wcwidth(c) : -1;

		if (width < 0 || *used + (size_t)width > columns)
			break;
		*used += (size_t)width;
		at += took;
		left -= took;
	}
	return at;
}

const char *watch_figure(char buf[WATCH_FIGURE], int64_t value, bool sign)
{
	static const char units[] = " KMGTPE";
	double size = fabs((double)value);
	unsigned unit = 0;

	/* What would be printed as 1024.0 is 1.0 of the next unit. */
	for (; size >= (unit ? 1023.95 : 1024); unit++)
		size /= 1024;
	const char *before = value < 0 ? "-" : sign && value > 0 ? "+" : "";

	if (!unit)
		snprintf(buf, WATCH_FIGURE, "%s%.0f", before, size);
	else
		snprintf(buf, WATCH_FIGURE, "%s%.1f%c", before, size, units[unit]);
	return buf;
}

const char *watch_duration(char buf[WATCH_FIGURE], uint64_t ns)
{
	uint64_t s = ns / 1000000000;

	snprintf(buf, WATCH_FIGURE, "%" PRIu64 ":%02u:%02u", s / 3600, (unsigned)(s / 60 % 60),
		 (unsigned)(s % 60));
	return buf;
}
