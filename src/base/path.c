// SPDX-License-Identifier: GPL-2.0-only
#include "base/path.h"

#include <stdbool.h>
#include <string.h>

struct output {
	char *text;
	size_t len;
	size_t root; /* 1: absolute */
};

/* Where the last component begins. */
static size_t last_component(const struct output *out)
{
	size_t at = out->len;

	while (at > out->root && out->text[at - 1] != '/')
		at--;
	return at;
}

/* `..` takes away the component before it, if there is one that is none itself. */
static bool go_up(struct output *out)
{
	size_t at = last_component(out);

	if (out->len == out->root)
		return out->root != 0;
	if (out->len - at == 2 && !memcmp(out->text + at, "..", 2))
		return false;
	out->len = at > out->root ? at - 1 : at;
	return true;
}

static void append(struct output *out, const char *part, size_t len)
{
	if (out->len > out->root)
		out->text[out->len++] = '/';
	memcpy(out->text + out->len, part, len);
	out->len += len;
}

size_t kmp_path_normalise(const char *path, size_t len, char *text)
{
	struct output out = { .text = text, .root = len && path[0] == '/' };
	const char *end = path + len;

	if (out.root)
		text[out.len++] = '/';
	while (path < end) {
		const char *slash = memchr(path, '/', (size_t)(end - path));
		size_t part = (size_t)((slash ? slash : end) - path);
		bool up = part == 2 && !memcmp(path, "..", 2);

		if (part && !(part == 1 && *path == '.') && !(up && go_up(&out)))
			append(&out, path, part);
		path += part + 1;
	}
	if (!out.len)
		text[out.len++] = '.';
	text[out.len] = '\0';
	return out.len;
}

size_t kmp_path_directory(const char *path, size_t len)
{
	const char *slash = memrchr(path, '/', len);

	if (!slash)
		return 0;
	return slash == path ? 1 : (size_t)(slash - path);
}
