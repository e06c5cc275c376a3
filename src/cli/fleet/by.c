// SPDX-License-Identifier: GPL-2.0-only
#include "cli/fleet/by.h"

static const char *const stack[] = { "stack" }, *const function[] = { "function" },
			 *const module[] = { "module" }, *const comm[] = { "comm" },
			 *const file[] = { "file" },
			 *const location[] = { "file", "line", "module", "function" };

/* With --tags, those behind come first. */
static const struct fleet_by list[] = {
	{ "stack", SCHEMA_STACK, NULL, stack, 1 },
	{ "function", SCHEMA_STACK, "function", function, 1 },
	{ "module", SCHEMA_STACK, "module", module, 1 },
	{ "task", SCHEMA_TASK, NULL, comm, 1 },
	{ "comm", SCHEMA_TASK, NULL, comm, 1 },
	{ "file", SCHEMA_TAG, "file", file, 1 },
	{ "function", SCHEMA_TAG, "function", function, 1 },
	{ "module", SCHEMA_TAG, "module", module, 1 },
	{ "tag", SCHEMA_TAG, NULL, location, 4 },
};

enum { COUNT = sizeof(list) / sizeof(*list) };

struct kmp_error *fleet_by_find(const char *name, bool tags, const struct fleet_by **by)
{
	if (!name)
		name = tags ? "tag" : "stack";
	for (size_t i = 0; i < COUNT; i++) {
		const struct fleet_by *it = &list[tags ? COUNT - 1 - i : i];

		if (strcmp(it->name, name) || (tags && it->kind != SCHEMA_TAG))
			continue;
		*by = it;
		return NULL;
	}
	return kmp_error_new(KMP_ERROR_USAGE, "--by: '%.60s' is none of %s", name,
			     tags ? "tag, file, function, module"
				  : "stack, function, module, task, tag, file");
}

enum schema_table fleet_names_table(enum schema_kind kind)
{
	return kind == SCHEMA_STACK ? SCHEMA_STACKS
	       : kind == SCHEMA_TAG ? SCHEMA_TAGS
				    : SCHEMA_TASKS;
}

const char *fleet_names_id(enum schema_kind kind)
{
	return kind == SCHEMA_STACK ? "fingerprint" : kind == SCHEMA_TAG ? "tag" : "task";
}
