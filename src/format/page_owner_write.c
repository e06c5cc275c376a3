// SPDX-License-Identifier: GPL-2.0-only
#include "format/page_owner_write.h"

#include "base/put.h"

/* Bits of a stack text's variant. */
enum {
	WITH_FRAMES = 1 << 0,
	WITH_HANDLE = 1 << 1,
	WITH_ADDRESS = 1 << 2, /* ` [<ffffffff81164e9a>] sym+0x15a/0xa30` */
	BRACKETS_2_6 = 1 << 3, /* `[0xc0132258] sym+280` */
	WITH_END_MARK = 1 << 4,
	MADE = 1 << 5
};

struct text {
	const char *text;
	size_t len;
};

static struct text dict(const struct kmp_ledger *ledger, enum kmp_dict which, uint32_t number)
{
	struct text t = { "", 0 };
	const char *text = kmp_ledger_text(ledger, which, number, &t.len);

	if (text)
		t.text = text;
	return t;
}

static char *put_text(char *p, struct text t)
{
	return put_bytes(p, t.text, t.len);
}

/* A number that may be unknown: page_owner_sort leaves blanks where it took one out. */
static char *put_known(char *p, uint64_t value)
{
	return value == KMP_UNKNOWN ? p : put_decimal(p, value);
}

static struct kmp_error *append_header(const struct kmp_ledger *ledger, const struct kmp_page *page,
				       struct kmp_bytes *out)
{
	static const struct kmp_task nobody = { -1, -1, KMP_NONE };
	const struct kmp_task *task = kmp_ledger_task(ledger, page->task);
	struct text gfp = dict(ledger, KMP_DICT_GFP, page->gfp);

	if (!task)
		task = &nobody;
	struct text comm = dict(ledger, KMP_DICT_COMM, task->comm);

	try(vec_reserve(out, 6 * PUT_NUMBER_MAX + 128 + gfp.len + comm.len));
	char *p = out->data + out->len;

	p = put_literal(p, "Page allocated via order ");
	p = put_decimal(p, page->order);
	if (page->form & KMP_FORM_MASK)
		p = put_text(put_literal(p, ", mask "), gfp);
	if (page->form & KMP_FORM_PID)
		p = put_signed(put_literal(p, ", pid "), task->pid);
	if (page->form & KMP_FORM_TGID)
		p = put_signed(put_literal(p, ", tgid "), task->tgid);
	if (page->form & KMP_FORM_COMM)
		p = put_literal(put_text(put_literal(p, " ("), comm), ")");
	if (page->form & KMP_FORM_TS)
		p = put_known(put_literal(p, ", ts "), page->ts);
	if (page->form & KMP_FORM_TS_NS)
		p = put_literal(p, " ns");
	if (page->form & KMP_FORM_FREE_TS)
		p = put_literal(put_known(put_literal(p, ", free_ts "), page->free_ts), " ns");
	*p++ = '\n';
	out->len = (size_t)(p - out->data);
	return NULL;
}

static char *put_pfn_new(char *p, const struct kmp_page *page, struct text type,
			 struct text block_type)
{
	if ((page->form & KMP_FORM_PFN_HEX) && page->pfn != KMP_UNKNOWN)
		p = put_hex(put_literal(p, "0x"), page->pfn, 1);
	else
		p = put_known(p, page->pfn);
	p = put_text(put_literal(p, " type "), type);
	p = put_known(put_literal(p, " Block "), page->block);
	return put_text(put_literal(p, " type "), block_type);
}

/* Before 4.6 the only type told was the pageblock's. */
static char *put_pfn_old(char *p, const struct kmp_page *page, struct text block_type)
{
	p = put_known(put_literal(put_known(p, page->pfn), " Block "), page->block);
	p = put_text(put_literal(p, " type "), block_type);
	if (page->form & KMP_FORM_FALLBACK)
		return put_literal(p, " Fallback");
	return put_literal(p, "         ");
}

static struct kmp_error *append_pfn(const struct kmp_ledger *ledger, const struct kmp_page *page,
				    struct kmp_bytes *out)
{
	struct text type = dict(ledger, KMP_DICT_TYPE, page->type);
	struct text block_type = dict(ledger, KMP_DICT_TYPE, page->block_type);
	struct text flags = dict(ledger, KMP_DICT_FLAGS, page->flags);

