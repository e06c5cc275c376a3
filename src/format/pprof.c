// SPDX-License-Identifier: GPL-2.0-only
/*
 * Groups as a profile that `pprof` and its like open (profile.proto). A group is a sample: its
 * stack the locations, its other keys labels, texts all of them (a label that is the number 0 is
 * taken for none by readers). Of a difference each group is two samples, what is there now and,
 * below zero, what was: the latter bear the mark by which pprof knows a base, and adding up gives
 * the change.
 */
#include "format/pprof.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/cleanup.h"
#include "format/views.h"
#include "ledger/allocator_names.h"

enum { VALUES_MAX = 3 };

static int64_t signed_value(int64_t value, bool negate)
{
	return negate ? kmp_minus(0, value) : value;
}

static size_t values_of(const struct kmp_groups *groups, const struct kmp_sums *sums, bool negate,
			int64_t *values)
{
	size_t count = 0;

	if (groups->unit != KMP_UNIT_PAGES || !groups->records_unknown)
		values[count++] = signed_value(sums->records, negate);
	if (groups->unit == KMP_UNIT_PAGES)
		values[count++] = signed_value(sums->pages, negate);
	values[count++] = signed_value(sums->bytes, negate);
	return count;
}

static struct kmp_error *put_sample(struct pprof *p, const struct kmp_sums *sums, bool negate)
{
	Kmemprof__Pprof__Profile part = KMEMPROF__PPROF__PROFILE__INIT;
	Kmemprof__Pprof__Sample sample = KMEMPROF__PPROF__SAMPLE__INIT, *samples = &sample;
	size_t labels = p->labels.len;
	Kmemprof__Pprof__Label **list auto_free = calloc(labels + 1, sizeof(*list));
	int64_t values[VALUES_MAX];

	if (!list)
		return &kmp_error_no_memory;
	for (size_t i = 0; i < labels; i++)
		list[i] = &p->labels.data[i];
	sample.n_location_id = p->stack.len;
	sample.location_id = p->stack.data;
	sample.n_value = values_of(p->groups, sums, negate, values);
	sample.value = values;
	sample.n_label = labels;
	sample.label = list;
	part.n_sample = 1;
	part.sample = &samples;
	return pprof_out_add(&p->out, &part);
}

static struct kmp_error *put_base(struct pprof *p, const struct kmp_sums *sums)
{
	Kmemprof__Pprof__Label base = KMEMPROF__PPROF__LABEL__INIT;

	try(kmp_pprof_word(p, "pprof::base", &base.key));
	try(kmp_pprof_word(p, "true", &base.str));
	try(vec_push(&p->labels, base));
	return put_sample(p, sums, true);
}

static struct kmp_error *put_group(struct pprof *p, const struct kmp_group *group)
{
	if (group->unknown) {
		p->unknown++;
		return NULL;
	}
	try(kmp_pprof_keys(p, group));
	if (!kmp_sums_empty(&group->now) || !p->groups->difference)
		try(put_sample(p, &group->now, false));
	if (p->groups->difference && !kmp_sums_empty(&group->before))
		try(put_base(p, &group->before));
	return NULL;
}

static struct kmp_error *put_type(struct pprof *p, const char *type, const char *unit)
{
	Kmemprof__Pprof__Profile part = KMEMPROF__PPROF__PROFILE__INIT;
	Kmemprof__Pprof__ValueType value = KMEMPROF__PPROF__VALUE_TYPE__INIT, *values = &value;

	try(kmp_pprof_word(p, type, &value.type));
	try(kmp_pprof_word(p, unit, &value.unit));
	part.n_sample_type = 1;
	part.sample_type = &values;
	return pprof_out_add(&p->out, &part);
}

/* In the order of values_of(). */
static struct kmp_error *put_types(struct pprof *p)
{
	if (p->groups->unit != KMP_UNIT_PAGES)
		try(put_type(p, "calls", "count"));
	else if (!p->groups->records_unknown)
		try(put_type(p, "allocations", "count"));
	if (p->groups->unit == KMP_UNIT_PAGES)
		try(put_type(p, "pages", "count"));
	return put_type(p, "bytes", "bytes");
}

