// SPDX-License-Identifier: GPL-2.0-only
#include "source/recorder_tags.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "ledger/allocator_names.h"
#include "source/bpf/record.skel.h"

DEFINE_CLEANUP(symbols, struct kmp_symbols *, kmp_symbols_destroy)

/* Functions that stand together are one range. */
static struct kmp_error *find_allocators(struct kmp_recorder *r, const struct kmp_symbols *symbols)
{
	struct kmp_symbol symbol;

	for (size_t i = 0; i < kmp_symbols_entries(symbols); i++) {
		if (!kmp_symbols_entry(symbols, i, &symbol) ||
		    !kmp_allocator_passes(symbol.name, strlen(symbol.name)))
			continue;
		struct record_range range = { symbol.address, symbol.address + symbol.size };
		size_t len = r->allocators.len;

		if (len && r->allocators.data[len - 1].end == range.start)
			r->allocators.data[len - 1].end = range.end;
		else
			try(vec_push(&r->allocators, range));
	}
	if (r->allocators.len > RECORD_ALLOCATORS_MAX)
		return kmp_error_new(KMP_ERROR_LIMIT, "more than %d allocator functions",
				     (int)RECORD_ALLOCATORS_MAX);
	return NULL;
}

struct kmp_error *kmp_recorder_tags_init(struct kmp_recorder *r)
{
	struct kmp_symbols *symbols cleanup(cleanup_symbols) = NULL;

	if (!(r->options.what & KMP_READ_TAGS))
		return NULL;
	try(kmp_symbols_load("/proc/kallsyms", &symbols));
	try(find_allocators(r, symbols));
	return r->options.trace ? kmp_trace_resolve(r->options.trace, symbols, &r->trace) : NULL;
}

static bool is_allocator(const struct kmp_recorder *r, uint64_t ip)
{
	size_t low = 0;
	size_t high = r->allocators.len;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (r->allocators.data[middle].end <= ip)
			low = middle + 1;
		else
			high = middle;
	}
	return low < r->allocators.len && r->allocators.data[low].start <= ip;
}

uint32_t kmp_recorder_first_frame(const struct kmp_recorder *r, const struct record_stack *stack)
{
	for (uint32_t i = 0; i < stack->depth; i++) {
		if (is_allocator(r, stack->ip[i]))
			return i;
	}
	return 0;
}

uint64_t kmp_recorder_site(const struct kmp_recorder *r, const struct record_stack *stack)
{
	for (uint32_t i = kmp_recorder_first_frame(r, stack); i < stack->depth; i++) {
		if (!is_allocator(r, stack->ip[i]))
			return stack->ip[i];
	}
	return stack->depth ? stack->ip[stack->depth - 1] : 0;
}

static void set_target(struct record__rodata *ro, const struct kmp_trace_target *target)
{
	ro->tracing = target->kind;
	ro->wanted_kmalloc = target->kmalloc;
	memcpy(ro->wanted, target->ranges, sizeof(ro->wanted));
	memcpy(ro->wanted_caches, target->caches, sizeof(ro->wanted_caches));
}

static uint32_t buckets_for(uint32_t objects)
{
	uint64_t wanted = (uint64_t)objects * 5 / 4 / RECORD_BUCKET_SLOTS + 1;
	uint32_t buckets = 1;

	while (buckets < wanted)
		buckets *= 2;
	return buckets;
}

struct kmp_error *kmp_recorder_tags_prepare(struct kmp_recorder *r)
{
	const struct kmp_recorder_options *o = &r->options;
	struct record *skel = r->skel;

	if (!(o->what & KMP_READ_TAGS))
		return NULL;
	uint32_t buckets = buckets_for(o->max_objects);

	if (bpf_map__set_max_entries(skel->maps.objects, buckets) ||
	    bpf_map__set_max_entries(skel->maps.tag_sums, o->max_tags) ||
	    bpf_map__set_max_entries(skel->maps.sites, o->max_tags) ||
	    bpf_map__set_max_entries(skel->maps.contexts, o->trace ? o->max_tags : 1))
		return kmp_bpf_error(errno, "cannot size the tables of tags");
	skel->rodata->bucket_mask = buckets - 1;
	skel->rodata->max_tags = o->max_tags;
	skel->rodata->allocator_count = (uint32_t)r->allocators.len;
	if (r->allocators.len)
		memcpy(skel->rodata->allocators, r->allocators.data,
		       r->allocators.len * sizeof(*r->allocators.data));
	set_target(skel->rodata, &r->trace);
	return NULL;
}

struct kmp_error *kmp_recorder_sum(const struct kmp_recorder *r, uint32_t number,
				   struct record_sum *sum)
{
	int cpus = libbpf_num_possible_cpus();
	auto_free struct record_sum *by_cpu = calloc(cpus > 0 ? (size_t)cpus : 1, sizeof(*by_cpu));

	if (!by_cpu)
		return &kmp_error_no_memory;
	if (bpf_map_lookup_elem(bpf_map__fd(r->skel->maps.tag_sums), &number, by_cpu))
		return kmp_bpf_error(errno, "cannot read the sums of tags");
	*sum = (struct record_sum){ .bytes = 0 };
	for (int cpu = 0; cpu < cpus; cpu++) {
		sum->bytes += by_cpu[cpu].bytes;
		sum->calls += by_cpu[cpu].calls;
		sum->made += by_cpu[cpu].made;
	}
	return NULL;
}

