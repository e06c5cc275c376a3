// SPDX-License-Identifier: GPL-2.0-only
/*
 * One record, as kernels from 4.6 on print it, without a look back or a second pass. Any byte that
 * is not where it should be ends the attempt, and po_slow.c takes the record from its start: so
 * nothing here needs to be lenient. The texts have SCAN_PAD bytes behind their end, so that
 * comparing a literal needs no check.
 */
#include "base/scan.h"
#include "format/po_parser.h"

struct fast {
	struct kmp_po_parser *p;
	const char *at;
	const char *end;
	struct po_model *model; /* what this record will be for those that follow */
	struct kmp_page page;
	uint32_t frames; /* number of the block of frames, or KMP_NONE */
	uint32_t handle;
	uint64_t lines;
};

/* What is not as expected: not an error, the lenient parser takes over. */
static struct kmp_error not_expected;

#define expect(cond)                                                                               \
	do {                                                                                       \
		if (__builtin_expect(!(cond), 0))                                                  \
			return &not_expected;                                                      \
	} while (0)

/*
 * The longest header, flags or trailer line there is; more is not expected. Longer records than
 * MODEL_LIMIT are no models: comparing them could pass the padding.
 */
enum { LINE_LIMIT = 1024, MODEL_LIMIT = SCAN_PAD - 256 };

static const char *find(const struct fast *f, char c)
{
	size_t left = (size_t)(f->end - f->at);

	return memchr(f->at, c, left < LINE_LIMIT ? left : LINE_LIMIT);
}

/* Decimal digits that end at `end` (exclusive); *start is the first of them. */
static bool digits_before(const char *end, const char *limit, const char **start, uint64_t *value)
{
	const char *s = end;
	uint64_t v = 0;
	uint64_t unit = 1;

	while (s > limit && scan_is_digit(s[-1]) && end - s < 19) {
		v += (uint64_t)(*--s - '0') * unit;
		unit *= 10;
	}
	if (s == end || (s > limit && scan_is_digit(s[-1])))
		return false;
	*start = s;
	*value = v;
	return true;
}

static bool word_before(const char **end, const char *limit, const char *word, size_t len)
{
	if (*end - limit < (ptrdiff_t)len || memcmp(*end - len, word, len) != 0)
		return false;
	*end -= len;
	return true;
}

#define before(end, limit, word) word_before(end, limit, word, sizeof(word) - 1)

/* `7, tgid 8 (comm` or `7` */
static struct kmp_error *make_task(struct kmp_po_parser *p, const char *text, size_t len,
				   uint32_t *number)
{
	const char *end = text + len;
	struct kmp_task task = { -1, -1, KMP_NONE };
	uint64_t value;

	expect(scan_decimal(&text, &value) && value <= INT32_MAX);
	task.pid = (int64_t)value;
	if (text < end) {
		expect(scan_word(&text, ", tgid ") && scan_decimal(&text, &value) &&
		       value <= INT32_MAX && scan_word(&text, " (") && text <= end);
		task.tgid = (int64_t)value;
		try(kmp_ledger_add_text(p->ledger, KMP_DICT_COMM, text, (size_t)(end - text),
					&task.comm));
	}
	return kmp_ledger_add_task(p->ledger, &task, number);
}

static struct kmp_error *times_and_task(struct fast *f)
{
	const char *nl = find(f, '\n');
	const char *start = f->at;
	const char *end = nl;
	const char *digits;

	expect(nl && memcmp(nl + 1, "PFN ", 4) == 0);
	expect(before(&end, start, " ns"));
	expect(digits_before(end, start, &digits, &f->page.ts));
	end = digits;
	if (before(&end, start, ", free_ts ")) {
		f->model = NULL;
		f->page.free_ts = f->page.ts;
		f->page.form |= KMP_FORM_FREE_TS;
		expect(before(&end, start, " ns"));
		expect(digits_before(end, start, &digits, &f->page.ts));
		end = digits;
	}
	expect(before(&end, start, ", ts "));
	if (f->model)
		f->model->head_len = (uint32_t)(digits - f->model->head);
	f->page.form |= KMP_FORM_PID | KMP_FORM_TS | KMP_FORM_TS_NS;
	if (before(&end, start, ")"))
		f->page.form |= KMP_FORM_TGID | KMP_FORM_COMM;
	try(kmp_po_token(f->p, &f->p->tasks, start, (size_t)(end - start), make_task,
			 &f->page.task));
	expect((f->p->ledger->tasks.data[f->page.task].tgid >= 0) ==
	       ((f->page.form & KMP_FORM_TGID) != 0));
	f->at = nl + 1;
	return NULL;
}

