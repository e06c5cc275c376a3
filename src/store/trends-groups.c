// SPDX-License-Identifier: GPL-2.0-only
#include "base/path.h"
#include "store/trends.h"

static struct kmp_error *init(struct kmp_series_groups *g, const struct kmp_trend_options *options,
			      size_t index)
{
	if (g->tags) {
		try(kmp_tag_keys_parse(&g->tag_keys, options->keys));
		try(kmp_builder_init(&g->builder, KMP_UNIT_TAGS, g->tag_keys.names,
				     g->tag_keys.count));
	} else {
		const char *names[KMP_KEY_COUNT];

		try(kmp_group_keys_parse(options->keys ? options->keys : "stack", g->keys,
					 &g->key_count));
		for (size_t k = 0; k < g->key_count; k++)
			names[k] = kmp_group_key_names[g->keys[k]];
		try(kmp_builder_init(&g->builder, KMP_UNIT_PAGES, names, g->key_count));
	}
	try(kmp_ledger_create(&g->ledger));
	return kmp_history_facts(g->history, index, g->ledger);
}

struct kmp_error *kmp_series_groups_init(struct kmp_series_groups *g, struct kmp_history *history,
					 const struct kmp_trend_options *options, size_t index)
{
	*g = (struct kmp_series_groups){ .history = history,
					 .filter = options->filter,
					 .tags = options->tags };
	struct kmp_error *err = init(g, options, index);

	if (err)
		kmp_series_groups_deinit(g);
	return err;
}

static struct kmp_error *group_of_pages(struct kmp_series_groups *g, uint32_t series,
					struct kmp_group **group)
{
	struct kmp_value values[KMP_KEY_COUNT];
	struct kmp_page page;
	const struct kmp_page *pages[] = { &page };

	*group = NULL;
	try(kmp_history_page(g->history, series, g->ledger, &page));
	if (g->filter && !kmp_filter_match(g->filter, g->ledger, &page))
		return NULL;
	/* An order that is told is told by records, which are not read here. */
	page.records = g->history->series.keys.data[series].order != KMP_NONE;
	for (size_t k = 0; k < g->key_count; k++) {
		uint32_t part;

		try(kmp_parts_of(&g->parts, g->ledger, g->keys[k], pages, 1, &part));
		try(kmp_part_value(&g->parts, g->ledger, g->keys[k], part, &values[k]));
	}
	return kmp_builder_group(&g->builder, values, group);
}

static struct kmp_error *group_of_tag(struct kmp_series_groups *g, uint32_t series,
				      struct kmp_group **group)
{
	struct kmp_value values[KMP_TAG_KEYS];
	struct kmp_tag tag;

	try(kmp_history_tag(g->history, series, g->ledger, &tag));
	size_t len = strlen(tag.file);

	g->path.len = 0;
	try(vec_reserve(&g->path, len + 2));
	len = kmp_path_normalise(tag.file, len, g->path.data);
	const struct kmp_tag_parts parts = { g->path.data, len,
					     tag.module,   strlen(tag.module),
					     tag.function, strlen(tag.function),
					     tag.line };

	for (size_t k = 0; k < g->tag_keys.count; k++)
		values[k] = kmp_tag_key_value(&parts, g->tag_keys.list[k]);
	struct kmp_error *err = kmp_builder_group(&g->builder, values, group);

	if (!err)
		(*group)->now.members++;
	return err;
}

struct kmp_error *kmp_series_group(struct kmp_series_groups *g, uint32_t series, uint32_t *number)
{
	struct kmp_group *group = NULL;

	while (g->group_of.len <= series)
		try(vec_push(&g->group_of, 0));
	if (!g->group_of.data[series]) {
		bool is_tag = g->history->series.keys.data[series].location != KMP_NONE;

		if (is_tag && g->tags)
			try(group_of_tag(g, series, &group));
		else if (!is_tag && !g->tags)
			try(group_of_pages(g, series, &group));
		g->group_of.data[series] =
			group ? (uint32_t)(group - g->builder.groups.data) + 2 : 1;
	}
	*number = g->group_of.data[series] == 1 ? KMP_NONE : g->group_of.data[series] - 2;
	return NULL;
}

void kmp_series_groups_deinit(struct kmp_series_groups *g)
{
	kmp_parts_deinit(&g->parts);
	kmp_builder_deinit(&g->builder);
	kmp_ledger_destroy(g->ledger);
	vec_deinit(&g->group_of);
	vec_deinit(&g->path);
}
