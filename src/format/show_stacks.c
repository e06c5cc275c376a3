// SPDX-License-Identifier: GPL-2.0-only
#include "format/show_stacks.h"

#include <ctype.h>
#include <string.h>

#include "base/vec.h"
#include "format/frame.h"
#include "ledger/ledger.h"

enum line_kind { BLANK, ELISION, FRAME, PAGES, ALLOCATIONS, HANDLE, OTHER };

struct line {
	enum line_kind kind;
	const char *text; /* without blanks around it */
	size_t len;
	uint64_t number; /* of PAGES and ALLOCATIONS */
	uint32_t handle;
};

/* An entry so far. */
struct entry {
	VEC(uint32_t) frames;
	uint64_t line; /* where it starts */
	uint64_t count;
	uint32_t handle;
	bool has_frames;
	bool has_handle;
	bool has_pages;
	bool has_allocations;
	bool has_address;
	bool cut;
};

static bool parse_decimal(const char *text, size_t len, uint64_t *number)
{
	uint64_t value = 0;

	if (!len)
		return false;
	for (size_t i = 0; i < len; i++) {
		if (!isdigit((unsigned char)text[i]) || __builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(text[i] - '0'), &value))
			return false;
	}
	*number = value;
	return true;
}

/* Printed signed in these files and unsigned in page_owner: the same modulo 2^32. */
static bool parse_handle(const char *text, size_t len, uint32_t *handle)
{
	bool negative = len && *text == '-';
	uint64_t value;

	if (!parse_decimal(text + negative, len - negative, &value) ||
	    value > (negative ? (uint64_t)1 << 31 : UINT32_MAX))
		return false;
	*handle = negative ? -(uint32_t)value : (uint32_t)value;
	return true;
}

/* What stands behind `name: `, if the line starts so. */
static bool skip_name(const struct line *line, const char *name, const char **value, size_t *len)
{
	size_t skip = strlen(name);

	if (line->len < skip || memcmp(line->text, name, skip) != 0)
		return false;
	while (skip < line->len && line->text[skip] == ' ')
		skip++;
	*value = line->text + skip;
	*len = line->len - skip;
	return true;
}

static bool is_elision(const struct line *line)
{
	if (line->len >= 3 && !memcmp(line->text, "\xe2\x80\xa6", 3))
		return line->len == 3;
	for (size_t i = 0; i < line->len; i++) {
		if (line->text[i] != '.')
			return false;
	}
	return line->len >= 2;
}

static enum line_kind kind_of(struct line *line)
{
	const char *value;
	size_t len;

	if (!line->len)
		return BLANK;
	if (is_elision(line))
		return ELISION;
	if (skip_name(line, "nr_base_pages:", &value, &len))
		return parse_decimal(value, len, &line->number) ? PAGES : OTHER;
	if (skip_name(line, "stack_count:", &value, &len))
		return parse_decimal(value, len, &line->number) ? ALLOCATIONS : OTHER;
	if (skip_name(line, "handle:", &value, &len))
		return parse_handle(value, len, &line->handle) ? HANDLE : OTHER;
	return kmp_frame_looks_like(line->text, line->len) ? FRAME : OTHER;
}

static struct line make_line(const char *text, size_t len)
{
	struct line line = { .text = text, .len = len };

	while (line.len && isspace((unsigned char)*line.text)) {
		line.text++;
		line.len--;
	}
	while (line.len && isspace((unsigned char)line.text[line.len - 1]))
		line.len--;
	line.kind = kind_of(&line);
	return line;
}

/* Does this line belong to the next entry, though no blank line came between? */
static bool starts_entry(const struct entry *e, enum line_kind kind)
{
	bool counted = e->has_pages || e->has_allocations;

	switch (kind) {
	case BLANK:
		return true;
	case FRAME:
	case ELISION:
	case HANDLE:
		return counted || e->has_handle;
	case PAGES:
	case ALLOCATIONS:
		return counted;
	case OTHER:
		break;
	}
	return false;
}

static void note(struct entry *e, const struct line *line)
{
	e->has_frames |= line->kind == FRAME;
	e->has_handle |= line->kind == HANDLE;
	e->has_pages |= line->kind == PAGES;
	e->has_allocations |= line->kind == ALLOCATIONS;
	if (line->kind == HANDLE)
		e->handle = line->handle;
	if (line->kind == PAGES || line->kind == ALLOCATIONS)
		e->count = line->number;
}

static const char *file_of(const struct entry *e)
{
	if (e->has_pages || e->has_allocations) {
		if (e->has_frames)
			return "show_stacks";
		return e->has_handle ? "show_handles" : NULL;
	}
	return e->has_frames && e->has_handle ? "show_stacks_handles" : NULL;
}

