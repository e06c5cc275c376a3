// SPDX-License-Identifier: GPL-2.0-only
/* How a kernel writes its rules of unwinding, learnt from kernels that are made up here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <bpf/btf.h>
#include <cmocka.h>
#include <string.h>

#include "source/unwind_tables.h"

enum { ENTRIES = 20000, ENTRY = 6, STEP = 64, FORK_AT = 5, FAULT_AT = 7 };

static const uint64_t text = 0xffffffff81000000;
static const uint64_t ips_at = 0xffffffff82000000;
static const uint64_t rules_at = 0xffffffff82100000;
static const uint64_t list_at = 0xffffffff82800000;

static const char symbols[] =
	"ffffffff81000000 T _stext\n"
	"ffffffff81010000 T bpf_trace_run4\n"
	"ffffffff81020000 T __alloc_pages\n";

/* How registers and types are numbered. */
struct numbers {
	unsigned sp, bp, kept, saved, noted, call, regs, end;
	bool end_bit; /* as before 6.4 */
};

static const struct numbers known[] = {
	{ 5, 4, 0, 1, 8, 0, 1, 0, true },
	{ 5, 4, 0, 1, 8, 2, 3, 1, false },
	{ 3, 9, 0, 8, 1, 2, 3, 1, false },
	{ 1, 2, 7, 3, 0, 4, 0, 2, false },
};

struct kernel {
	int32_t ips[ENTRIES];
	unsigned char rules[ENTRIES][ENTRY];
	uint64_t list[2];
	struct btf *btf;
	struct kmp_symbols *symbols;
	struct kmp_unwind_places places;
	struct calibration seen;
};

static bool peek(void *arg, uint64_t from, size_t size, void *out)
{
	struct kernel *k = arg;
	const struct {
		uint64_t start;
		size_t size;
		const void *data;
	} parts[] = {
		{ ips_at, sizeof(k->ips), k->ips },
		{ rules_at, sizeof(k->rules), k->rules },
		{ list_at, sizeof(k->list), k->list },
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		if (from < parts[i].start || from + size > parts[i].start + parts[i].size)
			continue;
		memcpy(out, (const char *)parts[i].data + (from - parts[i].start), size);
		return true;
	}
	return false;
}

static void write_entry(struct kernel *k, size_t at, int up, int down, unsigned sp, unsigned bp,
			unsigned type)
{
	const int16_t offsets[2] = { (int16_t)up, (int16_t)down };
	const uint16_t bits = (uint16_t)(sp | bp << 4 | type << 8);

	memcpy(k->rules[at], offsets, sizeof(offsets));
	memcpy(k->rules[at] + sizeof(offsets), &bits, sizeof(bits));
}

static struct btf *make_btf(bool end_bit)
{
	struct btf *btf = btf__new_empty();
	int word = btf__add_int(btf, "short", 2, BTF_INT_SIGNED);
	int number = btf__add_int(btf, "unsigned int", 4, 0);

	btf__add_struct(btf, "orc_entry", ENTRY);
	btf__add_field(btf, "sp_offset", word, 0, 0);
	btf__add_field(btf, "bp_offset", word, 16, 0);
	btf__add_field(btf, "sp_reg", number, 32, 4);
	btf__add_field(btf, "bp_reg", number, 36, 4);
	btf__add_field(btf, "type", number, 40, end_bit ? 2 : 3);
	if (end_bit)
		btf__add_field(btf, "end", number, 42, 1);
	return btf;
}