static struct kmp_error *put_locations(struct pprof *p)
{
	for (uint32_t i = 0; i < p->locations.strings.len; i++) {
		Kmemprof__Pprof__Profile part = KMEMPROF__PPROF__PROFILE__INIT;
		Kmemprof__Pprof__Location to = KMEMPROF__PPROF__LOCATION__INIT, *all = &to;
		Kmemprof__Pprof__Line line = KMEMPROF__PPROF__LINE__INIT, *lines = &line;
		struct pprof_location from;

		memcpy(&from, p->locations.strings.data[i].text, sizeof(from));
		to.id = (uint64_t)i + 1;
		to.mapping_id = (uint64_t)from.module + 1;
		line.function_id = (uint64_t)from.function + 1;
		line.line = (int64_t)from.line;
		to.n_line = 1;
		to.line = &lines;
		part.n_location = 1;
		part.location = &all;
		try(pprof_out_add(&p->out, &part));
	}
	return NULL;
}

static struct kmp_error *put_functions(struct pprof *p)
{
	for (uint32_t i = 0; i < p->functions.strings.len; i++) {
		Kmemprof__Pprof__Profile part = KMEMPROF__PPROF__PROFILE__INIT;
		Kmemprof__Pprof__Function to = KMEMPROF__PPROF__FUNCTION__INIT, *all = &to;
		struct pprof_function from;

		memcpy(&from, p->functions.strings.data[i].text, sizeof(from));
		to.id = (uint64_t)i + 1;
		to.name = to.system_name = from.name;
		to.filename = from.file;
		part.n_function = 1;
		part.function = &all;
		try(pprof_out_add(&p->out, &part));
	}
	return NULL;
}

/* Names in brackets are no files: readers do not look for symbols in them. */
static struct kmp_error *name_mapping(struct pprof *p, const struct kmp_string *module,
				      int64_t *name)
{
	char *text auto_free = NULL;

	if (asprintf(&text, "[%s]", module->len ? module->text : "kernel") < 0) {
		text = NULL;
		return &kmp_error_no_memory;
	}
	return kmp_pprof_string(p, text, strlen(text), name);
}

static struct kmp_error *put_mappings(struct pprof *p)
{
	for (uint32_t i = 0; i < p->modules.strings.len; i++) {
		Kmemprof__Pprof__Profile part = KMEMPROF__PPROF__PROFILE__INIT;
		Kmemprof__Pprof__Mapping to = KMEMPROF__PPROF__MAPPING__INIT, *all = &to;

		to.id = (uint64_t)i + 1;
		try(name_mapping(p, &p->modules.strings.data[i], &to.filename));
		to.has_functions = true;
		to.has_filenames = to.has_line_numbers = p->has_files.data[i];
		part.n_mapping = 1;
		part.mapping = &all;
		try(pprof_out_add(&p->out, &part));
	}
	return NULL;
}

static struct kmp_error *put_comment(struct pprof *p, const char *fmt, ...) printf_like(2, 3);
static struct kmp_error *put_comment(struct pprof *p, const char *fmt, ...)
{
	Kmemprof__Pprof__Profile part = KMEMPROF__PPROF__PROFILE__INIT;
	char *text auto_free = NULL;
	int64_t place;
	va_list args;

	va_start(args, fmt);
	int len = vasprintf(&text, fmt, args);
	va_end(args);
	if (len < 0) {
		text = NULL;
		return &kmp_error_no_memory;
	}
	try(kmp_pprof_string(p, text, (size_t)len, &place));
	part.n_comment = 1;
	part.comment = &place;
	return pprof_out_add(&p->out, &part);
}

static struct kmp_error *put_facts(struct pprof *p, const char *what, const struct kmp_facts *facts)
{
	bool kernel = facts->kernel && *facts->kernel;

	if (!facts->name || !*facts->name)
		return NULL;
	return put_comment(p, "%s: %s%s%s%s%s", what, facts->name, facts->kind ? ", " : "",
			   facts->kind ? facts->kind : "", kernel ? ", Linux " : "",
			   kernel ? facts->kernel : "");
}

/* What a reader of the figures must know. */
static struct kmp_error *put_comments(struct pprof *p, size_t left_out)
{
	const struct kmp_groups *groups = p->groups;
	const struct kmp_losses *lost = &groups->losses;

