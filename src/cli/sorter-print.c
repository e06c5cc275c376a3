// SPDX-License-Identifier: GPL-2.0-only
/* The order of the entries, and their text. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/sorter.h"

static char *print_page(const struct sorter *sorter, const struct kmp_page *page)
{
	char *buf = NULL;
	size_t len = 0, cap = 0;
	struct kmp_error *err =
		kmp_page_print(sorter->ledger, page, KMP_MODE_AS_READ, &buf, &len, &cap);

	char *text = err ? NULL : strndup(buf, len);

	kmp_error_destroy(err);
	free(buf);
	return text;
}

const char *sorter_text(const struct sorter *sorter, struct sort_entry *entry)
{
	struct kmp_page page = entry->page;

	if (entry->text)
		return entry->text;
	if (!sorter->rules->order_count || sorter->rules->order[0].key != SORT_ALLOC_TIME)
		page.ts = KMP_UNKNOWN;
	entry->text = print_page(sorter, &page);
	return entry->text;
}

/* What the text of a page holds that has a stack and nothing else, below the first line. */
const char *sorter_stack(const struct sorter *sorter, struct sort_entry *entry)
{
	const uint32_t kept = KMP_FORM_TRACE | KMP_FORM_HANDLE | KMP_FORM_ADDRESS | KMP_FORM_MASK |
			      KMP_FORM_END_MARK;
	struct kmp_page page = entry->page;

	if (entry->stack)
		return entry->stack;
	page.form &= kept;
	page.task = page.gfp = page.charge = page.reason = page.extra = KMP_NONE;
	char *text = print_page(sorter, &page);

	if (!text)
		return NULL;
	const char *below = strchr(text, '\n') + 1;

	/* Without the empty line at its end. */
	entry->stack = strndup(below, strlen(below) - 1);
	free(text);
	return entry->stack;
}

