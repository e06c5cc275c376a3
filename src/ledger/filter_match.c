// SPDX-License-Identifier: GPL-2.0-only
/*
 * Matching. Texts are looked at once: the answer is remembered by the number of the text, or of
 * the trace, and those are what page owners refer to.
 */
#include "ledger/filter.h"
#include "ledger/ledger.h"

/* What a page owner has in a number field; false: not told. */
static inline bool number_of(enum kmp_field field, const struct kmp_ledger *ledger,
			     const struct kmp_page *page, uint64_t *value)
{
	int64_t told = -1;

	switch (field) {
	case KMP_FIELD_ORDER:
		*value = page->order;
		return kmp_order_is_told(page);
	case KMP_FIELD_PFN:
		*value = page->pfn;
		return page->pfn != KMP_UNKNOWN;
	case KMP_FIELD_TS:
		*value = page->ts;
		return page->ts != KMP_UNKNOWN;
	case KMP_FIELD_FREE_TS:
		*value = page->free_ts;
		return page->free_ts != KMP_UNKNOWN;
	case KMP_FIELD_PID:
		if (page->task < ledger->tasks.len)
			told = ledger->tasks.data[page->task].pid;
		break;
	case KMP_FIELD_TGID:
		if (page->task < ledger->tasks.len)
			told = ledger->tasks.data[page->task].tgid;
		break;
	case KMP_FIELD_NODE:
		if (page->flags < ledger->places.len)
			told = ledger->places.data[page->flags].node;
		break;
	case KMP_FIELD_ZONE:
		if (page->flags < ledger->places.len)
			told = ledger->places.data[page->flags].zone;
		break;
	case KMP_FIELD_HANDLE:
		if (page->stack < ledger->stacks.len && ledger->stacks.data[page->stack].has_handle)
			told = ledger->stacks.data[page->stack].handle;
		break;
	default:
		break;
	}
	*value = (uint64_t)told;
	return told >= 0;
}

static inline bool in_ranges(const struct kmp_filter_test *test, uint64_t value)
{
	size_t low = 0, high = test->ranges.len;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (value > test->ranges.data[middle].high)
			low = middle + 1;
		else
			high = middle;
	}
	return low < test->ranges.len && value >= test->ranges.data[low].low;
}

static bool regex_holds(const struct kmp_filter_test *test, const char *text, size_t len)
{
	/* The text may hold NULs, so its length is told. */
	regmatch_t bounds = { .rm_so = 0, .rm_eo = (regoff_t)len };

	return !regexec(&test->regex, text, 0, &bounds, REG_STARTEND);
}

static bool same(const struct kmp_filter_test *test, const char *text, size_t len)
{
	return len == test->len && (!len || !memcmp(text, test->text, len));
}

/* A mask or flags text may be given as a whole, by its number, or by its names. */
static bool same_mask(const struct kmp_filter_test *test, const char *text, size_t len)
{
	const char *open = memchr(text, '(', len);

	if (same(test, text, len) || !open)
		return same(test, text, len);
	if (same(test, text, (size_t)(open - text)))
		return true;
	return text[len - 1] == ')' && same(test, open + 1, (size_t)(text + len - 1 - (open + 1)));
}

static bool has_names(const struct kmp_filter_test *test, const char *text, size_t len)
{
	for (const char *name = test->text; name <= test->text + test->len;) {
		size_t name_len = strcspn(name, "|");

		if (!kmp_flags_have(text, len, name, name_len))
			return false;
		name += name_len + 1;
	}
	return true;
}

/* Does the test hold for this text (before `negate`)? */
static bool text_holds(const struct kmp_filter_test *test, const char *text, size_t len)
{
	switch (test->kind) {
	case KMP_TEST_REGEX:
		return regex_holds(test, text, len);
	case KMP_TEST_HAS:
		return has_names(test, text, len);
	default:
		break;
	}
	if (test->field == KMP_FIELD_GFP || test->field == KMP_FIELD_FLAGS)
		return same_mask(test, text, len);
	return same(test, text, len);
}

static bool frame_holds(const struct kmp_filter_test *test, const char *text, size_t len)
{
	if (test->kind == KMP_TEST_REGEX)
		return regex_holds(test, text, len);
	struct kmp_span symbol = kmp_frame_symbol(text, len);

	return same(test, symbol.text, symbol.len);
}

static bool any_frame_holds(const struct kmp_filter_test *test, const struct kmp_ledger *ledger,
			    struct kmp_trace trace)
{
	for (uint32_t i = 0; i < trace.depth; i++) {
		size_t len = 0;
		const char *text = kmp_ledger_text(ledger, KMP_DICT_FRAME, trace.frames[i], &len);

		if (text && frame_holds(test, text, len))
			return true;
	}
	return false;
}

static bool trace_holds(const struct kmp_filter_test *test, const struct kmp_ledger *ledger,
			uint32_t number)
{
	struct kmp_trace trace = kmp_ledger_trace(ledger, number);
	struct kmp_span span;

	if (!trace.depth)
		return false;
	if (test->field == KMP_FIELD_STACK)
		return any_frame_holds(test, ledger, trace) != test->negate;
	span = test->field == KMP_FIELD_MODULE ? kmp_trace_module(ledger, number)
					       : kmp_trace_function(ledger, number);
	return span.text && text_holds(test, span.text, span.len) != test->negate;
}

