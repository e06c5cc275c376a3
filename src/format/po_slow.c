// SPDX-License-Identifier: GPL-2.0-only
/*
 * The lenient way: line by line, with what people's files have: carriage returns, NULs, a kernel
 * log's prefixes and lines of its own in between, headers that mail or a blog broke in two, blanks
 * on the empty line, sorted output's `N times` above the record, vendor lines within it.
 */
#include <ctype.h>

#include "base/scan.h"
#include "format/frame.h"
#include "format/po_header.h"
#include "format/po_line.h"

struct slow {
	struct kmp_po_parser *p;
	const char *at;
	const char *end;
	struct kmp_po_result *result;
	struct po_record record;
	VEC(char) joined; /* header or PFN line, put together */
	struct po_line_buffer clean;
	VEC(uint32_t) frames;
	uint64_t first_line; /* of the record */
	uint64_t times;	     /* 0: not sorted output */
	uint64_t pages;	     /* what sorted output says, 0: nothing */
	uint32_t labels;     /* its allocator labels, bits */
	bool prefixed;	     /* the record's header had a log prefix */
	bool past_frames;    /* a free stack follows, whose frames are not ours */
	bool ended;	     /* the last line had a newline */
};

enum { JOINED_MAX = 20, DEPTH_MAX = 256, EXTRA_MAX = 4096 };

/* The line at the position, which is before the end. */
static struct kmp_error *look(struct slow *s, struct po_line *line)
{
	return kmp_po_line(s->at, s->end, &s->clean, line);
}

static void take(struct slow *s, const struct po_line *line)
{
	s->at = line->next;
	s->ended = line->ended;
	s->result->lines += line->ended;
}

static struct kmp_error *skip(struct slow *s, const char *reason)
{
	return vec_push(&s->result->skips, (struct kmp_po_skip){ s->first_line, reason });
}

static struct kmp_error *join(struct slow *s, const char *text, size_t len, char between)
{
	if (s->joined.len && between)
		try(vec_push(&s->joined, between));
	try(vec_append(&s->joined, text, len));
	/* What the scanner reads behind the end. */
	try(vec_reserve(&s->joined, SCAN_PAD));
	memset(s->joined.data + s->joined.len, 0, SCAN_PAD);
	return NULL;
}

/* Does the line end as a header does, in `ns`? Then it is the rest of a task name and the times. */
static bool ends_in_time(const struct po_line *line)
{
	return line->len > 6 && !memcmp(line->text + line->len - 3, " ns", 3) &&
	       memmem(line->text, line->len, "), ts ", 6);
}

/* A record's header, or the line that sorted output has above it. */
static bool starts_record(const struct po_line *line)
{
	uint64_t number;
	uint32_t labels;

	return po_is_header(line) || po_is_sorted(line, &number, &number, &labels);
}

/* What joins the following line to the header so far, or -1 if it does not belong to it. */
static int header_joint(const struct slow *s, const struct po_line *next, bool complete)
{
	const char *text = s->joined.data;
	size_t len = s->joined.len;

	if (starts_record(next) || (po_is_pfn(next) && !ends_in_time(next)))
		return -1;
	if (kmp_po_comm_is_open(text, len))
		return '\n';
	if (po_is_blank(next))
		return -1;
	if (complete)
		return ends_in_time(next) && !kmp_frame_looks_like(next->text, next->len) ? '\n'
											  : -1;
	return next->prefixed != s->prefixed || kmp_frame_looks_like(next->text, next->len) ? -1
											    : ' ';
}

/* The header, of one line or several; what joins them stays out of a blog's `\`. */
static struct kmp_error *read_header(struct slow *s, const char **reason)
{
	struct po_line line;

	try(look(s, &line));
	s->prefixed = line.prefixed;
	line = po_dedented(line);
	s->joined.len = 0;
	try(join(s, line.text, line.len, '\0'));
	take(s, &line);
	for (int n = 0;; n++) {
		if (s->joined.len && s->joined.data[s->joined.len - 1] == '\\')
			s->joined.data[--s->joined.len] = '\0';
		kmp_po_record_init(&s->record);
		try(kmp_po_header(s->p, s->joined.data, s->joined.len, &s->record, reason));
		if (s->at == s->end || n == JOINED_MAX)
			return NULL;
		try(look(s, &line));
		int joint = header_joint(s, &line, !*reason);

		if (joint < 0)
			return NULL;
		struct po_line rest = joint == ' ' ? po_dedented(line) : line;

		try(join(s, rest.text, rest.len, (char)joint));
		take(s, &line);
	}
}