/* New tokens are looked at once for what a line cannot hold; known ones were. */
static struct kmp_error *make_gfp(struct kmp_po_parser *p, const char *text, size_t len,
				  uint32_t *number)
{
	expect(!memchr(text, '\n', len));
	return kmp_ledger_add_text(p->ledger, KMP_DICT_GFP, text, len, number);
}

static struct kmp_error *make_type(struct kmp_po_parser *p, const char *text, size_t len,
				   uint32_t *number)
{
	expect(len && !memchr(text, '\n', len));
	return kmp_ledger_add_text(p->ledger, KMP_DICT_TYPE, text, len, number);
}

static struct kmp_error *header(struct fast *f)
{
	uint64_t order;
	const char *start;
	const char *close;

	expect(scan_word(&f->at, "Page allocated via order "));
	expect(scan_decimal(&f->at, &order) && order <= 30);
	f->page.order = (uint8_t)order;
	f->page.pages = 1ull << order;
	expect(scan_word(&f->at, ", mask "));
	start = f->at;
	expect(memcmp(start, "0x", 2) == 0);
	close = find(f, ')');
	expect(close);
	f->at = close + 1;
	try(kmp_po_token(f->p, &f->p->gfp, start, (size_t)(f->at - start), make_gfp, &f->page.gfp));
	f->page.form = KMP_FORM_MASK;
	if (scan_word(&f->at, ", pid "))
		return times_and_task(f);
	expect(*f->at++ == '\n');
	return NULL;
}

static struct kmp_error *type_word(struct fast *f, uint32_t *number)
{
	const char *start = f->at;
	const char *blank = find(f, ' ');

	expect(blank && blank - start < 32);
	f->at = blank;
	return kmp_po_token(f->p, &f->p->types, start, (size_t)(blank - start), make_type, number);
}

static struct kmp_error *pfn_line(struct fast *f)
{
	const char *start;
	const char *nl;

	expect(scan_word(&f->at, "PFN "));
	f->page.form |= KMP_FORM_PFN;
	if (scan_word(&f->at, "0x")) {
		expect(scan_hex(&f->at, &f->page.pfn));
		f->page.form |= KMP_FORM_PFN_HEX;
	} else {
		f->model = NULL;
		expect(scan_decimal(&f->at, &f->page.pfn));
	}
	const char *words = f->at;

	expect(scan_word(&f->at, " type "));
	try(type_word(f, &f->page.type));
	expect(scan_word(&f->at, " Block "));
	if (f->model) {
		f->model->type = words;
		f->model->type_len = (uint32_t)(f->at - words);
	}
	expect(scan_decimal(&f->at, &f->page.block));
	if (f->model)
		f->model->tail = f->at;
	expect(scan_word(&f->at, " type "));
	try(type_word(f, &f->page.block_type));
	expect(scan_word(&f->at, " Flags "));
	start = f->at;
	nl = find(f, '\n');
	expect(nl && nl - start > 4 && nl[-1] == ')' && memcmp(start, "0x", 2) == 0);
	f->at = nl + 1;
	return kmp_po_token(f->p, &f->p->flags, start, (size_t)(nl - start), kmp_po_make_flags,
			    &f->page.flags);
}

static struct kmp_error *frames(struct fast *f)
{
	const struct kmp_page *page = &f->page;
	uint32_t slot =
		(page->gfp * 31 + page->task * 131 + page->order * 7 + page->flags) * 0x9e3779b1u >>
		20;
	uint32_t *guess = &f->p->guesses[slot % GUESS_SLOTS];
	size_t left = (size_t)(f->end - f->at);
	const struct po_frames *block;

	f->frames = KMP_NONE;
	if (*f->at != ' ')
		return NULL;
	if (*guess) {
		block = &f->p->frames.data[*guess - 1];
		if (block->len <= left && f->at[block->len] != ' ' &&
		    !memcmp(f->at, block->text, block->len)) {
			f->frames = *guess - 1;
			f->at += block->len;
			f->lines += block->lines;
			return NULL;
		}
	}
	const char *stop = scan_frames_end(f->at, f->end);

	try(kmp_po_frames(f->p, f->at, (size_t)(stop - f->at), &f->frames));
	block = &f->p->frames.data[f->frames];
	expect(block->trace != KMP_NONE && stop[-1] == '\n');
	*guess = f->frames + 1;
	f->lines += block->lines;
	f->at = stop;
	return NULL;
}

