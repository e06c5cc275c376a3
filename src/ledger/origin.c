// SPDX-License-Identifier: GPL-2.0-only
#include "ledger/origin.h"

#include <string.h>

#include "ledger/allocator_names.h"
#include "ledger/ledger.h"

struct kmp_span kmp_frame_symbol(const char *frame, size_t len)
{
	const char *plus = memchr(frame, '+', len);
	const char *blank = memchr(frame, ' ', len);
	const char *end = frame + len;

	if (blank)
		end = blank;
	if (plus && plus < end && plus > frame)
		end = plus;
	return (struct kmp_span){ frame, (size_t)(end - frame) };
}

struct kmp_span kmp_frame_module(const char *frame, size_t len)
{
	const char *open = len && frame[len - 1] == ']' ? memrchr(frame, '[', len) : NULL;

	if (!open || open == frame || open[-1] != ' ')
		return (struct kmp_span){ NULL, 0 };
	size_t inside = (size_t)(frame + len - 1 - (open + 1));
	const char *blank = memchr(open + 1, ' ', inside);

	if (blank)
		inside = (size_t)(blank - (open + 1));
	return inside ? (struct kmp_span){ open + 1, inside } : (struct kmp_span){ NULL, 0 };
}

static struct kmp_span frame_text(const struct kmp_ledger *ledger, struct kmp_trace trace,
				  size_t number)
{
	struct kmp_span span = { NULL, 0 };

	span.text = kmp_ledger_text(ledger, KMP_DICT_FRAME, trace.frames[number], &span.len);
	return span;
}

struct kmp_span kmp_trace_function(const struct kmp_ledger *ledger, uint32_t number)
{
	struct kmp_trace trace = kmp_ledger_trace(ledger, number);
	struct kmp_span symbol = { NULL, 0 };

	for (size_t i = 0; i < trace.depth; i++) {
		struct kmp_span frame = frame_text(ledger, trace, i);

		if (!frame.text)
			continue;
		symbol = kmp_frame_symbol(frame.text, frame.len);
		if (!kmp_allocator_family(symbol.text, symbol.len))
			break;
	}
	return symbol;
}

struct kmp_span kmp_trace_module(const struct kmp_ledger *ledger, uint32_t number)
{
	struct kmp_trace trace = kmp_ledger_trace(ledger, number);

	for (size_t i = 0; i < trace.depth; i++) {
		struct kmp_span frame = frame_text(ledger, trace, i);
		struct kmp_span module = { NULL, 0 };

		if (frame.text)
			module = kmp_frame_module(frame.text, frame.len);
		if (module.text)
			return module;
	}
	return trace.depth ? (struct kmp_span){ "kernel", 6 } : (struct kmp_span){ NULL, 0 };
}

/* The first allocator above the page allocator is the one that was asked. */
static bool is_vmalloc(const struct kmp_ledger *ledger, uint32_t number)
{
	struct kmp_trace trace = kmp_ledger_trace(ledger, number);

	for (size_t i = 0; i < trace.depth; i++) {
		struct kmp_span frame = frame_text(ledger, trace, i);

		if (!frame.text)
			continue;
		struct kmp_span symbol = kmp_frame_symbol(frame.text, frame.len);
		enum kmp_allocator_family family = kmp_allocator_family(symbol.text, symbol.len);

		if (family != KMP_FAMILY_PAGE)
			return family == KMP_FAMILY_VMALLOC;
	}
	return false;
}

/* The columns of 3.19, each a letter or a blank. */
static bool letters_have(const char *text, size_t len, const char *name, size_t name_len)
{
	static const struct {
		const char *name;
		char letter;
	} letters[] = {
		{ "locked", 'K' },	 { "error", 'E' },    { "referenced", 'R' },
		{ "uptodate", 'U' },	 { "dirty", 'D' },    { "lru", 'L' },
		{ "active", 'A' },	 { "slab", 'S' },     { "writeback", 'W' },
		{ "head", 'C' },	 { "compound", 'C' }, { "swapcache", 'B' },
		{ "mappedtodisk", 'M' },
	};

	for (size_t i = 0; i < sizeof(letters) / sizeof(*letters); i++) {
		if (strlen(letters[i].name) == name_len && !memcmp(letters[i].name, name, name_len))
			return memchr(text, letters[i].letter, len);
	}
	return false;
}

