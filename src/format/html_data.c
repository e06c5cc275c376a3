// SPDX-License-Identifier: GPL-2.0-only
#include "format/html_data.h"

#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/pool.h"
#include "format/flame.h"
#include "format/views.h"

enum {
	CELLS_MAX = 60000, /* a browser takes no more in its stride */
	PAGE_SIZE = 4096,
	BEHIND = -1 /* in place of a hue: that of the frame before */
};

/* Where a key's values come from. */
enum key_source { FROM_STACK, FROM_KEY, FROM_DIRECTORY };

struct key {
	const char *name;
	enum key_source source;
	size_t number;		/* in the groups' keys */
	struct kmp_pool values; /* a letter for the kind, then the text */
};

struct html {
	FILE *out;
	const struct kmp_groups *groups;
	struct kmp_pool frames; /* a byte for the hue, then the visible text */
	struct kmp_pool stacks; /* numbers of frames, outermost first */
	struct kmp_pool traces; /* where the groups' frames stand: equal ones stand at one place */
	VEC(uint32_t) known;	/* of each of those its stack */
	uint32_t *places;	/* of each stack in the order printed */
	VEC(struct key) keys;
	VEC(uint32_t) cells; /* numbers of values, for each group as many as there are keys */
	struct kmp_buf text;
	VEC(uint32_t) stack;
	struct flame_path path;
};

static void html_deinit(struct html *html)
{
	kmp_pool_deinit(&html->frames);
	kmp_pool_deinit(&html->stacks);
	kmp_pool_deinit(&html->traces);
	vec_deinit(&html->known);
	for (size_t i = 0; i < html->keys.len; i++)
		kmp_pool_deinit(&html->keys.data[i].values);
	vec_deinit(&html->keys);
	vec_deinit(&html->cells);
	vec_deinit(&html->text);
	vec_deinit(&html->stack);
	kmp_flame_path_deinit(&html->path);
	free(html->places);
}

static void put_json(FILE *out, const char *text, size_t len)
{
	size_t done = 0;

	putc('"', out);
	for (size_t i = 0; i < len; i++) {
		if (text[i] != '<' && text[i] != '"' && text[i] != '\\')
			continue;
		fwrite(text + done, 1, i - done, out);
		fputs(text[i] == '<' ? "\\u003c" : text[i] == '"' ? "\\\"" : "\\\\", out);
		done = i + 1;
	}
	fwrite(text + done, 1, len - done, out);
	putc('"', out);
}

struct kmp_error *kmp_html_text(FILE *out, const char *text, size_t len)
{
	struct kmp_buf buf = { 0 };
	struct kmp_error *err = text ? kmp_visible_append(&buf, text, len) : NULL;

	if (!err && text)
		put_json(out, buf.data ? buf.data : "", buf.len);
	else if (!err)
		fputs("null", out);
	vec_deinit(&buf);
	return err;
}

static struct kmp_error *add_frame(struct html *html, int hue, const char *text, size_t len)
{
	uint32_t number;

	html->text.len = 0;
	try(vec_push(&html->text, (char)(hue + 2)));
	try(kmp_visible_append(&html->text, text, len));
	try(kmp_pool_intern(&html->frames, html->text.data, html->text.len, &number));
	return vec_push(&html->stack, number);
}

static struct kmp_error *add_whole_frame(struct html *html, const char *text)
{
	size_t len = strlen(text);

	return add_frame(html, (int)kmp_flame_hue_of_function(text, len), text, len);
}

static struct kmp_error *take_stack(struct html *html, const struct kmp_value *value)
{
	char handle[40];

	if (value->kind != KMP_VALUE_STACK)
		return add_whole_frame(html, "(stack not told)");
	for (size_t i = value->depth; i > 0; i--)
		try(add_whole_frame(html, value->frames[i - 1]));
	if (value->depth)
		return NULL;
	snprintf(handle, sizeof(handle), "handle %" PRId64, value->number);
	return add_whole_frame(html, handle);
}