static bool test_trace(struct kmp_filter_test *test, const struct kmp_ledger *ledger,
		       uint32_t stack)
{
	if (stack >= ledger->stacks.len)
		return false;
	uint32_t trace = ledger->stacks.data[stack].trace;

	/* A handle may be resolved later, so nothing is remembered of it. */
	if (trace == KMP_NONE)
		return false;
	uint8_t known = kmp_memo_get(&test->memo, trace);

	if (known)
		return known == 2;
	return kmp_memo_note(&test->memo, trace, trace_holds(test, ledger, trace));
}

static bool test_dict(struct kmp_filter_test *test, const struct kmp_ledger *ledger,
		      enum kmp_dict dict, uint32_t number)
{
	uint8_t known = kmp_memo_get(&test->memo, number);
	size_t len = 0;

	if (known)
		return known == 2;
	const char *text = kmp_ledger_text(ledger, dict, number, &len);

	if (!text)
		return false;
	return kmp_memo_note(&test->memo, number, text_holds(test, text, len) != test->negate);
}

/* A zone goes by its name where that is known, and by its number. */
static bool zone_holds(const struct kmp_filter_test *test, const struct kmp_ledger *ledger,
		       struct kmp_place place)
{
	const char *name = kmp_ledger_zone_name(ledger, place.node, place.zone);
	char number[16];

	if (place.zone < 0)
		return false;
	int len = snprintf(number, sizeof(number), "%d", place.zone);

	return (text_holds(test, number, (size_t)len) ||
		(name && text_holds(test, name, strlen(name)))) != test->negate;
}

static bool test_zone(struct kmp_filter_test *test, const struct kmp_ledger *ledger, uint32_t flags)
{
	if (flags >= ledger->places.len)
		return false;
	if (test->zones_seen != ledger->zones.len) {
		test->memo.answers.len = 0;
		test->zones_seen = ledger->zones.len;
	}
	uint8_t known = kmp_memo_get(&test->memo, flags);

	if (known)
		return known == 2;
	return kmp_memo_note(&test->memo, flags,
			     zone_holds(test, ledger, ledger->places.data[flags]));
}

static bool test_allocator(const struct kmp_filter_test *test, struct kmp_allocator_memo *memo,
			   const struct kmp_ledger *ledger, const struct kmp_page *page)
{
	const char *name = kmp_allocator_name(kmp_allocator_of(memo, ledger, page));

	return name && text_holds(test, name, strlen(name)) != test->negate;
}

static bool is_slab(struct kmp_filter_test *test, const struct kmp_ledger *ledger,
		    const struct kmp_page *page)
{
	uint8_t known;
	size_t len = 0;

	if (page->form & KMP_FORM_SLAB)
		return true;
	known = kmp_memo_get(&test->memo, page->flags);
	if (known)
		return known == 2;
	const char *text = kmp_ledger_text(ledger, KMP_DICT_FLAGS, page->flags, &len);

	return text && kmp_memo_note(&test->memo, page->flags,
				     kmp_flags_have(text, len, "slab", strlen("slab")));
}

static bool test_holds(struct kmp_filter *filter, struct kmp_filter_test *test,
		       const struct kmp_ledger *ledger, const struct kmp_page *page)
{
	uint64_t number;

	if (test->kind == KMP_TEST_RANGES)
		return number_of(test->field, ledger, page, &number) && in_ranges(test, number);
	switch (test->field) {
	case KMP_FIELD_COMM:
		return page->task < ledger->tasks.len &&
		       test_dict(test, ledger, KMP_DICT_COMM, ledger->tasks.data[page->task].comm);
	case KMP_FIELD_MEMCG:
		return page->charge < ledger->charges.len &&
		       test_dict(test, ledger, KMP_DICT_MEMCG,
				 ledger->charges.data[page->charge].memcg);
	case KMP_FIELD_MIGRATETYPE:
		return test_dict(test, ledger, KMP_DICT_TYPE, page->type);
	case KMP_FIELD_BLOCK:
		return test_dict(test, ledger, KMP_DICT_TYPE, page->block_type);
	case KMP_FIELD_GFP:
		return test_dict(test, ledger, KMP_DICT_GFP, page->gfp);
	case KMP_FIELD_FLAGS:
		return test_dict(test, ledger, KMP_DICT_FLAGS, page->flags);
	case KMP_FIELD_REASON:
		return test_dict(test, ledger, KMP_DICT_REASON, page->reason);
	case KMP_FIELD_ZONE:
		return test_zone(test, ledger, page->flags);
	case KMP_FIELD_STACK:
	case KMP_FIELD_MODULE:
	case KMP_FIELD_FUNCTION:
		return test_trace(test, ledger, page->stack);
	case KMP_FIELD_ALLOCATOR:
		return test_allocator(test, &filter->allocators, ledger, page);
	case KMP_FIELD_MIGRATED:
		return page->reason != KMP_NONE;
	case KMP_FIELD_SLAB:
		return is_slab(test, ledger, page);
	default:
		return false;
	}
}

bool kmp_filter_match(struct kmp_filter *filter, const struct kmp_ledger *ledger,
		      const struct kmp_page *page)
{
	uint32_t next = filter->start;

	while (next < filter->tests.len) {
		struct kmp_filter_test *test = &filter->tests.data[next];

		next = test_holds(filter, test, ledger, page) ? test->yes : test->no;
	}
	return next == KMP_FILTER_YES;
}