	if (!(page->form & KMP_FORM_PFN))
		return NULL;
	try(vec_reserve(out, 2 * PUT_NUMBER_MAX + 64 + type.len + block_type.len + flags.len));
	char *p = put_literal(out->data + out->len, "PFN ");

	if (page->form & KMP_FORM_OLD_PFN)
		p = put_pfn_old(p, page, block_type.len ? block_type : type);
	else
		p = put_pfn_new(p, page, type, block_type);
	p = put_text(put_literal(p, " Flags "), flags);
	*p++ = '\n';
	out->len = (size_t)(p - out->data);
	return NULL;
}

/* What stood behind a trace of fewer frames than there was room for. */
static const char end_mark[] = " [<ffffffffffffffff>] 0xffffffffffffffff\n";

static struct kmp_error *append_frames(const struct kmp_ledger *ledger, uint32_t number,
				       uint32_t variant, struct kmp_bytes *out)
{
	struct kmp_trace trace = kmp_ledger_trace(ledger, number);

	for (uint32_t i = 0; i < trace.depth; i++) {
		struct text frame = dict(ledger, KMP_DICT_FRAME, trace.frames[i]);
		uint64_t address = kmp_ledger_frame_address(ledger, trace.frames[i]);

		try(vec_reserve(out, PUT_NUMBER_MAX + 16 + frame.len));
		char *p = out->data + out->len;

		if ((variant & BRACKETS_2_6) && address)
			p = put_literal(put_hex(put_literal(p, "[0x"), address, 1), "] ");
		else if ((variant & WITH_ADDRESS) && address)
			p = put_literal(put_hex(put_literal(p, " [<"), address, 8), ">] ");
		else
			*p++ = ' ';
		p = put_text(p, frame);
		*p++ = '\n';
		out->len = (size_t)(p - out->data);
	}
	if (variant & WITH_END_MARK)
		return vec_append(out, end_mark, sizeof(end_mark) - 1);
	return NULL;
}

static struct kmp_error *append_stack(const struct kmp_ledger *ledger,
				      const struct kmp_stack *stack, uint32_t variant,
				      struct kmp_bytes *out, bool *missing)
{
	*missing = false;
	if (variant & WITH_FRAMES) {
		if (stack->trace == KMP_NONE)
			*missing = true;
		else
			try(append_frames(ledger, stack->trace, variant, out));
	}
	if (!(variant & WITH_HANDLE))
		return NULL;
	if (!stack->has_handle) {
		*missing = true;
		return NULL;
	}
	try(vec_reserve(out, PUT_NUMBER_MAX + 16));
	char *p = put_decimal(put_literal(out->data + out->len, "handle: "), stack->handle);

	*p++ = '\n';
	out->len = (size_t)(p - out->data);
	return NULL;
}

static uint32_t variant_of(uint32_t form, enum kmp_mode mode)
{
	uint32_t variant = MADE;

	if (mode == KMP_MODE_AS_READ ? form & KMP_FORM_TRACE : mode != KMP_MODE_HANDLE)
		variant |= WITH_FRAMES;
	if (mode == KMP_MODE_AS_READ ? form & KMP_FORM_HANDLE : mode != KMP_MODE_STACK)
		variant |= WITH_HANDLE;
	if (form & KMP_FORM_ADDRESS)
		variant |= form & KMP_FORM_MASK ? WITH_ADDRESS : BRACKETS_2_6;
	if (form & KMP_FORM_END_MARK)
		variant |= WITH_END_MARK;
	return variant;
}

/* Make the text of a stack anew. */
static struct kmp_error *make_stack_text(const struct kmp_ledger *ledger,
					 const struct kmp_stack *stack, uint32_t variant,
					 struct kmp_stack_text *made)
{
	struct kmp_bytes bytes = { made->text, 0, made->len };
	struct kmp_error *err = append_stack(ledger, stack, variant, &bytes, &made->missing);

	made->text = bytes.data;
	made->len = bytes.len;
	made->trace = stack->trace;
	made->variant = err ? 0 : variant;
	return err;
}

