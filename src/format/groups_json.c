// SPDX-License-Identifier: GPL-2.0-only
/*
 * Groups as JSON; docs/json.md is the description.
 */
#include <string.h>

#include "format/json.h"
#include "format/utf8.h"
#include "format/views.h"

static void told(struct kmp_json *json, const char *name, const char *text, bool raw)
{
	if (!text || !*text)
		kmp_json_null(json, name);
	else if (raw)
		kmp_json_bytes(json, name, text, strlen(text));
	else
		kmp_json_text(json, name, text, strlen(text));
}

static bool plain(const char *text)
{
	return !text || kmp_utf8_valid(text, strlen(text));
}

static void true_member(struct kmp_json *json, const char *name, bool value)
{
	if (value)
		kmp_json_bool(json, name, true);
}

static void write_source(struct kmp_json *json, const struct kmp_facts *facts)
{
	bool raw = !plain(facts->name) || !plain(facts->kind) || !plain(facts->mode) ||
		   !plain(facts->kernel);

	kmp_json_open(json, "source", '{');
	told(json, "name", facts->name, raw);
	told(json, "kind", facts->kind, raw);
	told(json, "mode", facts->mode, raw);
	told(json, "kernel", facts->kernel, raw);
	if (facts->time)
		kmp_json_number(json, "time", (int64_t)facts->time);
	true_member(json, "profiling_off", facts->profiling_off);
	true_member(json, "top_only", facts->top_only);
	true_member(json, "latin1", raw);
	kmp_json_close(json, '}');
}

static void figure(struct kmp_json *json, const char *name, int64_t value, bool unknown)
{
	if (unknown)
		kmp_json_null(json, name);
	else
		kmp_json_number(json, name, value);
}

/* The members that stand for sums, in totals and in groups that are no difference. */
static void write_sums(struct kmp_json *json, const struct kmp_groups *groups,
		       const struct kmp_sums *sums)
{
	if (groups->unit != KMP_UNIT_PAGES) {
		kmp_json_number(json, "bytes", sums->bytes);
		kmp_json_number(json, "calls", sums->records);
		if (groups->unit == KMP_UNIT_OBJECTS)
			return;
		kmp_json_number(json, "locations", sums->members);
		kmp_json_number(json, "inaccurate", sums->inaccurate);
		return;
	}
	figure(json, "records", sums->records, groups->records_unknown);
	kmp_json_number(json, "pages", sums->pages);
	kmp_json_number(json, "bytes", sums->bytes);
}

static void write_totals(struct kmp_json *json, const struct kmp_groups *groups)
{
	const struct kmp_losses *losses = &groups->losses;

	kmp_json_open(json, "totals", '{');
	write_sums(json, groups, &groups->total);
	kmp_json_number(json, "skipped", (int64_t)losses->skipped);
	kmp_json_number(json, "dropped", (int64_t)losses->dropped);
	kmp_json_number(json, "cut", (int64_t)losses->cut);
	if (losses->skipped) {
		bool raw = !plain(losses->first_reason);

		if (losses->first_line)
			kmp_json_number(json, "skipped_first_line", (int64_t)losses->first_line);
		told(json, "skipped_first_reason", losses->first_reason, raw);
		true_member(json, "latin1", raw);
	}
	kmp_json_close(json, '}');
}

static void write_side(struct kmp_json *json, const char *name, const struct kmp_groups *groups,
		       const struct kmp_facts *facts, const struct kmp_sums *sums)
{
	kmp_json_open(json, name, '{');
	write_source(json, facts);
	write_sums(json, groups, sums);
	kmp_json_close(json, '}');
}

static void write_value(struct kmp_json *json, const char *name, const struct kmp_value *value,
			bool raw)
{
	void (*text)(struct kmp_json *, const char *, const char *, size_t) =
		raw ? kmp_json_bytes : kmp_json_text;

	switch (value->kind) {
	case KMP_VALUE_NONE:
		kmp_json_null(json, name);
		break;
	case KMP_VALUE_NUMBER:
		kmp_json_number(json, name, value->number);
		break;
	case KMP_VALUE_TEXT:
		text(json, name, value->text, value->len);
		break;
	case KMP_VALUE_STACK:
		kmp_json_open(json, name, value->depth ? '[' : '{');
		for (size_t i = 0; i < value->depth; i++)
			text(json, NULL, value->frames[i], strlen(value->frames[i]));
		if (!value->depth)
			kmp_json_number(json, "handle", value->number);
		kmp_json_close(json, value->depth ? ']' : '}');
		break;
	}
}

/* Does the group hold a text that is not UTF-8? */
static bool group_is_raw(const struct kmp_groups *groups, const struct kmp_group *group)
{
	for (size_t i = 0; i < groups->key_count; i++) {
		const struct kmp_value *value = &group->key[i];

		if (value->kind == KMP_VALUE_TEXT && !kmp_utf8_valid(value->text, value->len))
			return true;
		for (size_t f = 0; value->kind == KMP_VALUE_STACK && f < value->depth; f++) {
			if (!plain(value->frames[f]))
				return true;
		}
	}
	for (size_t i = 0; i < groups->extra_count; i++) {
		const struct kmp_value *value = &group->extras[i];

		if (value->kind == KMP_VALUE_TEXT && !kmp_utf8_valid(value->text, value->len))
			return true;
	}
	return !plain(group->note);
}

static void write_keys(struct kmp_json *json, const struct kmp_groups *groups,
		       const struct kmp_group *group, bool raw)
{
	for (size_t i = 0; i < groups->key_count; i++)
		write_value(json, groups->keys[i], &group->key[i], raw);
}