/* Of tags the way down the source tree takes a stack's place. */
static struct kmp_error *take_path(struct html *html, const struct kmp_group *group)
{
	try(kmp_flame_path(&html->path, html->groups, group));
	for (size_t i = 0; i < html->path.steps.len; i++) {
		const struct flame_step *step = &html->path.steps.data[i];
		const char *text = html->path.text.data + step->start;
		int hue = i ? BEHIND : (int)kmp_flame_hue_of_directory(text, step->len);
		uint32_t number;

		html->text.len = 0;
		try(vec_push(&html->text, (char)(hue + 2)));
		try(vec_append(&html->text, text, step->len));
		try(kmp_pool_intern(&html->frames, html->text.data, html->text.len, &number));
		try(vec_push(&html->stack, number));
	}
	return NULL;
}

static struct kmp_error *intern_stack(struct html *html, uint32_t *number)
{
	return kmp_pool_intern(&html->stacks, (const char *)html->stack.data,
			       html->stack.len * sizeof(uint32_t), number);
}

/* Its frames are looked at the first time that it comes. */
static struct kmp_error *find_trace(struct html *html, const struct kmp_value *value,
				    uint32_t *number)
{
	uint32_t place;

	try(kmp_pool_intern(&html->traces, (const char *)&value->frames, sizeof(value->frames),
			    &place));
	if (place == html->known.len) {
		try(take_stack(html, value));
		try(intern_stack(html, number));
		return vec_push(&html->known, *number);
	}
	*number = html->known.data[place];
	return NULL;
}

static struct kmp_error *find_stack(struct html *html, const struct key *key,
				    const struct kmp_group *group, uint32_t *number)
{
	const struct kmp_value *value = &group->key[key->number];

	html->stack.len = 0;
	if (html->groups->unit != KMP_UNIT_TAGS && value->kind == KMP_VALUE_STACK && value->depth)
		return find_trace(html, value, number);
	if (html->groups->unit == KMP_UNIT_TAGS)
		try(take_path(html, group));
	else
		try(take_stack(html, value));
	return intern_stack(html, number);
}

static struct kmp_error *find_value(struct html *html, struct key *key,
				    const struct kmp_value *value, uint32_t *number)
{
	size_t len = value->len;

	html->text.len = 0;
	if (key->source == FROM_DIRECTORY && value->kind == KMP_VALUE_TEXT) {
		const char *slash = memrchr(value->text, '/', len);

		len = slash ? (size_t)(slash - value->text) : 0;
	}
	if (value->kind == KMP_VALUE_NUMBER) {
		try(kmp_buf_printf(&html->text, "n%" PRId64, value->number));
	} else if (value->kind == KMP_VALUE_TEXT) {
		try(vec_push(&html->text, 't'));
		try(vec_append(&html->text, value->text, len));
	} else {
		try(vec_push(&html->text, '-'));
	}
	return kmp_pool_intern(&key->values, html->text.data, html->text.len, number);
}

static struct kmp_error *add_cell(struct html *html, const struct kmp_group *group)
{
	uint32_t number;

	for (size_t i = 0; i < html->keys.len; i++) {
		struct key *key = &html->keys.data[i];

		if (key->source == FROM_STACK)
			try(find_stack(html, key, group, &number));
		else
			try(find_value(html, key, &group->key[key->number], &number));
		try(vec_push(&html->cells, number));
	}
	return NULL;
}

/* What is left out: a stack of one frame that says so, and nothing of the other keys. */
static struct kmp_error *add_rest(struct html *html, size_t count)
{
	static const struct kmp_value none;
	uint32_t number;
	char text[64];

