// SPDX-License-Identifier: GPL-2.0-only
#include "cli/fleet/gather-names.h"

#include <string.h>
#include <xxhash.h>

#include "base/cleanup.h"

DEFINE_CLEANUP(grouping, struct kmp_grouping *, kmp_grouping_destroy)
DEFINE_CLEANUP(groups, struct kmp_groups *, kmp_groups_destroy)

/* An owner of this id; *row is where the rest of its row is to be written, or NULL: it has one. */
static struct kmp_error *find_owner(struct gather_kind *kind, uint64_t id, uint32_t *owner,
				    struct row_writer **row)
{
	bool added;

	*row = NULL;
	try(ids_add(&kind->ids, id, (uint32_t)kind->owners.len, owner, &added));
	if (!added)
		return NULL;
	try(grow_push(&kind->owners,
		      (struct gather_owner){ .id = id, .name = kind->names.bytes.len }));
	*row = &kind->names;
	return row_put_u64(*row, id);
}

static void end_row(struct gather_kind *kind)
{
	struct gather_owner *owner = &kind->owners.data[kind->owners.len - 1];

	owner->name_len = kind->names.bytes.len - owner->name;
}

struct kmp_error *gather_nobody(struct gather *gather, enum schema_kind kind, uint32_t *owner)
{
	struct row_writer *row;

	try(find_owner(&gather->kinds[kind], 0, owner, &row));
	/* It needs no name. */
	if (row)
		row->bytes.len = gather->kinds[kind].owners.data[*owner].name;
	return NULL;
}

/* `name [module]` of `name+0x12/0x34 [module]`; what has another form stays as it is. */
static struct kmp_error *put_frame(struct row_writer *row, const char *frame)
{
	const char *plus = strchr(frame, '+');
	char text[512];

	if (!plus || plus == frame)
		return row_put_string(row, frame);
	const char *module = strstr(plus, " [");
	int len = (int)kmp_fingerprint_length(frame, (size_t)(plus - frame));

	if (snprintf(text, sizeof(text), "%.*s%s", len, frame, module ? module : "") >=
	    (int)sizeof(text))
		return row_put_string(row, frame);
	return row_put_string(row, text);
}

static struct kmp_error *put_name(struct row_writer *row, const struct kmp_value *value, bool plain)
{
	if (value->kind != KMP_VALUE_TEXT)
		return row_put_text(row, "", 0);
	return row_put_text(row, value->text,
			    plain ? kmp_fingerprint_length(value->text, value->len) : value->len);
}

/* The group is of stack, function, module. */
static struct kmp_error *name_stack(struct gather_kind *kind, const struct kmp_value *key,
				    uint32_t *owner)
{
	struct row_writer *row;

	try(find_owner(kind, kmp_fingerprint(&key[0]), owner, &row));
	if (!row)
		return NULL;
	try(put_name(row, &key[1], true));
	try(put_name(row, &key[2], false));
	try(row_put_length(row, key[0].depth));
	for (size_t i = 0; i < key[0].depth; i++)
		try(put_frame(row, key[0].frames[i]));
	end_row(kind);
	return NULL;
}

/* One page owner each, so that groups can be told by when they came. */
static struct kmp_error *group_stacks(struct gather *gather, const uint32_t *stacks, size_t count,
				      struct kmp_groups **groups)
{
	struct kmp_grouping *grouping cleanup(cleanup_grouping) = NULL;

	try(kmp_grouping_create(gather->ledger, "stack,function,module", NULL, &grouping));
	struct kmp_sink sink = kmp_grouping_sink(grouping);

	for (size_t i = 0; i < count; i++) {
		const struct kmp_page page = { .pfn = KMP_UNKNOWN,
					       .block = KMP_UNKNOWN,
					       .ts = KMP_UNKNOWN,
					       .free_ts = KMP_UNKNOWN,
					       .records = 1,
					       .pages = 1,
					       .stack = stacks[i],
					       .task = KMP_NONE,
					       .gfp = KMP_NONE,
					       .flags = KMP_NONE,
					       .charge = KMP_NONE,
					       .type = KMP_NONE,
					       .block_type = KMP_NONE,
					       .reason = KMP_NONE,
					       .extra = KMP_NONE };

		try(sink.pages(sink.arg, gather->ledger, &page, 1));
	}
	return kmp_grouping_finish(no_free(grouping), groups);
}

struct kmp_error *gather_name_stacks(struct gather *gather, const uint32_t *stacks, size_t count)
{
	struct kmp_groups *groups cleanup(cleanup_groups) = NULL;

	if (!count)
		return NULL;
	try(group_stacks(gather, stacks, count, &groups));
	for (size_t i = 0; i < groups->count; i++) {
		const struct kmp_group *group = &groups->groups[i];

		if (groups->count != count || group->seen >= count)
			return kmp_error_new(KMP_ERROR_INPUT, "two traces have the same frames");
		try(name_stack(&gather->kinds[SCHEMA_STACK], group->key,
			       &gather->owner_of_stack.data[stacks[group->seen]]));
	}
	return NULL;
}

struct kmp_error *gather_name_comm(struct gather *gather, uint32_t comm, uint32_t *owner)
{
	struct gather_kind *kind = &gather->kinds[SCHEMA_TASK];
	struct row_writer *row;
	size_t len;

	if (comm == KMP_NONE)
		return gather_nobody(gather, SCHEMA_TASK, owner);
	const char *text = kmp_ledger_text(gather->ledger, KMP_DICT_COMM, comm, &len);

	try(find_owner(kind, XXH64(text, len, 1), owner, &row));
	if (!row)
		return NULL;
	try(row_put_text(row, text, len));
	end_row(kind);
	return NULL;
}

struct kmp_error *gather_name_tag(struct gather *gather, const struct kmp_value *key,
				  uint32_t *owner)
{
	struct gather_kind *kind = &gather->kinds[SCHEMA_TAG];
	struct row_writer *row;
	uint64_t id = 2;

	for (int i = 0; i < 4; i++) {
		bool number = key[i].kind == KMP_VALUE_NUMBER;

		id = XXH64(number ? (const void *)&key[i].number : key[i].text,
			   number ? sizeof(key[i].number) : key[i].len, id);
	}
	try(find_owner(kind, id, owner, &row));
	if (!row)
		return NULL;
	try(put_name(row, &key[0], false));
	try(put_name(row, &key[1], false));
	try(row_put_u32(row, key[2].kind == KMP_VALUE_NUMBER ? (uint32_t)key[2].number : 0));
	try(put_name(row, &key[3], false));
	end_row(kind);
	return NULL;
}