	if (groups->difference)
		try(put_facts(p, "base", &groups->facts_before));
	try(put_facts(p, "source", &groups->facts));
	if (left_out)
		try(put_comment(p, "%zu smaller groups left out", left_out));
	if (p->unknown)
		try(put_comment(p, "%" PRIu64 " groups left out: one side was cut", p->unknown));
	if (lost->skipped || lost->dropped || lost->cut)
		try(put_comment(p,
				"%" PRIu64 " records skipped, %" PRIu64 " dropped, %" PRIu64 " cut",
				lost->skipped, lost->dropped, lost->cut));
	for (size_t i = 0; i < groups->warning_count; i++)
		try(put_comment(p, "warning: %s", groups->warnings[i]));
	return NULL;
}

/* Nanoseconds since 1970; what is beyond 64 bits is not told. */
static int64_t time_of(const struct kmp_facts *facts)
{
	if (facts->time > INT64_MAX / 1000000000 - 1)
		return 0;
	return (int64_t)facts->time * 1000000000 + facts->time_ns;
}

/*
 * An expression for the allocators' functions that are there: readers leave them and what they
 * call away, so that memory is seen where it was asked for.
 */
static struct kmp_error *find_allocators(struct pprof *p, struct kmp_buf *names)
{
	for (size_t i = 0; i < p->functions.strings.len; i++) {
		struct pprof_function function;

		memcpy(&function, p->functions.strings.data[i].text, sizeof(function));
		const struct kmp_string *name = &p->strings.strings.data[function.name];

		if (kmp_allocator_family(name->text, name->len) == KMP_FAMILY_NONE)
			continue;
		if (names->len)
			try(vec_push(names, '|'));
		for (size_t c = 0; c < name->len; c++) {
			if (ispunct((unsigned char)name->text[c]) && name->text[c] != '_')
				try(vec_push(names, '\\'));
			try(vec_push(names, name->text[c]));
		}
	}
	return NULL;
}

/* Of tags the allocators' lines are owners as others. */
static struct kmp_error *put_drop_frames(struct pprof *p)
{
	Kmemprof__Pprof__Profile part = KMEMPROF__PPROF__PROFILE__INIT;
	struct kmp_buf names = { 0 };
	uint32_t number;

	if (p->groups->unit == KMP_UNIT_TAGS)
		return NULL;
	struct kmp_error *err = find_allocators(p, &names);

	if (!err && names.len)
		err = kmp_pool_intern(&p->strings, names.data, names.len, &number);
	if (!err && names.len) {
		part.drop_frames = number;
		err = pprof_out_add(&p->out, &part);
	}
	vec_deinit(&names);
	return err;
}

static struct kmp_error *put_times(struct pprof *p)
{
	Kmemprof__Pprof__Profile part = KMEMPROF__PPROF__PROFILE__INIT;
	int64_t now = time_of(&p->groups->facts);
	int64_t before = p->groups->difference ? time_of(&p->groups->facts_before) : 0;

	part.time_nanos = now;
	if (before && now > before)
		part.duration_nanos = now - before;
	try(kmp_pprof_word(p, "bytes", &part.default_sample_type));
	return pprof_out_add(&p->out, &part);
}

/* Last: by now all strings are there. */
static struct kmp_error *put_strings(struct pprof *p)
{
	for (size_t i = 0; i < p->strings.strings.len; i++) {
		Kmemprof__Pprof__Profile part = KMEMPROF__PPROF__PROFILE__INIT;
		char *text = (char *)p->strings.strings.data[i].text;

		part.n_string_table = 1;
		part.string_table = &text;
		try(pprof_out_add(&p->out, &part));
	}
	return NULL;
}

struct kmp_error *kmp_groups_pprof(const struct kmp_groups *groups, FILE *out,
				   const struct kmp_view *view)
{
	struct pprof p cleanup(kmp_pprof_deinit) = { .groups = groups };
	size_t shown = view_shown(groups, view);
	int64_t empty;
	uint32_t kernel;

	try(kmp_flame_check(groups));
	try(pprof_out_init(&p.out, out));
	try(kmp_pprof_word(&p, "", &empty));
	try(kmp_pprof_module(&p, "", 0, false, &kernel));
	try(put_types(&p));
	for (size_t i = 0; i < shown; i++)
		try(put_group(&p, &groups->groups[i]));
	try(put_mappings(&p));
	try(put_locations(&p));
	try(put_functions(&p));
	try(put_comments(&p, groups->count - shown));
	try(put_times(&p));
	try(put_drop_frames(&p));
	try(put_strings(&p));
	pprof_out_finish(&p.out);
	return NULL;
}