static struct kmp_error *read_pfn_line(struct slow *s, const struct po_line *first,
				       const char **reason)
{
	struct po_line line = po_dedented(*first);
	size_t extra = s->record.extra.len;

	s->joined.len = 0;
	try(join(s, line.text, line.len, '\0'));
	take(s, &line);
	for (int n = 0;; n++) {
		s->record.extra.len = extra;
		try(kmp_po_pfn_line(s->p, s->joined.data, s->joined.len, &s->record, reason));
		if (!*reason || s->at == s->end || n == 2)
			return NULL;
		try(look(s, &line));
		if (po_is_blank(&line) || starts_record(&line) ||
		    kmp_frame_looks_like(line.text, line.len))
			return NULL;
		struct po_line rest = po_dedented(line);

		try(join(s, rest.text, rest.len, ' '));
		take(s, &line);
	}
}

static struct kmp_error *keep_extra(struct slow *s, const struct po_line *line)
{
	if (line->prefixed && !s->prefixed) {
		s->result->foreign++;
		return NULL;
	}
	s->result->extra++;
	if (s->record.extra.len + line->len > EXTRA_MAX)
		return NULL;
	return kmp_po_keep(&s->record, line->text, line->len);
}

static struct kmp_error *add_frame(struct slow *s, const char *text, size_t len)
{
	uint32_t number;
	bool address;

	if (s->frames.len == DEPTH_MAX)
		return NULL;
	try(kmp_frame_add(s->p->ledger, text, len, &number, &address));
	if (address)
		s->record.page.form |= KMP_FORM_ADDRESS;
	if (number == KMP_NONE)
		s->record.page.form |= KMP_FORM_END_MARK;
	return number == KMP_NONE ? NULL : vec_push(&s->frames, number);
}

/* One frame, or several that were joined: each begins with a word that has an offset and a size. */
static struct kmp_error *read_frames(struct slow *s, const struct po_line *line)
{
	const char *end = line->text + line->len;
	const char *start = line->text;
	const char *p = line->text;

	while (p < end) {
		while (p < end && isblank((unsigned char)*p))
			p++;
		const char *word = p;

		while (p < end && !isblank((unsigned char)*p))
			p++;
		const char *plus = memmem(word, (size_t)(p - word), "+0x", 3);

		if (word > start && plus && memmem(plus, (size_t)(p - plus), "/0x", 3) &&
		    memmem(start, (size_t)(word - start), "/0x", 3)) {
			try(add_frame(s, start, (size_t)(word - start)));
			start = word;
		}
	}
	return add_frame(s, start, (size_t)(end - start));
}

/* A line behind the header. *over ends the record without taking the line. */
static struct kmp_error *body_line(struct slow *s, const struct po_line *line, bool *over)
{
	struct po_record *r = &s->record;
	struct po_line l = po_dedented(*line);
	uint64_t value;
	char digits[SCAN_PAD] = { 0 };
	const char *p = digits;

	*over = starts_record(line);
	if (*over)
		return NULL;
	take(s, line);
	memcpy(digits, l.text, l.len < 64 ? l.len : 64);
	if (scan_word(&p, "handle: ") && scan_decimal(&p, &value) && value <= UINT32_MAX) {
		r->page.form |= KMP_FORM_HANDLE;
		r->page.stack = (uint32_t)value;
	} else if (po_line_begins(&l, "Page has been migrated, last migrate reason: ")) {
		return kmp_po_make_reason(s->p, l.text + 45, l.len - 45, &r->page.reason);
	} else if (po_line_begins(&l, "Slab cache page")) {
		r->page.form |= KMP_FORM_SLAB;
	} else if (po_line_begins(&l, "Charged ")) {
		try(kmp_po_make_charge(s->p, l.text + 8, l.len - 8, &r->page.charge));
		return r->page.charge == KMP_NONE ? keep_extra(s, &l) : NULL;
	} else if (scan_word(&p, "PID ") && scan_decimal(&p, &value) && value <= INT32_MAX) {
		r->pid = (int64_t)value;
	} else if (po_line_begins(&l, "page last free") ||
		   po_line_begins(&l, "page has been free")) {
		s->past_frames = true;
	} else if (po_line_begins(&l, "..")) {
		return NULL;
	} else if (kmp_frame_looks_like(line->text, line->len) ||
		   (*line->text == ' ' && memmem(line->text, line->len, "[inline]", 8))) {
		return s->past_frames ? NULL : read_frames(s, line);
	} else {
		return keep_extra(s, &l);
	}
	return NULL;
}

/* The labels stand for what the PFN line, which sorted output leaves out, said. */
static struct kmp_error *keep_labels(struct slow *s, struct kmp_page *page)
{
	if (s->labels & PO_LABEL_SLAB && page->flags == KMP_NONE)
		try(kmp_ledger_add_text(s->p->ledger, KMP_DICT_FLAGS, "slab", 4, &page->flags));
	if (s->labels & PO_LABEL_CMA && page->block_type == KMP_NONE)
		try(kmp_ledger_add_text(s->p->ledger, KMP_DICT_TYPE, "CMA", 3, &page->block_type));
	return NULL;
}

