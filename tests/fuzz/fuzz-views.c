// SPDX-License-Identifier: GPL-2.0-only
/*
 * Views of groups whose texts are any bytes: what is printed is UTF-8 in which nothing acts, one
 * script stays one script, and the folded lines add up to what went in.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "format/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { GROUPS = 16, FRAMES = 8 };

struct sample {
	char text[GROUPS][FRAMES + 1][64];
	const char *frames[GROUPS][FRAMES];
	struct kmp_value keys[GROUPS][2];
	struct kmp_group groups[GROUPS];
	struct kmp_groups all;
};

/* Lines of the input: the pages' number, the task's name and the frames, a tab between them. */
static void add_group(struct sample *sample, const char *line, size_t len)
{
	size_t number = sample->all.count++, part = 0, at = 0;
	struct kmp_group *group = &sample->groups[number];
	struct kmp_value *keys = sample->keys[number];
	int64_t pages = len ? (unsigned char)line[0] - 16 : 0;

	for (size_t i = 1; i < len && part <= FRAMES; i++) {
		if (line[i] == '\t') {
			part++;
			at = 0;
		} else if (at < sizeof(sample->text[0][0]) - 1) {
			sample->text[number][part][at++] = line[i];
		}
	}
	keys[0] = (struct kmp_value){ .kind = KMP_VALUE_TEXT, .text = sample->text[number][0] };
	keys[0].len = strlen(keys[0].text);
	for (size_t i = 0; i < part && i < FRAMES; i++)
		sample->frames[number][i] = sample->text[number][i + 1];
	keys[1] = (struct kmp_value){ .kind = KMP_VALUE_STACK,
				      .number = (int64_t)len,
				      .frames = sample->frames[number],
				      .depth = part < FRAMES ? part : FRAMES };
	*group = (struct kmp_group){ .key = keys,
				     .now = { 1, pages, pages * 4096, 0, 1 },
				     .before = { 1, len & 7, (len & 7) * 4096, 0, 1 },
				     .ts_first = KMP_UNKNOWN,
				     .ts_last = KMP_UNKNOWN,
				     .note = sample->text[number][0],
				     .unknown = len & 8 };
	sample->all.total.pages += pages;
	sample->all.total.bytes += pages * 4096;
}

static void fill(struct sample *sample, const uint8_t *data, size_t size)
{
	static const char *const keys[] = { "comm", "stack" };
	const char *at = (const char *)data;
	size_t flags = size ? data[0] : 0;

	sample->all = (struct kmp_groups){ .keys = keys, .key_count = 2, .groups = sample->groups };
	while (size && sample->all.count < GROUPS) {
		const char *end = memchr(at, '\n', size);
		size_t len = end ? (size_t)(end - at) : size;

		add_group(sample, at, len);
		at += len + !!end;
		size -= len + !!end;
	}
	sample->all.difference = flags & 1;
	sample->all.facts.name = sample->text[0][0];
	sample->all.facts.kernel = sample->text[1][0];
	sample->all.unit = flags & 2 ? KMP_UNIT_TAGS : KMP_UNIT_PAGES;
}

static void print(const struct sample *sample, enum kmp_format format, char **text, size_t *len)
{
	struct kmp_view view = { .format = format, .width = format == KMP_FORMAT_TABLE ? 60 : 0 };
	FILE *out = open_memstream(text, len);

	if (!out || kmp_groups_write(&sample->all, out, &view) || fclose(out))
		abort();
}

static void check_text(const char *text, size_t len, bool tabs)
{
	assert(kmp_utf8_valid(text, len));
	for (size_t i = 0; i < len; i++)
		assert((unsigned char)text[i] >= 0x20 || text[i] == '\n' ||
		       (tabs && text[i] == '\t'));
}

static void check_folded(const struct sample *sample, const char *text)
{
	int64_t expected = 0, sum = 0;

	for (size_t i = 0; i < sample->all.count; i++) {
		int64_t bytes = sample->groups[i].now.bytes;

		expected += bytes > 0 ? bytes : 0;
	}
	while (*text) {
		const char *end = strchr(text, '\n');
		const char *blank = memrchr(text, ' ', (size_t)(end - text));

		assert(blank && blank > text);
		sum += strtoll(blank, NULL, 10);
		text = end + 1;
	}
	assert(sum == expected);
}

static void check_svg(const char *text)
{
	const char *script = strstr(text, "<script>");

	assert(script && !strstr(script + 1, "<script"));
	assert(strstr(script, "]]></script>\n</svg>\n"));
	assert(!strstr(text, "<img"));
}

/* Two scripts, the data and the code, and no element from a name. */
static void check_html(const char *text)
{
	const char *script = strstr(text, "<script");

	assert(script && (script = strstr(script + 1, "<script")) != NULL);
	assert(!strstr(script + 1, "<script"));
	assert(strstr(script, "</script>\n</body>\n</html>\n"));
	assert(!strstr(text, "<img"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sample *sample = calloc(1, sizeof(*sample));

	if (!sample)
		abort();
	fill(sample, data, size);
	for (int format = KMP_FORMAT_TABLE; format <= KMP_FORMAT_HTML; format++) {
		size_t len = 0;
		char *text = NULL;

		print(sample, (enum kmp_format)format, &text, &len);
		/* CSV passes bytes as they are; a profile is packed. */
		if (format != KMP_FORMAT_CSV && format != KMP_FORMAT_PPROF)
			check_text(text, len, format >= KMP_FORMAT_SVG);
		if (format == KMP_FORMAT_FOLDED)
			check_folded(sample, text);
		if (format == KMP_FORMAT_SVG)
			check_svg(text);
		if (format == KMP_FORMAT_HTML)
			check_html(text);
		free(text);
	}
	free(sample);
	return 0;
}
