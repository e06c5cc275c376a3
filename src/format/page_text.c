// SPDX-License-Identifier: GPL-2.0-only
#include "format/page_text.h"

#include "base/put.h"
#include "format/page_owner_write.h"

static struct kmp_piece dict(const struct kmp_ledger *ledger, enum kmp_dict which, uint32_t number)
{
	size_t len;
	const char *text = kmp_ledger_text(ledger, which, number, &len);

	return text ? (struct kmp_piece){ text, (uint32_t)len } : (struct kmp_piece){ "", 0 };
}

static char *put(char *p, struct kmp_piece piece)
{
	return piece.len ? put_bytes(p, piece.text, piece.len) : p;
}

/* Keep what was put together in bytes as a piece, and empty it. */
static struct kmp_error *keep(struct kmp_page_text *t, struct kmp_bytes *bytes,
			      struct kmp_piece *piece)
{
	char *copy;

	try(kmp_arena_copy(&t->arena, bytes->data ? bytes->data : "", bytes->len, &copy));
	*piece = (struct kmp_piece){ copy, (uint32_t)bytes->len };
	bytes->len = 0;
	return NULL;
}

static struct kmp_error *keep_to(struct kmp_page_text *t, struct kmp_bytes *bytes, const char *end,
				 struct kmp_piece *piece)
{
	bytes->len = (size_t)(end - bytes->data);
	return keep(t, bytes, piece);
}

static struct kmp_error *make_common(struct kmp_page_text *t, const struct kmp_page *page,
				     struct kmp_bytes *bytes)
{
	const struct kmp_ledger *ledger = t->table->ledger;
	struct kmp_piece gfp = dict(ledger, KMP_DICT_GFP, page->gfp);
	struct kmp_piece type = dict(ledger, KMP_DICT_TYPE, page->type);
	struct kmp_piece block_type = dict(ledger, KMP_DICT_TYPE, page->block_type);
	struct kmp_piece flags = dict(ledger, KMP_DICT_FLAGS, page->flags);
	struct kmp_common_text made;
	char *p;

	try(vec_reserve(bytes, 128 + gfp.len + type.len + block_type.len + flags.len));
	p = put_literal(bytes->data, "Page allocated via order ");
	p = put_literal(put_decimal(p, page->order), ", mask ");
	p = gfp.len ? put(p, gfp) : put_literal(p, "0x0()");
	/* Before 4.6 a mask has no names. */
	if (gfp.len && gfp.text[gfp.len - 1] != ')')
		p = put_literal(p, "()");
	try(keep_to(t, bytes, put_literal(p, ", pid "), &made.head));

	p = put(put_literal(bytes->data, " type "), type.len ? type : block_type);
	try(keep_to(t, bytes, put_literal(p, " Block "), &made.type));

	p = put(put_literal(bytes->data, " type "), block_type);
	p = put(put_literal(p, " Flags "), flags);
	*p++ = '\n';
	try(keep_to(t, bytes, p, &made.flags));

	try(kmp_page_print_trailer(ledger, page, bytes));
	try(keep(t, bytes, &made.trailer));
	return vec_push(&t->commons, made);
}

static struct kmp_error *make_task(struct kmp_page_text *t, const struct kmp_task *task,
				   struct kmp_bytes *bytes)
{
	struct kmp_piece comm = dict(t->table->ledger, KMP_DICT_COMM, task->comm);
	struct kmp_piece made;
	char *p;

	try(vec_reserve(bytes, 2 * PUT_NUMBER_MAX + 32 + comm.len));
	p = put_literal(put_signed(bytes->data, task->pid), ", tgid ");
	p = put(put_literal(put_signed(p, task->tgid), " ("), comm);
	try(keep_to(t, bytes, put_literal(p, "), ts "), &made));
	return vec_push(&t->tasks, made);
}

static struct kmp_error *make_stack(struct kmp_page_text *t, uint32_t number,
				    struct kmp_bytes *bytes)
{
	const struct kmp_ledger *ledger = t->table->ledger;
	const struct kmp_stack *stack = kmp_ledger_stack(ledger, number);
	struct kmp_piece frames = { "", 0 };
	struct kmp_piece handle = { "", 0 };