static struct kmp_error *finish_record(struct slow *s, bool at_end)
{
	struct kmp_page *page = &s->record.page;
	struct kmp_task task = { s->record.pid, s->record.tgid, s->record.comm };
	bool handle = page->form & KMP_FORM_HANDLE;
	uint32_t trace = KMP_NONE;

	if (s->frames.len) {
		page->form |= KMP_FORM_TRACE;
		if (s->frames.len == 16)
			page->form |= KMP_FORM_DEPTH_LIMIT;
		try(kmp_ledger_add_trace(s->p->ledger, s->frames.data, (uint32_t)s->frames.len,
					 &trace));
	}
	uint32_t number = handle ? page->stack : 0;

	page->stack = KMP_NONE;
	if (handle || trace != KMP_NONE)
		try(kmp_po_stack(s->p, trace, number, handle, &page->stack));
	if (task.pid >= 0 || task.tgid >= 0 || task.comm != KMP_NONE)
		try(kmp_ledger_add_task(s->p->ledger, &task, &page->task));
	if (s->record.extra.len)
		try(kmp_ledger_add_text(s->p->ledger, KMP_DICT_EXTRA, s->record.extra.data,
					s->record.extra.len, &page->extra));
	if (s->times) {
		try(keep_labels(s, page));
		page->records = s->times;
		if (s->pages)
			page->pages = s->pages;
		else if (__builtin_mul_overflow(page->pages, s->times, &page->pages))
			return skip(s, "more pages than can be counted");
	}
	if (at_end && !s->ended) {
		page->form |= KMP_FORM_CUT;
		s->result->cut++;
	}
	s->result->no_unit += s->record.no_unit;
	return vec_push(&s->result->pages, *page);
}

/* To the next blank line or header: what is left of a record that cannot be used. */
static struct kmp_error *skip_rest(struct slow *s)
{
	while (s->at < s->end) {
		struct po_line line;

		try(look(s, &line));
		if (starts_record(&line) || po_is_blank(&line))
			return NULL;
		take(s, &line);
	}
	return NULL;
}

static struct kmp_error *read_record(struct slow *s, bool at_end)
{
	const char *reason = NULL;
	bool over = false;
	bool blank = false;

	try(read_header(s, &reason));
	if (reason) {
		try(skip_rest(s));
		return skip(s, reason);
	}
	s->frames.len = 0;
	while (s->at < s->end && !over && !blank) {
		struct po_line line;

		try(look(s, &line));
		blank = po_is_blank(&line);
		if (blank) {
			take(s, &line);
		} else if (po_is_pfn(&line) && !(s->record.page.form & KMP_FORM_PFN)) {
			try(read_pfn_line(s, &line, &reason));
			/* An unreadable PFN line at the very end was cut, not damaged. */
			if (reason && !(at_end && s->at == s->end)) {
				try(skip_rest(s));
				return skip(s, reason);
			}
		} else {
			try(body_line(s, &line, &over));
		}
	}
	return finish_record(s, at_end);
}

/* A line that belongs to no record. What is left of a record is no stray line, but a lost record.
 */
static struct kmp_error *stray_line(struct slow *s, const struct po_line *line)
{
	struct po_line l = po_dedented(*line);

	take(s, line);
	if (po_is_blank(line) || po_line_begins(&l, "..") ||
	    po_line_begins(&l, "page_owner tracks the page"))
		return NULL;
	if (po_is_pfn(line)) {
		try(skip_rest(s));
		return skip(s, "header missing");
	}
	s->result->stray++;
	return NULL;
}

static struct kmp_error *slow_parse(struct slow *s, bool at_end)
{
	struct po_line line;

	s->first_line = s->result->lines;
	try(look(s, &line));
	if (po_is_sorted(&line, &s->times, &s->pages, &s->labels)) {
		take(s, &line);
		if (s->at == s->end)
			return skip(s, "sorted output: record missing");
		try(look(s, &line));
		if (!po_is_header(&line))
			return skip(s, "sorted output: record missing");
	}
	if (!po_is_header(&line))
		return stray_line(s, &line);
	return read_record(s, at_end);
}

struct kmp_error *kmp_po_slow(struct kmp_po_parser *p, const char **at, const char *end,
			      bool at_end, struct kmp_po_result *result)
{
	struct slow s = { .p = p, .at = *at, .end = end, .result = result, .ended = true };
	struct kmp_error *err = slow_parse(&s, at_end);

	*at = s.at;
	vec_deinit(&s.joined);
	vec_deinit(&s.clean);
	vec_deinit(&s.frames);
	vec_deinit(&s.record.extra);
	return err;
}