/* One entry in ten keeps a frame pointer, three save BP, and some are none of the simple ones. */
static void make_kernel(struct kernel *k, const struct numbers *n)
{
	memset(k, 0, sizeof(*k));
	for (size_t i = 0; i < ENTRIES; i++) {
		k->ips[i] = (int32_t)(text + i * STEP - (ips_at + i * sizeof(int32_t)));
		if (i % 10 == 0)
			write_entry(k, i, 16, -16, n->bp, n->saved, n->call);
		else if (i % 10 < 4)
			write_entry(k, i, 64, -48, n->sp, n->saved, n->call);
		else if (i % 50 == 4)
			write_entry(k, i, 0, 0, 14, n->kept, n->regs);
		else if (i % 50 == 5)
			write_entry(k, i, -40, 0, n->noted, n->bp, n->call);
		else
			write_entry(k, i, 8, 0, n->sp, n->kept, n->call);
	}
	write_entry(k, FORK_AT, 0, 0, n->end_bit ? 0 : 13, n->kept, n->end);
	write_entry(k, FAULT_AT, 0, 0, n->sp, n->kept, n->regs);
	k->list[0] = k->list[1] = list_at;
	k->btf = make_btf(n->end_bit);
	assert_null(kmp_symbols_load_memory(symbols, sizeof(symbols) - 1, &k->symbols));
	k->places = kmp_unwind_places;
	for (size_t i = 0; i < KMP_UNWIND_PLACE_COUNT; i++) {
		struct kmp_symbol_place *place = &k->places.all[i];

		if (!strcmp(place->name, "__start_orc_unwind_ip"))
			place->address = ips_at;
		else if (!strcmp(place->name, "__stop_orc_unwind_ip"))
			place->address = ips_at + sizeof(k->ips);
		else if (!strcmp(place->name, "__start_orc_unwind"))
			place->address = rules_at;
		else if (!strcmp(place->name, "_stext"))
			place->address = text;
		else if (!strcmp(place->name, "_etext"))
			place->address = text + ENTRIES * STEP;
		else if (!strcmp(place->name, "modules"))
			place->address = list_at;
		else if (!strcmp(place->name, "ret_from_fork_asm"))
			place->address = text + FORK_AT * STEP;
	}
	k->seen.stack[0] = 0xffffffffa0000010;
	k->seen.stack[1] = text + 0x10020;
	k->seen.stack[2] = text + 0x20030;
	k->seen.stack[3] = text + FAULT_AT * STEP + 9;
	k->seen.words[9] = k->seen.stack[2];
}

static struct kmp_calibration find(struct kernel *k)
{
	const struct kmp_unwind_kernel kernel = { k->btf, k->symbols, &k->places, peek, k };
	struct kmp_calibration c = { .stack_skip = 2 };

	kmp_unwind_find(&kernel, &k->seen, &c);
	return c;
}

static void free_kernel(struct kernel *k)
{
	btf__free(k->btf);
	kmp_symbols_destroy(k->symbols);
}

static void numberings(void **state)
{
	static struct kernel k;

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		const struct numbers *n = &known[i];

		make_kernel(&k, n);
		struct kmp_calibration c = find(&k);

		assert_int_equal(c.orc.count, ENTRIES);
		assert_int_equal(c.orc.sp, n->sp);
		assert_int_equal(c.orc.bp, n->bp);
		assert_int_equal(c.orc.kept, n->kept);
		assert_int_equal(c.orc.saved, n->saved);
		assert_int_equal(c.orc.noted, n->noted);
		assert_int_equal(c.orc.call, n->call);
		assert_int_equal(c.orc.regs, n->regs);
		if (!n->end_bit)
			assert_int_equal(c.orc.end, n->end);
		assert_int_equal(c.orc.modules, list_at);
		assert_int_equal(c.anchor.runner, k.seen.stack[1]);
		assert_int_equal(c.anchor.first, 9);
		assert_int_equal(c.anchor.skip, 0);
		free_kernel(&k);
	}
}

/* What is not clear is left to the kernel's unwinder. */
static void doubts(void **state)
{
	static struct kernel k;
	struct kmp_symbol_place *place = k.places.all;

	make_kernel(&k, &known[1]);
	k.seen.words[20] = k.seen.stack[2];
	assert_int_equal(find(&k).orc.count, 0);
	k.seen.words[9] = k.seen.words[20] = 0;
	assert_int_equal(find(&k).orc.count, 0);
	k.seen.words[9] = k.seen.stack[2];
	assert_int_equal(find(&k).orc.count, ENTRIES);

	k.seen.stack[3] += STEP; /* code that is called */
	assert_int_equal(find(&k).orc.count, 0);
	k.seen.stack[3] -= STEP;

	k.list[1]++;
	assert_int_equal(find(&k).orc.count, ENTRIES);
	assert_int_equal(find(&k).orc.modules, 0);

	for (size_t i = 0; i < 5; i++) {
		uint64_t address = place[i].address;

		place[i].address = 0;
		assert_int_equal(find(&k).orc.count, 0);
		place[i].address = address;
	}
	assert_int_equal(find(&k).orc.count, ENTRIES);
	place[0].address += 4096; /* not where the table is */
	assert_int_equal(find(&k).orc.count, 0);
	place[0].address -= 4096;

	btf__free(k.btf);
	k.btf = NULL;
	assert_int_equal(find(&k).orc.count, 0);
	free_kernel(&k);
}

int main(void)
{
#ifdef __x86_64__
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numberings),
		cmocka_unit_test(doubts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
#else
	return 77;
#endif
}
