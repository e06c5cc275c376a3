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

static bool passes(const char *name)
{
	return kmp_allocator_passes(name, strlen(name));
}

/* Functions that stand together are one range. */
static struct kmp_error *find_allocators(struct record__rodata *ro,
					 const struct kmp_symbols *symbols)
{
	uint32_t count = 0;
	struct kmp_symbol symbol;

	for (size_t i = 0; i < kmp_symbols_entries(symbols); i++) {
		if (!kmp_symbols_entry(symbols, i, &symbol) || !passes(symbol.name))
			continue;
		uint64_t end = symbol.address + symbol.size;

		if (count && ro->allocators[count - 1].end == symbol.address) {
			ro->allocators[count - 1].end = end;
			continue;
		}
		if (count == RECORD_ALLOCATORS_MAX)
			return kmp_error_new(KMP_ERROR_LIMIT, "more than %d allocator functions",
					     (int)RECORD_ALLOCATORS_MAX);
		ro->allocators[count++] = (struct record_range){ symbol.address, end };
	}
	ro->allocator_count = count;
	return NULL;
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
	struct kmp_symbols *symbols cleanup(cleanup_symbols) = NULL;
	const struct kmp_recorder_options *o = &r->options;
	struct record *skel = r->skel;

	if (!(o->what & KMP_READ_TAGS))
		return NULL;
	uint32_t buckets = buckets_for(o->max_objects);

	if (bpf_map__set_max_entries(skel->maps.objects, buckets) ||
	    bpf_map__set_max_entries(skel->maps.tag_sums, o->max_tags) ||
	    bpf_map__set_max_entries(skel->maps.sites, o->max_tags))
		return kmp_bpf_error(errno, "cannot size the tables of tags");
	skel->rodata->bucket_mask = buckets - 1;
	skel->rodata->max_tags = o->max_tags;
	try(kmp_symbols_load("/proc/kallsyms", &symbols));
	return find_allocators(skel->rodata, symbols);
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

static struct kmp_error *add_sum(struct tags *t, uint64_t ip, uint32_t number,
				 struct record_sum *by_cpu)
{
	int cpus = libbpf_num_possible_cpus();
	struct site site = { .ip = ip };

	if (bpf_map_lookup_elem(bpf_map__fd(t->r->skel->maps.tag_sums), &number, by_cpu))
		return kmp_bpf_error(errno, "cannot read the sums of tags");
	for (int cpu = 0; cpu < cpus; cpu++) {
		site.bytes += by_cpu[cpu].bytes;
		site.calls += by_cpu[cpu].calls;
	}
	return vec_push(&t->sites, site);
}

static struct kmp_error *read_objects(struct tags *t)
{
	int cpus = libbpf_num_possible_cpus();
	int fd = bpf_map__fd(t->r->skel->maps.sites);
	auto_free struct record_sum *by_cpu = calloc(cpus > 0 ? (size_t)cpus : 1, sizeof(*by_cpu));
	uint64_t ip;
	uint64_t *last = NULL;
	uint32_t number;

	if (!by_cpu)
		return &kmp_error_no_memory;
	while (!bpf_map_get_next_key(fd, last, &ip)) {
		last = &ip;
		if (!bpf_map_lookup_elem(fd, &ip, &number) && number <= RECORD_TAGS_MAX)
			try(add_sum(t, ip, number, by_cpu));
	}
	return add_sum(t, 0, 0, by_cpu);
}

/* The first frame outside the allocator, beyond those inside: before them the tracing may stand. */
static uint64_t site_of(const struct tags *t, const struct record_stack *stack)
{
	bool inside = false;

	for (uint32_t i = 0; i < stack->depth; i++) {
		struct kmp_symbol symbol;
		bool known = kmp_symbols_find(t->symbols, stack->ip[i], &symbol);

		if (known && passes(symbol.name))
			inside = true;
		else if (inside)
			return stack->ip[i];
	}
	return stack->depth ? stack->ip[stack->depth - 1] : 0;
}

static struct kmp_error *read_pages(struct tags *t)
{
	const struct kmp_recorder *r = t->r;
	size_t slots = r->sections.numbers.len << RECORD_SECTION_SHIFT;
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
			by_stack[i].ip = site_of(t, &stack);
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

static struct kmp_error *add_row(struct tags *t, const struct site *site)
{
	struct kmp_symbol symbol = { .name = "?" };
	struct kmp_tag row = {
		.file = "?",
		.extra = "",
		.bytes = site->bytes,
		.calls = site->calls,
		.accurate = true,
	};

	if (!site->bytes && !site->calls)
		return NULL;
	kmp_symbols_find(t->symbols, site->ip, &symbol);
	try(plain_name(t, symbol.name, &row.function));
	row.module = symbol.module ? symbol.module : "";
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

	try(read_objects(&t));
	try(read_pages(&t));
	return add_tags(&t, ledger);
}
