// SPDX-License-Identifier: GPL-2.0-only
#include "format/frame_parts.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static bool is_hex(const char *text, size_t len)
{
	return len > 2 && text[0] == '0' && text[1] == 'x' &&
	       strspn(text + 2, "0123456789abcdef") >= len - 2;
}

/* How much of `name+0x12/0x34` is the name. */
static size_t name_length(const char *frame, size_t len)
{
	const char *plus = memrchr(frame, '+', len);
	const char *slash = memrchr(frame, '/', len);

	if (!plus || !slash || slash < plus || plus == frame)
		return len;
	if (!is_hex(plus + 1, (size_t)(slash - plus - 1)) ||
	    !is_hex(slash + 1, (size_t)(frame + len - slash - 1)))
		return len;
	return (size_t)(plus - frame);
}

/* Is this word `file.c:12`? */
static bool take_place(const char *word, size_t len, struct frame_parts *parts)
{
	const char *colon = memrchr(word, ':', len);
	uint64_t line = 0;

	if (!colon || colon == word || colon + 1 == word + len || word + len - colon > 10)
		return false;
	for (const char *p = colon + 1; p < word + len; p++) {
		if (!isdigit((unsigned char)*p))
			return false;
		line = line * 10 + (uint64_t)(*p - '0');
	}
	parts->file = word;
	parts->file_len = (size_t)(colon - word);
	parts->line = line;
	return true;
}

/* `name (file.c:12 …) module`; false if it is not that. */
static bool take_decoded(const char *frame, struct frame_parts *parts)
{
	const char *open = strstr(frame, " ("), *close = strrchr(frame, ')');
	bool found = false;

	if (!open || open == frame || !close || close < open)
		return false;
	for (const char *word = open + 2; word < close;) {
		size_t len = strcspn(word, " )");

		found |= take_place(word, len, parts);
		word += len + 1;
	}
	if (!found)
		return false;
	parts->name_len = (size_t)(open - frame);
	parts->module = close + 1 + strspn(close + 1, " [");
	parts->module_len = strcspn(parts->module, " ]");
	return true;
}

void kmp_frame_parts(const char *frame, struct frame_parts *parts)
{
	size_t len = strlen(frame);
	const char *module = strstr(frame, " [");

	*parts = (struct frame_parts){ .name = frame };
	if (take_decoded(frame, parts))
		return;
	if (module && frame[len - 1] == ']') {
		parts->module = module + 2;
		parts->module_len = (size_t)(frame + len - 1 - parts->module);
		len = (size_t)(module - frame);
	}
	parts->name_len = name_length(frame, len);
}