const char *kmp_show_stacks_kind(const char *head, size_t len)
{
	struct entry e = { 0 };
	const char *kind = NULL;

	while (len) {
		const char *newline = memchr(head, '\n', len);
		size_t line_len = newline ? (size_t)(newline - head) : len;
		struct line line = make_line(head, line_len);

		/* The last line may be cut anywhere. */
		if (line.kind == OTHER)
			return newline || !kind ? NULL : kind;
		if (starts_entry(&e, line.kind)) {
			kind = kind ? kind : file_of(&e);
			e = (struct entry){ 0 };
		}
		note(&e, &line);
		head += line_len + !!newline;
		len -= line_len + !!newline;
	}
	return kind ? kind : file_of(&e);
}

static struct kmp_error *stack_of(struct kmp_ledger *ledger, const struct entry *e,
				  uint32_t *number)
{
	struct kmp_stack stack = { KMP_NONE, e->handle, e->has_handle };

	*number = KMP_NONE;
	if (!e->has_frames && !e->has_handle)
		return NULL;
	if (e->has_frames)
		try(kmp_ledger_add_trace(ledger, e->frames.data, (uint32_t)e->frames.len,
					 &stack.trace));
	return kmp_ledger_add_stack(ledger, &stack, number);
}

static uint32_t form_of(const struct entry *e)
{
	enum { DEPTH_MAX = 16 };
	uint32_t form = 0;

	if (e->has_frames)
		form |= KMP_FORM_TRACE;
	if (e->has_handle)
		form |= KMP_FORM_HANDLE;
	if (e->has_address)
		form |= KMP_FORM_ADDRESS;
	if (e->has_allocations)
		form |= KMP_FORM_APPROXIMATE;
	if (e->frames.len == DEPTH_MAX)
		form |= KMP_FORM_DEPTH_LIMIT;
	if (e->cut)
		form |= KMP_FORM_CUT;
	return form;
}

static struct kmp_error *emit(struct kmp_ledger *ledger, const struct kmp_sink *sink,
			      const struct entry *e, uint32_t stack)
{
	struct kmp_page page = kmp_page_blank;

	page.records = e->has_allocations ? e->count : 0;
	page.pages = e->count;
	page.stack = stack;
	page.form = form_of(e);
	if (!sink)
		return kmp_ledger_add_pages(ledger, &page, 1);
	return sink->pages(sink->arg, ledger, &page, 1);
}

/* Use the entry, and empty it. */
static struct kmp_error *finish(struct entry *e, struct kmp_ledger *ledger,
				const struct kmp_sink *sink)
{
	bool counted = e->has_pages || e->has_allocations;
	uint32_t stack;

	if (e->has_frames && !e->has_handle && !counted)
		try(kmp_ledger_add_skipped(ledger, e->line, "a stack without a number of pages"));
	else if (e->has_handle && !e->has_frames && !counted)
		try(kmp_ledger_add_skipped(ledger, e->line, "a handle without stack or pages"));
	else if (e->has_frames || e->has_handle || counted)
		try(stack_of(ledger, e, &stack));
	if (counted)
		try(emit(ledger, sink, e, stack));
	if (e->cut)
		kmp_ledger_add_losses(ledger, 0, 1);
	e->cut = false;
	e->frames.len = 0;
	e->has_frames = e->has_handle = e->has_pages = e->has_allocations = false;
	e->has_address = false;
	e->line = 0;
	return NULL;
}

/* A stack that someone shortened stays apart from the stack that it was. */
static struct kmp_error *add_frame(struct entry *e, struct kmp_ledger *ledger,
				   const struct line *line)
{
	bool address = false;
	uint32_t frame;

	try(kmp_frame_add(ledger, line->text, line->len, &frame, &address));
	e->has_address |= address;
	return frame == KMP_NONE ? NULL : vec_push(&e->frames, frame);
}

static struct kmp_error *take(struct entry *e, const struct kmp_lines *lines,
			      const struct line *line, struct kmp_ledger *ledger,
			      const struct kmp_sink *sink)
{
	if (starts_entry(e, line->kind))
		try(finish(e, ledger, sink));
	if (line->kind == OTHER)
		return kmp_ledger_add_skipped(ledger, kmp_lines_number(lines),
					      "neither a frame nor a count");
	if (line->kind == BLANK || (line->kind == ELISION && !e->has_frames))
		return NULL;
	if (!e->line)
		e->line = kmp_lines_number(lines);
	if (line->kind == FRAME || line->kind == ELISION)
		try(add_frame(e, ledger, line));
	note(e, line);
	/* Digits may be missing. */
	e->cut = line->kind != FRAME && !kmp_lines_ended(lines);
	return NULL;
}

struct kmp_error *kmp_show_stacks_read(struct kmp_lines *lines, struct kmp_ledger *ledger,
				       const struct kmp_sink *sink)
{
	struct entry e = { 0 };
	struct kmp_error *err;
	const char *text;
	size_t len;

	while (!(err = kmp_lines_next(lines, &text, &len)) && text) {
		struct line line = make_line(text, len);

		err = take(&e, lines, &line, ledger, sink);
		if (err)
			break;
	}
	if (!err)
		err = finish(&e, ledger, sink);
	vec_deinit(&e.frames);
	return err;
}