static struct kmp_error *append_known_stack(struct kmp_page_printer *printer,
					    const struct kmp_ledger *ledger, uint32_t number,
					    uint32_t variant, struct kmp_bytes *out, bool *missing)
{
	const struct kmp_stack *stack = kmp_ledger_stack(ledger, number);

	if (!stack) {
		*missing = variant & (WITH_FRAMES | WITH_HANDLE);
		return NULL;
	}
	while (printer->stacks.len <= number)
		try(vec_push(&printer->stacks, (struct kmp_stack_text){ 0 }));
	struct kmp_stack_text *made = &printer->stacks.data[number];

	if (made->variant != variant || made->trace != stack->trace)
		try(make_stack_text(ledger, stack, variant, made));
	*missing = made->missing;
	return vec_append(out, made->text, made->len);
}

struct kmp_error *kmp_page_print_frames(const struct kmp_ledger *ledger, uint32_t trace,
					struct kmp_bytes *out)
{
	return append_frames(ledger, trace, WITH_FRAMES, out);
}

struct kmp_error *kmp_page_print_trailer(const struct kmp_ledger *ledger,
					 const struct kmp_page *page, struct kmp_bytes *out)
{
	const struct kmp_charge *charge = kmp_ledger_charge(ledger, page->charge);
	struct text reason = dict(ledger, KMP_DICT_REASON, page->reason);
	struct text memcg = dict(ledger, KMP_DICT_MEMCG, charge ? charge->memcg : KMP_NONE);
	struct text extra = dict(ledger, KMP_DICT_EXTRA, page->extra);

	try(vec_reserve(out, 160 + reason.len + memcg.len + extra.len));
	char *p = out->data + out->len;

	if (page->reason != KMP_NONE) {
		p = put_literal(p, "Page has been migrated, last migrate reason: ");
		p = put_literal(put_text(p, reason), "\n");
	}
	if (page->form & KMP_FORM_SLAB)
		p = put_literal(p, "Slab cache page\n");
	if (charge) {
		p = put_literal(p, "Charged ");
		if (charge->objcg)
			p = put_literal(p, "(via objcg) ");
		p = put_literal(p, "to ");
		if (charge->offline && charge->old_spelling)
			p = put_literal(p, "offlined ");
		else if (charge->offline)
			p = put_literal(p, "offline ");
		p = put_literal(put_text(put_literal(p, "memcg "), memcg), "\n");
	}
	if (page->extra != KMP_NONE)
		p = put_literal(put_text(p, extra), "\n");
	*p++ = '\n';
	out->len = (size_t)(p - out->data);
	return NULL;
}

struct kmp_error *kmp_page_printer_print(struct kmp_page_printer *printer,
					 const struct kmp_ledger *ledger,
					 const struct kmp_page *page, enum kmp_mode mode,
					 struct kmp_bytes *out, bool *missing)
{
	uint32_t variant = variant_of(page->form, mode);

	try(append_header(ledger, page, out));
	try(append_pfn(ledger, page, out));
	try(append_known_stack(printer, ledger, page->stack, variant, out, missing));
	return kmp_page_print_trailer(ledger, page, out);
}

void kmp_page_printer_deinit(struct kmp_page_printer *printer)
{
	for (size_t i = 0; i < printer->stacks.len; i++)
		free(printer->stacks.data[i].text);
	vec_deinit(&printer->stacks);
}

struct kmp_error *kmp_page_print(const struct kmp_ledger *ledger, const struct kmp_page *page,
				 enum kmp_mode mode, char **buf, size_t *len, size_t *cap)
{
	const struct kmp_stack *stack = kmp_ledger_stack(ledger, page->stack);
	struct kmp_bytes out = { *buf, *len, *cap };
	struct kmp_error *err = append_header(ledger, page, &out);
	bool missing;

	if (!err)
		err = append_pfn(ledger, page, &out);
	if (!err && stack)
		err = append_stack(ledger, stack, variant_of(page->form, mode), &out, &missing);
	if (!err)
		err = kmp_page_print_trailer(ledger, page, &out);
	*buf = out.data;
	*cap = out.cap;
	if (!err)
		*len = out.len;
	return err;
}