static void write_share(struct kmp_json *json, const struct kmp_groups *groups,
			const struct kmp_group *group)
{
	if (groups->total.bytes > 0)
		kmp_json_real(json, "share",
			      (double)group->now.bytes / (double)groups->total.bytes);
	else
		kmp_json_null(json, "share");
}

static void write_change(struct kmp_json *json, const struct kmp_groups *groups,
			 const struct kmp_group *group)
{
	const struct kmp_sums *now = &group->now, *before = &group->before;
	bool no_now = group->unknown && kmp_sums_empty(now);
	bool no_before = group->unknown && kmp_sums_empty(before);
	bool tags = groups->unit != KMP_UNIT_PAGES;
	bool no_records = !tags && groups->records_unknown;

	figure(json, tags ? "calls" : "records", now->records, no_now || no_records);
	figure(json, tags ? "calls_before" : "records_before", before->records,
	       no_before || no_records);
	if (!tags) {
		figure(json, "pages", now->pages, no_now);
		figure(json, "pages_before", before->pages, no_before);
	}
	figure(json, "bytes", now->bytes, no_now);
	figure(json, "bytes_before", before->bytes, no_before);
	figure(json, "delta",
	       tags ? kmp_minus(now->bytes, before->bytes) : kmp_minus(now->pages, before->pages),
	       group->unknown);
	if (!tags)
		figure(json, "delta_bytes", kmp_minus(now->bytes, before->bytes), group->unknown);
	true_member(json, "unknown", group->unknown);
}

static void write_group(struct kmp_json *json, const struct kmp_groups *groups,
			const struct kmp_group *group, bool location)
{
	bool raw = group_is_raw(groups, group);

	kmp_json_open(json, NULL, '{');
	if (location) {
		write_keys(json, groups, group, raw);
		kmp_json_number(json, "bytes", group->now.bytes);
		kmp_json_number(json, "calls", group->now.records);
		if (group->now.members)
			kmp_json_bool(json, "accurate", group->now.inaccurate == 0);
		else
			kmp_json_null(json, "accurate");
	} else {
		kmp_json_open(json, "key", '{');
		write_keys(json, groups, group, raw);
		kmp_json_close(json, '}');
		if (groups->difference) {
			write_change(json, groups, group);
		} else {
			write_sums(json, groups, &group->now);
			write_share(json, groups, group);
		}
	}
	if (group->ts_first != KMP_UNKNOWN)
		kmp_json_number(json, "ts_first", (int64_t)group->ts_first);
	if (group->ts_last != KMP_UNKNOWN)
		kmp_json_number(json, "ts_last", (int64_t)group->ts_last);
	for (size_t i = 0; i < groups->extra_count; i++)
		write_value(json, groups->extras[i].name, &group->extras[i], raw);
	true_member(json, "approximate", group->approximate);
	if (group->note)
		told(json, "note", group->note, raw);
	true_member(json, "latin1", raw);
	kmp_json_close(json, '}');
}

static void write_left_out(struct kmp_json *json, const struct kmp_groups *groups, size_t shown)
{
	struct kmp_group rest = { .ts_first = KMP_UNKNOWN };

	kmp_groups_rest(groups, shown, &rest.now, &rest.before);
	kmp_json_open(json, "left_out", '{');
	kmp_json_number(json, "groups", (int64_t)(groups->count - shown));
	if (groups->difference)
		write_change(json, groups, &rest);
	else
		write_sums(json, groups, &rest.now);
	kmp_json_close(json, '}');
}

static void write_warnings(struct kmp_json *json, const struct kmp_groups *groups)
{
	bool raw = false;

	for (size_t i = 0; i < groups->warning_count; i++)
		raw |= !plain(groups->warnings[i]);
	kmp_json_open(json, "warnings", '[');
	for (size_t i = 0; i < groups->warning_count; i++)
		(raw ? kmp_json_bytes : kmp_json_text)(json, NULL, groups->warnings[i],
						       strlen(groups->warnings[i]));
	kmp_json_close(json, ']');
	true_member(json, "latin1", raw);
}

void kmp_groups_json_begin(struct kmp_json *json, const struct kmp_groups *groups,
			   const struct kmp_view *view, FILE *out)
{
	kmp_json_init(json, out);
	kmp_json_open(json, NULL, '{');
	told(json, "kmemprof", kmp_version(), false);
	told(json, "verb", view->verb, false);
	write_source(json, &groups->facts);
	write_totals(json, groups);
	if (groups->difference) {
		write_side(json, "from", groups, &groups->facts_before, &groups->total_before);
		write_side(json, "to", groups, &groups->facts, &groups->total);
	}
}

void kmp_groups_json_key(struct kmp_json *json, const struct kmp_groups *groups,
			 const struct kmp_group *group)
{
	bool raw = group_is_raw(groups, group);

	kmp_json_open(json, "key", '{');
	write_keys(json, groups, group, raw);
	kmp_json_close(json, '}');
	true_member(json, "latin1", raw);
}

void kmp_groups_json_end(struct kmp_json *json, const struct kmp_groups *groups)
{
	write_warnings(json, groups);
	kmp_json_close(json, '}');
}

struct kmp_error *kmp_groups_json(const struct kmp_groups *groups, FILE *out,
				  const struct kmp_view *view)
{
	bool locations = kmp_groups_are_locations(groups) && !groups->difference;
	size_t shown = view_shown(groups, view);
	struct kmp_json json;

	kmp_groups_json_begin(&json, groups, view, out);
	kmp_json_open(&json, locations ? "tags" : "groups", '[');
	for (size_t i = 0; i < shown; i++)
		write_group(&json, groups, &groups->groups[i], locations);
	kmp_json_close(&json, ']');
	if (shown < groups->count)
		write_left_out(&json, groups, shown);
	kmp_groups_json_end(&json, groups);
	return NULL;
}