	snprintf(text, sizeof(text), "(%zu smaller groups)", count);
	for (size_t i = 0; i < html->keys.len; i++) {
		html->stack.len = 0;
		if (html->keys.data[i].source == FROM_STACK) {
			try(add_whole_frame(html, text));
			try(kmp_pool_intern(&html->stacks, (const char *)html->stack.data,
					    sizeof(uint32_t), &number));
		} else {
			try(find_value(html, &html->keys.data[i], &none, &number));
		}
		try(vec_push(&html->cells, number));
	}
	return NULL;
}

static struct kmp_error *choose_keys(struct html *html)
{
	const struct kmp_groups *groups = html->groups;
	bool locations = kmp_groups_are_locations(groups);

	if (groups->unit == KMP_UNIT_TAGS)
		try(vec_push(&html->keys, (struct key){ .name = "stack" }));
	for (size_t i = 0; i < groups->key_count; i++) {
		bool stack = strcmp(groups->keys[i], "stack") == 0;
		bool directory = locations && strcmp(groups->keys[i], "line") == 0;
		struct key key = { .name = directory ? "directory" : groups->keys[i],
				   .number = directory ? 0 : i };

		key.source = stack ? FROM_STACK : directory ? FROM_DIRECTORY : FROM_KEY;
		try(vec_push(&html->keys, key));
	}
	return NULL;
}

static int compare_stacks(const void *a, const void *b, void *arg)
{
	const struct html *html = arg;
	const struct kmp_string *x = &html->stacks.strings.data[*(const uint32_t *)a];
	const struct kmp_string *y = &html->stacks.strings.data[*(const uint32_t *)b];
	size_t len = x->len < y->len ? x->len : y->len;
	int order = len ? memcmp(x->text, y->text, len) : 0;

	return order ? order : (x->len > y->len) - (x->len < y->len);
}

static uint32_t frame_at(const struct kmp_string *stack, size_t number)
{
	uint32_t frame;

	memcpy(&frame, stack->text + number * sizeof(frame), sizeof(frame));
	return frame;
}

static size_t shared_frames(const struct kmp_string *a, const struct kmp_string *b)
{
	size_t count = 0, most = (a->len < b->len ? a->len : b->len) / sizeof(uint32_t);

	while (count < most && frame_at(a, count) == frame_at(b, count))
		count++;
	return count;
}

/* In an order in which neighbours have much in common. */
static struct kmp_error *put_stacks(struct html *html)
{
	static const struct kmp_string nothing;
	size_t count = html->stacks.strings.len;
	uint32_t *order auto_free = calloc(count + 1, sizeof(*order));
	const struct kmp_string *last = &nothing;

	html->places = calloc(count + 1, sizeof(*html->places));
	if (!order || !html->places)
		return &kmp_error_no_memory;
	for (uint32_t i = 0; i < count; i++)
		order[i] = i;
	qsort_r(order, count, sizeof(*order), compare_stacks, html);
	fputs("\"stacks\":[", html->out);
	for (uint32_t i = 0; i < count; i++) {
		const struct kmp_string *stack = &html->stacks.strings.data[order[i]];
		size_t depth = stack->len / sizeof(uint32_t), shared = shared_frames(last, stack);

		html->places[order[i]] = i;
		fprintf(html->out, "%s%zu,%zu", i ? i % 32 ? "," : ",\n" : "", shared,
			depth - shared);
		for (size_t k = shared; k < depth; k++)
			fprintf(html->out, ",%u", frame_at(stack, k));
		last = stack;
	}
	fputs("],\n", html->out);
	return NULL;
}

static void put_frames(const struct html *html)
{
	fputs("\"frames\":[", html->out);
	for (size_t i = 0; i < html->frames.strings.len; i++) {
		const struct kmp_string *frame = &html->frames.strings.data[i];

		fputs(i ? ",\n" : "", html->out);
		put_json(html->out, frame->text + 1, frame->len - 1);
	}
	fputs("],\n\"hues\":[", html->out);
	for (size_t i = 0; i < html->frames.strings.len; i++)
		fprintf(html->out, "%s%d", i ? i % 64 ? "," : ",\n" : "",
			html->frames.strings.data[i].text[0] - 2);
	fputs("],\n", html->out);
}