	if (stack && stack->trace != KMP_NONE)
		try(kmp_page_print_frames(ledger, stack->trace, bytes));
	try(keep(t, bytes, &frames));
	if (stack) {
		try(vec_reserve(bytes, PUT_NUMBER_MAX + 16));
		char *p = put_literal(bytes->data, "handle: ");

		p = put_decimal(p, stack->handle);
		*p++ = '\n';
		try(keep_to(t, bytes, p, &handle));
	}
	try(vec_push(&t->frames, frames));
	return vec_push(&t->handles, handle);
}

static struct kmp_error *make_all(struct kmp_page_text *t, struct kmp_bytes *bytes)
{
	static const struct kmp_task nobody = { -1, -1, KMP_NONE };
	const struct kmp_ledger *ledger = t->table->ledger;
	size_t stacks = kmp_ledger_count(ledger, KMP_LIST_STACKS);

	for (size_t i = 0; i < t->table->commons.len; i++)
		try(make_common(t, &t->table->commons.data[i], bytes));
	for (size_t i = 0; i < kmp_ledger_count(ledger, KMP_LIST_TASKS); i++)
		try(make_task(t, kmp_ledger_task(ledger, (uint32_t)i), bytes));
	try(make_task(t, &nobody, bytes));
	/* One more than there are: the last is for pages without. */
	for (size_t i = 0; i <= stacks; i++)
		try(make_stack(t, (uint32_t)i, bytes));
	return NULL;
}

struct kmp_error *kmp_page_text_init(struct kmp_page_text *text, const struct kmp_page_table *table)
{
	struct kmp_bytes bytes = { 0 };

	*text = (struct kmp_page_text){ .table = table };
	struct kmp_error *err = make_all(text, &bytes);

	vec_deinit(&bytes);
	return err;
}

void kmp_page_text_deinit(struct kmp_page_text *text)
{
	kmp_arena_deinit(&text->arena);
	vec_deinit(&text->commons);
	vec_deinit(&text->tasks);
	vec_deinit(&text->frames);
	vec_deinit(&text->handles);
}

/* The pieces of a row; numbers that tell nothing mean the last. */
struct pieces {
	const struct kmp_common_text *common;
	struct kmp_piece task;
	struct kmp_piece frames;
	struct kmp_piece handle;
};

static struct pieces pieces_of(const struct kmp_page_text *t, const struct kmp_row *row,
			       enum kmp_mode mode)
{
	uint32_t task = row->task < t->tasks.len ? row->task : (uint32_t)t->tasks.len - 1;
	uint32_t stack = row->stack < t->frames.len ? row->stack : (uint32_t)t->frames.len - 1;
	struct pieces p = {
		.common = &t->commons.data[row->common],
		.task = t->tasks.data[task],
		.frames.text = "",
		.handle.text = "",
	};

	if (mode != KMP_MODE_HANDLE)
		p.frames = t->frames.data[stack];
	if (mode == KMP_MODE_HANDLE || mode == KMP_MODE_STACK_HANDLE)
		p.handle = t->handles.data[stack];
	return p;
}

enum { NUMBERS_MAX = 3 * PUT_NUMBER_MAX + 32 };

size_t kmp_page_text_bound(const struct kmp_page_text *t, size_t row, enum kmp_mode mode)
{
	struct pieces p = pieces_of(t, &t->table->rows.data[row], mode);
	const struct kmp_common_text *c = p.common;

	return (size_t)c->head.len + p.task.len + c->type.len + c->flags.len + p.frames.len +
	       p.handle.len + c->trailer.len + NUMBERS_MAX;
}

char *kmp_page_text_put(const struct kmp_page_text *t, size_t number, enum kmp_mode mode, char *out)
{
	const struct kmp_row *row = &t->table->rows.data[number];
	struct pieces p = pieces_of(t, row, mode);

	out = put(put(out, p.common->head), p.task);
	out = put_decimal(out, row->ts == KMP_UNKNOWN ? 0 : row->ts);
	out = put_hex(put_literal(out, " ns\nPFN 0x"), row->pfn, 1);
	out = put(out, p.common->type);
	out = put_decimal(out, row->block == KMP_NONE ? 0 : row->block);
	out = put(out, p.common->flags);
	out = put(put(out, p.frames), p.handle);
	return put(out, p.common->trailer);
}
