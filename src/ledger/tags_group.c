// SPDX-License-Identifier: GPL-2.0-only
/* Tags by file, function, module, …, with notes on what must not be taken at its face value. */
#include "base/cleanup.h"
#include "ledger/groups.h"
#include "ledger/locations.h"
#include "ledger/tag_keys.h"

/* Functions whose memory is another's, or the price of looking. */
static const struct special {
	const char *function;
	const char *alone;
	const char *among;
} specials[] = {
	{ "alloc_slab_page", "slab backing pages: the same memory as the objects', do not add",
	  "includes slab backing pages, the same memory as the objects'" },
	{ "alloc_page_ext", "cost of page_owner/page_ext itself",
	  "includes the cost of page_owner/page_ext itself" },
};

enum { SPECIAL_COUNT = sizeof(specials) / sizeof(*specials) };

/* What a group's note will say. */
struct remarks {
	uint64_t locations;
	uint64_t faults;
	const char *fault; /* the first one */
	uint64_t special[SPECIAL_COUNT];
	const char *printed; /* the file as printed, if normalising changed more than `./` */
	bool respelled;
};

struct grouper {
	struct kmp_builder builder;
	struct kmp_locations locations;
	struct kmp_tag_keys keys;
	VEC(struct remarks) remarks; /* by group */
};

static void grouper_deinit(struct grouper *g)
{
	kmp_builder_deinit(&g->builder);
	kmp_locations_deinit(&g->locations);
	vec_deinit(&g->remarks);
}

static const struct kmp_string *text_of(const struct kmp_locations *locations, uint32_t number)
{
	return &locations->texts.strings.data[number];
}

static void remark(struct grouper *g, struct remarks *r, const struct kmp_location *l)
{
	const char *function = text_of(&g->locations, l->function)->text;
	const char *printed = text_of(&g->locations, l->printed)->text;

	r->locations++;
	if (l->fault && !r->faults++)
		r->fault = l->fault;
	for (size_t i = 0; i < SPECIAL_COUNT; i++)
		r->special[i] += !strcmp(function, specials[i].function);
	if (!kmp_tag_keys_have(&g->keys, KMP_TAG_FILE))
		return;
	r->respelled |= l->respelled || (r->printed && strcmp(r->printed, printed) != 0);
	if (!r->printed && strstr(printed, "../") && l->file != l->printed)
		r->printed = printed;
}

static struct kmp_error *add_location(struct grouper *g, const struct kmp_location *l)
{
	const struct kmp_string *file = text_of(&g->locations, l->file);
	const struct kmp_string *module = text_of(&g->locations, l->module);
	const struct kmp_string *function = text_of(&g->locations, l->function);
	const struct kmp_tag_parts parts = { file->text,  file->len,	  module->text,
					     module->len, function->text, function->len,
					     l->line };
	struct kmp_value values[KMP_TAG_KEYS];
	struct kmp_group *group;

	for (size_t i = 0; i < g->keys.count; i++)
		values[i] = kmp_tag_key_value(&parts, g->keys.list[i]);
	try(kmp_builder_group(&g->builder, values, &group));
	kmp_sums_add(&group->now, &l->sums);
	group->approximate |= l->approximate;

	size_t number = (size_t)(group - g->builder.groups.data);

	if (number == g->remarks.len)
		try(vec_push(&g->remarks, (struct remarks){ 0 }));
	remark(g, &g->remarks.data[number], l);
	return NULL;
}

static void print_remarks(const struct remarks *r, FILE *f)
{
	const char *gap = "";

	if (r->faults && r->locations == 1)
		fprintf(f, "inconsistent: %s", r->fault);
	else if (r->faults)
		fprintf(f, "inconsistent: %llu of %llu locations, the first with %s",
			(unsigned long long)r->faults, (unsigned long long)r->locations, r->fault);
	if (r->faults)
		gap = "; ";
	for (size_t i = 0; i < SPECIAL_COUNT; i++) {
		if (!r->special[i])
			continue;
		fprintf(f, "%s%s", gap,
			r->special[i] == r->locations ? specials[i].alone : specials[i].among);
		gap = "; ";
	}
	if (r->printed)
		fprintf(f, "%sprinted as %s%s", gap, r->printed,
			r->respelled ? " and otherwise" : "");
}

static struct kmp_error *set_note(struct grouper *g, size_t number)
{
	auto_free char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		return &kmp_error_no_memory;
	print_remarks(&g->remarks.data[number], f);
	if (fclose(f))
		return &kmp_error_no_memory;
	return len ? kmp_builder_text(&g->builder, text, len, &g->builder.groups.data[number].note)
		   : NULL;
}

static bool is_remarkable(const struct remarks *r)
{
	bool special = false;

	for (size_t i = 0; i < SPECIAL_COUNT; i++)
		special |= r->special[i] != 0;
	return special || r->faults || r->printed;
}

static struct kmp_error *check_filter(const struct kmp_tag_filter *filter)
{
	if (filter && filter->has_min_size && filter->has_max_size &&
	    filter->min_size > filter->max_size)
		return kmp_error_new(KMP_ERROR_USAGE,
				     "the smallest size, %lld, is above the largest, %lld",
				     (long long)filter->min_size, (long long)filter->max_size);
	return NULL;
}

struct kmp_error *kmp_tags_group(const struct kmp_ledger *ledger, const char *keys,
				 const struct kmp_tag_filter *filter, struct kmp_groups **groups)
{
	cleanup(grouper_deinit) struct grouper g = { 0 };

	try(check_filter(filter));
	try(kmp_tag_keys_parse(&g.keys, keys));
	try(kmp_locations_fill(&g.locations, ledger, filter));
	try(kmp_builder_init(&g.builder, KMP_UNIT_TAGS, g.keys.names, g.keys.count));
	try(kmp_builder_facts(&g.builder, ledger));
	for (size_t i = 0; i < g.locations.list.len; i++)
		try(add_location(&g, &g.locations.list.data[i]));
	for (size_t i = 0; i < g.remarks.len; i++) {
		if (is_remarkable(&g.remarks.data[i]))
			try(set_note(&g, i));
	}
	return kmp_builder_finish(&g.builder, groups);
}