/* A tag by the address that asked; what is below has the same place as others. */
struct site {
	uint64_t ip; /* 0: it could not be told */
	int64_t bytes;
	int64_t calls;
};

struct tags {
	struct kmp_recorder *r;
	const struct kmp_symbols *symbols;
	VEC(struct site) sites;
	VEC(struct kmp_tag) rows;
	struct kmp_arena words; /* functions' names that were cut */
};

static inline void cleanup_tags(struct tags *t)
{
	vec_deinit(&t->sites);
	vec_deinit(&t->rows);
	kmp_arena_deinit(&t->words);
}

/* The function's name in the source: compilers add to it (`.constprop.0`). */
static struct kmp_error *plain_name(struct tags *t, const char *symbol, const char **name)
{
	size_t len = strcspn(symbol, ".");

	*name = symbol;
	return symbol[len] ? kmp_arena_copy(&t->words, symbol, len, (char **)name) : NULL;
}

static struct kmp_error *add_sum(struct tags *t, uint64_t ip, uint32_t number)
{
	struct record_sum sum;

	try(kmp_recorder_sum(t->r, number, &sum));
	return vec_push(&t->sites, (struct site){ ip, sum.bytes, sum.calls });
}

static struct kmp_error *read_objects(struct tags *t)
{
	int fd = bpf_map__fd(t->r->skel->maps.sites);
	uint64_t ip;
	uint64_t *last = NULL;
	uint32_t number;

	while (!bpf_map_get_next_key(fd, last, &ip)) {
		last = &ip;
		if (!bpf_map_lookup_elem(fd, &ip, &number) && number < t->r->options.max_tags)
			try(add_sum(t, ip, number));
	}
	return add_sum(t, 0, 0);
}

static struct kmp_error *read_pages(struct tags *t)
{
	const struct kmp_recorder *r = t->r;
	size_t slots = kmp_recorder_slots(r);
	auto_free struct site *by_stack = calloc(r->options.max_stacks, sizeof(*by_stack));

	if (!by_stack)
		return &kmp_error_no_memory;
	for (size_t i = 0; i < slots; i++) {
		struct record_page page;

		if (!kmp_record_copy(&r->pages[i], &page) || page.stack >= r->options.max_stacks)
			continue;
		by_stack[page.stack].calls++;
		by_stack[page.stack].bytes += 4096ll << (page.info & RECORD_ORDER);
	}
	for (uint32_t i = 0; i < r->options.max_stacks; i++) {
		struct record_stack stack;

		if (!by_stack[i].calls)
			continue;
		if (kmp_recorder_stack(r, i, &stack))
			by_stack[i].ip = kmp_recorder_site(r, &stack);
		try(vec_push(&t->sites, by_stack[i]));
	}
	return NULL;
}

static int by_place(const void *a, const void *b)
{
	const struct kmp_tag *x = a;
	const struct kmp_tag *y = b;
	int order = strcmp(x->file, y->file);

	if (!order && x->line != y->line)
		order = x->line < y->line ? -1 : 1;
	if (!order)
		order = strcmp(x->module, y->module);
	return order ? order : strcmp(x->function, y->function);
}

/* File, line and function where debug information tells them, else the symbol's name. */
static struct kmp_error *set_place(struct tags *t, uint64_t ip, struct kmp_tag *row)
{
	struct kmp_symbol symbol = { .name = "?" };
	struct kmp_debug_place place;
	bool found = false;

	kmp_symbols_find(t->symbols, ip, &symbol);
	row->module = symbol.module ? symbol.module : "";
	row->file = "?";
	if (t->r->lines && ip && !symbol.module)
		try(kmp_debug_lines_find(t->r->lines, ip, &place, &found));
	if (!found)
		return plain_name(t, symbol.name, &row->function);
	row->file = place.file;
	row->line = place.line;
	row->function = place.function;
	return NULL;
}

static struct kmp_error *add_row(struct tags *t, const struct site *site)
{
	struct kmp_tag row = {
		.extra = "",
		.bytes = site->bytes,
		.calls = site->calls,
		.accurate = true,
	};

	if (!site->bytes && !site->calls)
		return NULL;
	try(set_place(t, site->ip, &row));
	return vec_push(&t->rows, row);
}

/* Call sites at one place add up. */
static struct kmp_error *add_tags(struct tags *t, struct kmp_ledger *ledger)
{
	for (size_t i = 0; i < t->sites.len; i++)
		try(add_row(t, &t->sites.data[i]));
	if (!t->rows.len)
		return NULL;
	qsort(t->rows.data, t->rows.len, sizeof(*t->rows.data), by_place);
	for (size_t i = 0; i < t->rows.len; i++) {
		struct kmp_tag *row = &t->rows.data[i];

		if (i + 1 < t->rows.len && !by_place(row, row + 1)) {
			row[1].bytes += row->bytes;
			row[1].calls += row->calls;
			continue;
		}
		try(kmp_ledger_add_tag(ledger, row));
	}
	return NULL;
}

struct kmp_error *kmp_recorder_tags_read(struct kmp_recorder *r, const struct kmp_symbols *symbols,
					 struct kmp_ledger *ledger)
{
	struct tags t cleanup(cleanup_tags) = { .r = r, .symbols = symbols };

	if (!r->lines_sought)
		try(kmp_debug_lines_open_kernel(&r->lines));
	r->lines_sought = true;
	try(read_objects(&t));
	try(read_pages(&t));
	return add_tags(&t, ledger);
}
