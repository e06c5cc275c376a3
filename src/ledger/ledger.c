// SPDX-License-Identifier: GPL-2.0-only
#include "ledger/ledger.h"

#include <stdarg.h>

#include "base/cleanup.h"

struct kmp_error *kmp_ledger_create(struct kmp_ledger **out)
{
	static uint64_t serials;
	struct kmp_ledger *ledger = calloc(1, sizeof(*ledger));

	if (!ledger)
		return &kmp_error_no_memory;
	ledger->serial = __atomic_add_fetch(&serials, 1, __ATOMIC_RELAXED);
	ledger->facts = (struct kmp_facts){
		.name = "", .kind = "", .mode = "", .kernel = "", .page_size = 4096
	};
	ledger->losses.first_reason = "";
	*out = ledger;
	return NULL;
}

void kmp_ledger_destroy(struct kmp_ledger *ledger)
{
	if (!ledger)
		return;
	for (size_t i = 0; i < KMP_DICT_COUNT; i++)
		kmp_pool_deinit(&ledger->dicts[i]);
	kmp_pool_deinit(&ledger->names);
	vec_deinit(&ledger->addresses);
	vec_deinit(&ledger->places);
	vec_deinit(&ledger->trace_frames);
	vec_deinit(&ledger->traces);
	kmp_index_deinit(&ledger->trace_index);
	vec_deinit(&ledger->stacks);
	kmp_index_deinit(&ledger->stack_index);
	kmp_index_deinit(&ledger->handle_index);
	kmp_index_deinit(&ledger->traced_index);
	vec_deinit(&ledger->tasks);
	kmp_index_deinit(&ledger->task_index);
	vec_deinit(&ledger->charges);
	kmp_index_deinit(&ledger->charge_index);
	vec_deinit(&ledger->zones);
	vec_deinit(&ledger->pages);
	vec_deinit(&ledger->tags);
	vec_deinit(&ledger->warnings);
	free(ledger);
}

size_t kmp_ledger_count(const struct kmp_ledger *ledger, enum kmp_list list)
{
	switch (list) {
	case KMP_LIST_TRACES:
		return ledger->traces.len;
	case KMP_LIST_STACKS:
		return ledger->stacks.len;
	case KMP_LIST_TASKS:
		return ledger->tasks.len;
	case KMP_LIST_CHARGES:
		return ledger->charges.len;
	case KMP_LIST_PAGES:
		return ledger->pages.len;
	case KMP_LIST_TAGS:
		return ledger->tags.len;
	case KMP_LIST_WARNINGS:
		return ledger->warnings.len;
	}
	return 0;
}

struct kmp_error *kmp_ledger_name(struct kmp_ledger *ledger, const char *text, size_t len,
				  const char **out)
{
	uint32_t id;

	try(kmp_pool_intern(&ledger->names, text, len, &id));
	*out = ledger->names.strings.data[id].text;
	return NULL;
}

const struct kmp_facts *kmp_ledger_facts(const struct kmp_ledger *ledger)
{
	return &ledger->facts;
}

struct kmp_error *kmp_ledger_set_facts(struct kmp_ledger *ledger, const struct kmp_facts *facts)
{
	struct kmp_facts copy = *facts;
	const char **strings[] = { &copy.name, &copy.kind, &copy.mode, &copy.kernel };

	for (size_t i = 0; i < sizeof(strings) / sizeof(*strings); i++) {
		const char *text = *strings[i] ? *strings[i] : "";

		try(kmp_ledger_name(ledger, text, strlen(text), strings[i]));
	}
	ledger->facts = copy;
	return NULL;
}

const struct kmp_losses *kmp_ledger_losses(const struct kmp_ledger *ledger)
{
	return &ledger->losses;
}

struct kmp_error *kmp_ledger_add_skipped(struct kmp_ledger *ledger, uint64_t line,
					 const char *reason)
{
	if (!ledger->losses.skipped++) {
		ledger->losses.first_line = line;
		try(kmp_ledger_name(ledger, reason, strlen(reason), &ledger->losses.first_reason));
	}
	return NULL;
}

void kmp_ledger_add_losses(struct kmp_ledger *ledger, uint64_t dropped, uint64_t cut)
{
	ledger->losses.dropped += dropped;
	ledger->losses.cut += cut;
}

struct kmp_error *kmp_ledger_warn(struct kmp_ledger *ledger, const char *fmt, ...)
{
	auto_free char *text = NULL;
	const char *kept;
	va_list args;

	va_start(args, fmt);
	int len = vasprintf(&text, fmt, args);
	va_end(args);
	if (len < 0) {
		text = NULL;
		return &kmp_error_no_memory;
	}
	try(kmp_ledger_name(ledger, text, (size_t)len, &kept));
	for (size_t i = 0; i < ledger->warnings.len; i++) {
		if (ledger->warnings.data[i] == kept)
			return NULL;
	}
	return vec_push(&ledger->warnings, kept);
}

const char *kmp_ledger_warning(const struct kmp_ledger *ledger, size_t number)
{
	return number < ledger->warnings.len ? ledger->warnings.data[number] : NULL;
}

struct kmp_error *kmp_ledger_set_zone(struct kmp_ledger *ledger, int32_t node, int32_t zone,
				      const char *name)
{
	uint32_t id;

	try(kmp_pool_intern(&ledger->names, name, strlen(name), &id));
	return vec_push(&ledger->zones, (struct kmp_zone_name){ node, zone, id });
}

const char *kmp_ledger_zone_name(const struct kmp_ledger *ledger, int32_t node, int32_t zone)
{
	for (size_t i = 0; i < ledger->zones.len; i++) {
		const struct kmp_zone_name *z = &ledger->zones.data[i];

		if (z->node == node && z->zone == zone)
			return ledger->names.strings.data[z->name].text;
	}
	return NULL;
}

const struct kmp_page *kmp_ledger_pages(const struct kmp_ledger *ledger)
{
	return ledger->pages.data;
}

struct kmp_error *kmp_ledger_add_pages(struct kmp_ledger *ledger, const struct kmp_page *pages,
				       size_t count)
{
	return vec_append(&ledger->pages, pages, count);
}

const struct kmp_tag *kmp_ledger_tags(const struct kmp_ledger *ledger)
{
	return ledger->tags.data;
}

struct kmp_error *kmp_ledger_add_tag(struct kmp_ledger *ledger, const struct kmp_tag *tag)
{
	struct kmp_tag copy = *tag;
	const char **strings[] = { &copy.file, &copy.function, &copy.module, &copy.extra };

	for (size_t i = 0; i < sizeof(strings) / sizeof(*strings); i++) {
		const char *text = *strings[i] ? *strings[i] : "";

		try(kmp_ledger_name(ledger, text, strlen(text), strings[i]));
	}
	return vec_push(&ledger->tags, copy);
}

void kmp_ledger_clear(struct kmp_ledger *ledger)
{
	ledger->pages.len = ledger->tags.len = 0;
	ledger->losses = (struct kmp_losses){ .first_reason = "" };
}

const struct kmp_page kmp_page_blank = { KMP_PAGE_BLANK };

static struct kmp_error *keep_pages(void *arg, struct kmp_ledger *ledger,
				    const struct kmp_page *pages, size_t count)
{
	(void)arg;
	return kmp_ledger_add_pages(ledger, pages, count);
}

const struct kmp_sink kmp_keep_pages = { keep_pages, NULL, KMP_COLUMN_ALL };
