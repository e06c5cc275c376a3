// SPDX-License-Identifier: GPL-2.0-only
/*
 * The texts of a dump repeat: a few hundred stacks, masks and tasks among millions of records.
 * What was seen once is recognised by its bytes and not taken apart again.
 */
#include <xxhash.h>

#include "base/scan.h"
#include "format/frame.h"
#include "format/po_parser.h"

const struct kmp_page kmp_po_blank_page = { KMP_PAGE_BLANK, .records = 1, .pages = 1 };

struct kmp_error *kmp_po_token(struct kmp_po_parser *p, struct po_tokens *tokens, const char *text,
			       size_t len, po_make_fn make, uint32_t *number)
{
	struct po_token *slot = &tokens->slots[XXH3_64bits(text, len) % TOKEN_SLOTS];

	if (slot->len == len && slot->text && !memcmp(slot->text, text, len)) {
		*number = slot->number;
		return NULL;
	}
	try(make(p, text, len, number));
	/* A slot that changes hands leaves its text behind: rare, and bounded by the churn. */
	if (!slot->text || slot->len < len) {
		char *copy;

		try(kmp_arena_copy(&p->arena, text, len, &copy));
		slot->text = copy;
	} else {
		memcpy((char *)slot->text, text, len);
	}
	slot->len = (uint32_t)len;
	slot->number = *number;
	return NULL;
}

struct kmp_error *kmp_po_make_flags(struct kmp_po_parser *p, const char *text, size_t len,
				    uint32_t *number)
{
	return kmp_ledger_add_text(p->ledger, KMP_DICT_FLAGS, text, len, number);
}

struct kmp_error *kmp_po_make_reason(struct kmp_po_parser *p, const char *text, size_t len,
				     uint32_t *number)
{
	return kmp_ledger_add_text(p->ledger, KMP_DICT_REASON, text, len, number);
}

static bool strip(const char **text, size_t *len, const char *word)
{
	size_t n = strlen(word);

	if (*len < n || memcmp(*text, word, n) != 0)
		return false;
	*text += n;
	*len -= n;
	return true;
}

/* `[(via objcg) ]to [offline ]memcg NAME`; NAME runs to the end of the line. */
struct kmp_error *kmp_po_make_charge(struct kmp_po_parser *p, const char *text, size_t len,
				     uint32_t *number)
{
	struct kmp_charge charge = { 0 };

	charge.objcg = strip(&text, &len, "(via objcg) ");
	if (!strip(&text, &len, "to ")) {
		*number = KMP_NONE;
		return NULL;
	}
	charge.old_spelling = strip(&text, &len, "offlined ");
	charge.offline = charge.old_spelling || strip(&text, &len, "offline ");
	if (!strip(&text, &len, "memcg ")) {
		*number = KMP_NONE;
		return NULL;
	}
	try(kmp_ledger_add_text(p->ledger, KMP_DICT_MEMCG, text, len, &charge.memcg));
	return kmp_ledger_add_charge(p->ledger, &charge, number);
}

static uint64_t frames_hash_of(const void *arg, uint32_t number)
{
	return ((const struct kmp_po_parser *)arg)->frames.data[number].hash;
}

enum { DEPTH_MAX = 256, KERNEL_DEPTH = 16 };

/* Read the frames of a new block; trace stays KMP_NONE where a line is not plainly a frame. */
static struct kmp_error *read_frames(struct kmp_po_parser *p, struct po_frames *block)
{
	const char *at = block->text;
	const char *end = at + block->len;
	uint32_t frames[DEPTH_MAX];
	uint32_t depth = 0;

	block->trace = KMP_NONE;
	block->form = KMP_FORM_TRACE;
	block->lines = 0;
	while (at < end) {
		const char *nl = memchr(at, '\n', (size_t)(end - at));
		size_t len = (size_t)((nl ? nl : end) - at);
		bool address;

		if (depth == DEPTH_MAX || len < 3 || at[1] == ' ' || at[len - 1] == '\r' ||
		    !kmp_frame_looks_like(at, len))
			return NULL;
		try(kmp_frame_add(p->ledger, at, len, &frames[depth], &address));
		if (frames[depth] == KMP_NONE)
			return NULL;
		if (address)
			block->form |= KMP_FORM_ADDRESS;
		depth++;
		block->lines++;
		at += len + 1;
	}
	if (depth == KERNEL_DEPTH)
		block->form |= KMP_FORM_DEPTH_LIMIT;
	return kmp_ledger_add_trace(p->ledger, frames, depth, &block->trace);
}

struct kmp_error *kmp_po_frames(struct kmp_po_parser *p, const char *text, size_t len,
				uint32_t *number)
{
	uint64_t hash = XXH3_64bits(text, len);
	struct kmp_index_cursor cur = index_start(&p->frames_index, hash);
	uint32_t id;

	while ((id = index_next(&p->frames_index, &cur)) != KMP_NONE) {
		const struct po_frames *f = &p->frames.data[id];

		if (f->hash == hash && f->len == len && !memcmp(f->text, text, len)) {
			*number = id;
			return NULL;
		}
	}

	struct po_frames block = { .hash = hash, .len = (uint32_t)len };
	char *copy;

	id = (uint32_t)p->frames.len;
	try(kmp_arena_copy(&p->arena, text, len, &copy));
	block.text = copy;
	try(read_frames(p, &block));
	try(vec_push(&p->frames, block));
	try(kmp_index_add(&p->frames_index, hash, id, frames_hash_of, p));
	*number = id;
	return NULL;
}

struct kmp_error *kmp_po_stack(struct kmp_po_parser *p, uint32_t trace, uint32_t handle,
			       bool has_handle, uint32_t *number)
{
	uint32_t slot = (trace * 0x9e3779b1u ^ handle * 0x85ebca6bu) >> 20;
	struct po_stack *s = &p->stacks[slot % GUESS_SLOTS];

	if (s->number != KMP_NONE && s->trace == trace && s->handle == handle &&
	    s->has_handle == has_handle) {
		*number = s->number;
		return NULL;
	}
	struct kmp_stack stack = { trace, handle, has_handle };

	try(kmp_ledger_add_stack(p->ledger, &stack, number));
	*s = (struct po_stack){ trace, handle, has_handle, *number };
	return NULL;
}

struct kmp_error *kmp_po_parser_create(struct kmp_ledger *ledger, struct kmp_po_parser **out)
{
	struct kmp_po_parser *p = calloc(1, sizeof(*p));

	if (!p)
		return &kmp_error_no_memory;
	p->ledger = ledger;
	for (size_t i = 0; i < GUESS_SLOTS; i++)
		p->stacks[i].number = KMP_NONE;
	*out = p;
	return NULL;
}

void kmp_po_parser_destroy(struct kmp_po_parser *p)
{
	if (!p)
		return;
	kmp_arena_deinit(&p->arena);
	vec_deinit(&p->frames);
	kmp_index_deinit(&p->frames_index);
	free(p);
}