/* Rest of the line into a token. */
static struct kmp_error *line_token(struct fast *f, struct po_tokens *tokens, po_make_fn make,
				    uint32_t *number)
{
	const char *start = f->at;
	const char *nl = find(f, '\n');

	expect(nl && nl > start && nl[-1] != '\r');
	f->at = nl + 1;
	f->lines++;
	try(kmp_po_token(f->p, tokens, start, (size_t)(nl - start), make, number));
	expect(*number != KMP_NONE);
	return NULL;
}

static struct kmp_error *trailer(struct fast *f)
{
	uint64_t handle;

	if (scan_word(&f->at, "handle: ")) {
		expect(scan_decimal(&f->at, &handle) && handle <= UINT32_MAX && *f->at == '\n');
		f->at++;
		f->lines++;
		f->handle = (uint32_t)handle;
		f->page.form |= KMP_FORM_HANDLE;
	}
	if (scan_word(&f->at, "Page has been migrated, last migrate reason: "))
		try(line_token(f, &f->p->reasons, kmp_po_make_reason, &f->page.reason));
	if (scan_word(&f->at, "Slab cache page\n")) {
		f->page.form |= KMP_FORM_SLAB;
		f->lines++;
	}
	if (scan_word(&f->at, "Charged "))
		try(line_token(f, &f->p->charges, kmp_po_make_charge, &f->page.charge));
	return NULL;
}

static struct kmp_error *record(struct fast *f)
{
	uint32_t trace = KMP_NONE;

	try(header(f));
	try(pfn_line(f));
	f->lines = 2;
	try(frames(f));
	try(trailer(f));
	expect(f->at < f->end && *f->at == '\n');
	f->at++;
	f->lines++;
	if (f->frames != KMP_NONE) {
		const struct po_frames *block = &f->p->frames.data[f->frames];

		trace = block->trace;
		f->page.form |= block->form;
	}
	if (trace == KMP_NONE && !(f->page.form & KMP_FORM_HANDLE))
		return NULL;
	return kmp_po_stack(f->p, trace, f->handle, f->page.form & KMP_FORM_HANDLE, &f->page.stack);
}

/* Is the record at *at that one but for its time, PFN and block? Then *at moves behind it. */
static bool resembles(const struct po_model *m, const char **at, const char *end,
		      struct kmp_page *page)
{
	const char *s = *at;
	uint64_t ts;
	uint64_t pfn;
	uint64_t block;

	if (!m->head || memcmp(s, m->head, m->head_len) != 0)
		return false;
	s += m->head_len;
	if (!scan_decimal(&s, &ts) || !scan_word(&s, " ns\nPFN 0x") || !scan_hex(&s, &pfn) ||
	    memcmp(s, m->type, m->type_len) != 0)
		return false;
	s += m->type_len;
	if (!scan_decimal(&s, &block) || memcmp(s, m->tail, m->tail_len) != 0 ||
	    s + m->tail_len > end)
		return false;
	*at = s + m->tail_len;
	*page = m->page;
	page->ts = ts;
	page->pfn = pfn;
	page->block = block;
	return true;
}

static void swap_models(struct kmp_po_parser *p)
{
	struct po_model first = p->models[0];

	p->models[0] = p->models[1];
	p->models[1] = first;
}

static void keep_model(struct fast *f)
{
	struct po_model *m = f->model;

	if (!m || !(f->page.form & KMP_FORM_COMM) || f->at - m->head > MODEL_LIMIT)
		return;
	m->tail_len = (uint32_t)(f->at - m->tail);
	m->lines = (uint32_t)f->lines;
	m->page = f->page;
	f->p->models[1] = f->p->models[0];
	f->p->models[0] = *m;
}

void kmp_po_fast_begin(struct kmp_po_parser *p)
{
	p->models[0].head = p->models[1].head = NULL;
}

struct kmp_error *kmp_po_fast(struct kmp_po_parser *p, const char **at, const char *end,
			      struct kmp_page *page, uint64_t *lines, bool *done)
{
	struct po_model model = { .head = *at };
	struct fast f = {
		.p = p, .at = *at, .end = end, .model = &model, .page = kmp_po_blank_page
	};

	*done = true;
	if (resembles(&p->models[0], at, end, page)) {
		*lines += p->models[0].lines;
		return NULL;
	}
	if (resembles(&p->models[1], at, end, page)) {
		swap_models(p);
		*lines += p->models[0].lines;
		return NULL;
	}
	struct kmp_error *err = record(&f);

	*done = !err;
	if (err)
		return err == &not_expected ? NULL : err;
	keep_model(&f);
	*at = f.at;
	*page = f.page;
	*lines += f.lines;
	return NULL;
}