bool kmp_flags_have(const char *text, size_t len, const char *name, size_t name_len)
{
	const char *open = memchr(text, '(', len);
	const char *end = text + len;

	if (!open)
		return *text != '0' && letters_have(text, len, name, name_len);
	if (end[-1] == ')')
		end--;
	for (const char *word = open + 1; word <= end;) {
		const char *bar = memchr(word, '|', (size_t)(end - word));
		const char *stop = bar ? bar : end;

		if ((size_t)(stop - word) == name_len && name_len && !memcmp(word, name, name_len))
			return true;
		word = stop + 1;
	}
	return false;
}

bool kmp_memo_note(struct kmp_memo *memo, uint32_t number, bool answer)
{
	if (number >= memo->answers.len) {
		size_t more = number - memo->answers.len + 1;
		struct kmp_error *err = vec_reserve(&memo->answers, more);

		if (err) {
			kmp_error_destroy(err);
			return answer;
		}
		memset(memo->answers.data + memo->answers.len, 0, more);
		memo->answers.len += more;
	}
	memo->answers.data[number] = answer ? 2 : 1;
	return answer;
}

const char *kmp_allocator_name(enum kmp_allocator allocator)
{
	static const char *const allocator_names[] = { "CMA", "SLAB", "VMALLOC", "OTHERS", NULL };

	return allocator_names[allocator];
}

static bool type_is_cma(struct kmp_allocator_memo *memo, const struct kmp_ledger *ledger,
			uint32_t type)
{
	uint8_t known = kmp_memo_get(&memo->types, type);
	size_t len;

	if (known || type == KMP_NONE)
		return known == 2;
	const char *text = kmp_ledger_text(ledger, KMP_DICT_TYPE, type, &len);

	if (!text)
		return false;
	return kmp_memo_note(&memo->types, type, len == 3 && !memcmp(text, "CMA", 3));
}

static bool flags_say_slab(struct kmp_allocator_memo *memo, const struct kmp_ledger *ledger,
			   uint32_t flags)
{
	uint8_t known = kmp_memo_get(&memo->flags, flags);
	size_t len;

	if (known || flags == KMP_NONE)
		return known == 2;
	const char *text = kmp_ledger_text(ledger, KMP_DICT_FLAGS, flags, &len);

	if (!text)
		return false;
	return kmp_memo_note(&memo->flags, flags, kmp_flags_have(text, len, "slab", 4));
}

enum kmp_allocator kmp_allocator_of(struct kmp_allocator_memo *memo,
				    const struct kmp_ledger *ledger, const struct kmp_page *page)
{
	const struct kmp_stack *stack;
	uint8_t known;

	if (type_is_cma(memo, ledger, page->type) || type_is_cma(memo, ledger, page->block_type))
		return KMP_ALLOCATOR_CMA;
	if (page->form & KMP_FORM_SLAB || flags_say_slab(memo, ledger, page->flags))
		return KMP_ALLOCATOR_SLAB;
	stack = kmp_ledger_stack(ledger, page->stack);
	if (!stack)
		return KMP_ALLOCATOR_OTHERS;
	if (stack->trace == KMP_NONE)
		return KMP_ALLOCATOR_UNRESOLVED;
	known = kmp_memo_get(&memo->traces, stack->trace);
	if (!known)
		known = kmp_memo_note(&memo->traces, stack->trace, is_vmalloc(ledger, stack->trace))
				? 2
				: 1;
	return known == 2 ? KMP_ALLOCATOR_VMALLOC : KMP_ALLOCATOR_OTHERS;
}

void kmp_allocator_memo_deinit(struct kmp_allocator_memo *memo)
{
	vec_deinit(&memo->types.answers);
	vec_deinit(&memo->flags.answers);
	vec_deinit(&memo->traces.answers);
}