static int compare_texts(struct sorter *sorter, const char *a, const char *b)
{
	if (a && b)
		return strcmp(a, b);
	sorter->failed = true;
	return 0;
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_signed(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int compare_names(const struct sorter *sorter, uint32_t a, uint32_t b)
{
	const char *x = kmp_ledger_text(sorter->ledger, KMP_DICT_COMM, a, NULL);
	const char *y = kmp_ledger_text(sorter->ledger, KMP_DICT_COMM, b, NULL);

	return strcmp(x ? x : "", y ? y : "");
}

static int compare_by(struct sorter *sorter, enum sort_key key, struct sort_entry *a,
		      struct sort_entry *b)
{
	struct kmp_task x = sorter_task(sorter->ledger, &a->page);
	struct kmp_task y = sorter_task(sorter->ledger, &b->page);

	switch (key) {
	case SORT_TIMES:
		return compare_numbers(a->page.records, b->page.records);
	case SORT_PAGES:
		return compare_numbers(a->page.pages, b->page.pages);
	case SORT_PID:
		return compare_signed(x.pid, y.pid);
	case SORT_TGID:
		return compare_signed(x.tgid, y.tgid);
	case SORT_NAME:
		return compare_names(sorter, x.comm, y.comm);
	case SORT_STACK:
		return compare_texts(sorter, sorter_stack(sorter, a), sorter_stack(sorter, b));
	case SORT_ALLOC_TIME:
		return compare_numbers(a->page.ts, b->page.ts);
	case SORT_FREE_TIME:
		return compare_numbers(a->page.free_ts, b->page.free_ts);
	case SORT_TEXT:
		return compare_texts(sorter, sorter_text(sorter, a), sorter_text(sorter, b));
	case SORT_ALLOCATOR:
		return compare_numbers(a->allocator, b->allocator);
	case SORT_KEYS:
		break;
	}
	return 0;
}

static int compare_culled(struct sorter *sorter, struct sort_entry *a, struct sort_entry *b)
{
	static const enum sort_key keys[] = { SORT_STACK, SORT_PID, SORT_TGID, SORT_NAME };
	uint32_t cull = sorter->rules->cull;
	int result = 0;

	for (size_t i = 0; !result && i < sizeof(keys) / sizeof(*keys); i++) {
		if (cull & 1u << keys[i])
			result = compare_by(sorter, keys[i], a, b);
	}
	if (!result && (cull & 1 << SORT_FREE_TIME))
		result = compare_signed(a->page.free_ts != 0, b->page.free_ts != 0);
	if (!result && (cull & 1 << SORT_ALLOCATOR))
		result = compare_by(sorter, SORT_ALLOCATOR, a, b);
	return result;
}

/* What the order leaves equal comes in the order of what tells the entries apart. */
static int compare_entries(const void *left, const void *right, void *arg)
{
	struct sort_entry *a = *(struct sort_entry *const *)left;
	struct sort_entry *b = *(struct sort_entry *const *)right;
	struct sorter *sorter = arg;
	const struct sort_rules *rules = sorter->rules;

	for (size_t i = 0; i < rules->order_count; i++) {
		int result = compare_by(sorter, rules->order[i].key, a, b);

		if (result)
			return rules->order[i].descending ? -result : result;
	}
	return rules->cull ? compare_culled(sorter, a, b) : compare_by(sorter, SORT_TEXT, a, b);
}

/* Pointers are sorted, so that texts made on the way stay with their entries. */
struct kmp_error *sorter_sort(struct sorter *sorter)
{
	sorter->sorted = calloc(sorter->count + 1, sizeof(*sorter->sorted));
	if (!sorter->sorted)
		return kmp_error_new(KMP_ERROR_MEMORY, "out of memory");
	for (size_t i = 0; i < sorter->count; i++)
		sorter->sorted[i] = &sorter->entries[i];
	qsort_r(sorter->sorted, sorter->count, sizeof(*sorter->sorted), compare_entries, sorter);
	if (sorter->failed)
		return kmp_error_new(KMP_ERROR_MEMORY, "out of memory");
	return NULL;
}

static void print_allocator(uint32_t allocator, FILE *out)
{
	fprintf(out, "allocated by %s%s%s%s", allocator & ALLOCATOR_CMA ? "CMA " : "",
		allocator & ALLOCATOR_SLAB ? "SLAB " : "",
		allocator & ALLOCATOR_VMALLOC ? "VMALLOC " : "",
		allocator & ALLOCATOR_OTHERS ? "OTHERS " : "");
}

static void print_task(const struct sorter *sorter, const struct sort_entry *entry, FILE *out)
{
	const struct sort_rules *rules = sorter->rules;
	struct kmp_task task = sorter_task(sorter->ledger, &entry->page);
	const char *comm = kmp_ledger_text(sorter->ledger, KMP_DICT_COMM, task.comm, NULL);

	if ((rules->cull & 1 << SORT_PID) || rules->pids.given)
		fprintf(out, ", PID %" PRId64, task.pid);
	if ((rules->cull & 1 << SORT_TGID) || rules->tgids.given)
		fprintf(out, ", TGID %" PRId64, task.tgid);
	if ((rules->cull & 1 << SORT_NAME) || rules->names.given)
		fprintf(out, ", task_comm_name: %s", comm ? comm : "");
}

static bool print_culled(const struct sorter *sorter, struct sort_entry *entry, FILE *out)
{
	uint32_t cull = sorter->rules->cull;

	print_task(sorter, entry, out);
	if (cull & 1 << SORT_ALLOCATOR) {
		fputs(", ", out);
		print_allocator(entry->allocator, out);
	}
	if (cull & 1 << SORT_FREE_TIME)
		fprintf(out, " (%s)", entry->page.free_ts ? "UNRELEASED" : "RELEASED");
	if (cull & 1 << SORT_STACK) {
		const char *stack = sorter_stack(sorter, entry);

		if (!stack)
			return false;
		fprintf(out, ":\n%s", stack);
	}
	fputc('\n', out);
	return true;
}

static bool print_whole(const struct sorter *sorter, struct sort_entry *entry, FILE *out)
{
	const char *text = sorter_text(sorter, entry);

	if (!text)
		return false;
	fputs(", ", out);
	print_allocator(entry->allocator, out);
	fprintf(out, ":\n%s", text);
	return true;
}

struct kmp_error *sorter_print(struct sorter *sorter, FILE *out)
{
	for (size_t i = 0; i < sorter->count; i++) {
		struct sort_entry *entry = sorter->sorted[i];

		fprintf(out, "%" PRIu64 " times, %" PRIu64 " pages", entry->page.records,
			entry->page.pages);
		if (!(sorter->rules->cull ? print_culled : print_whole)(sorter, entry, out))
			return kmp_error_new(KMP_ERROR_MEMORY, "out of memory");
	}
	if (ferror(out))
		return kmp_error_system(errno, "output", "cannot write");
	return NULL;
}