static struct kmp_error *put_value(const struct html *html, const struct kmp_string *value)
{
	if (value->text[0] == 't')
		return kmp_html_text(html->out, value->text + 1, value->len - 1);
	fputs(value->text[0] == 'n' ? value->text + 1 : "null", html->out);
	return NULL;
}

static struct kmp_error *put_keys(const struct html *html)
{
	fputs("\"keys\":[", html->out);
	for (size_t i = 0; i < html->keys.len; i++) {
		const struct key *key = &html->keys.data[i];

		fprintf(html->out, "%s{\"name\":\"%s\",\"values\":[", i ? ",\n" : "", key->name);
		for (size_t v = 0; v < key->values.strings.len; v++) {
			fputs(v ? v % 16 ? "," : ",\n" : "", html->out);
			try(put_value(html, &key->values.strings.data[v]));
		}
		fputs("]}", html->out);
	}
	fputs("],\n", html->out);
	return NULL;
}

static void put_sums(const struct html *html, const struct kmp_sums *sums)
{
	bool tags = html->groups->unit == KMP_UNIT_TAGS;

	fprintf(html->out, ",%" PRId64 ",%" PRId64, sums->records,
		tags ? sums->bytes : sums->pages);
}

static void put_cell(const struct html *html, size_t number, const struct kmp_sums *now,
		     const struct kmp_sums *before)
{
	size_t width = html->keys.len;

	fputs(number ? number % 32 ? "," : ",\n" : "", html->out);
	for (size_t k = 0; k < width; k++) {
		uint32_t value = html->cells.data[number * width + k];

		if (html->keys.data[k].source == FROM_STACK)
			value = html->places[value];
		fprintf(html->out, "%s%u", k ? "," : "", value);
	}
	put_sums(html, now);
	if (html->groups->difference)
		put_sums(html, before);
}

static void put_cells(const struct html *html, size_t shown)
{
	const struct kmp_groups *groups = html->groups;
	struct kmp_sums now, before;

	fputs("\"cells\":[", html->out);
	for (size_t i = 0; i < shown; i++)
		put_cell(html, i, &groups->groups[i].now, &groups->groups[i].before);
	if (shown < groups->count) {
		kmp_groups_rest(groups, shown, &now, &before);
		put_cell(html, shown, &now, &before);
	}
	fputs("]}", html->out);
}

static void put_facts(const struct html *html)
{
	const struct kmp_groups *groups = html->groups;
	uint32_t page = groups->facts.page_size ? groups->facts.page_size : PAGE_SIZE;
	bool tags = groups->unit == KMP_UNIT_TAGS;

	fprintf(html->out,
		"{\"unit\":\"%s\",\"difference\":%s,\"pageSize\":%u,\"recordsKnown\":%s,"
		"\"total\":{\"bytes\":%" PRId64 ",\"before\":%" PRId64 "},\n",
		tags ? "tags" : "pages", groups->difference ? "true" : "false", page,
		tags || !groups->records_unknown ? "true" : "false", groups->total.bytes,
		groups->total_before.bytes);
}

struct kmp_error *kmp_html_data(FILE *out, const struct kmp_groups *groups, size_t limit,
				size_t *left_out)
{
	struct html html cleanup(html_deinit) = { .out = out, .groups = groups };
	size_t most = limit && limit < CELLS_MAX ? limit : CELLS_MAX;
	size_t shown = groups->count < most ? groups->count : most;

	try(choose_keys(&html));
	for (size_t i = 0; i < shown; i++)
		try(add_cell(&html, &groups->groups[i]));
	*left_out = groups->count - shown;
	if (*left_out)
		try(add_rest(&html, *left_out));
	put_facts(&html);
	put_frames(&html);
	try(put_stacks(&html));
	try(put_keys(&html));
	put_cells(&html, shown);
	return NULL;
}
