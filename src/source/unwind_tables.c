// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel tells where its rules are and of which fields an entry is made, but not how registers
 * and types are numbered, which differs from one kernel to another. That is learnt from entries
 * whose meaning is known: of most code, of functions that keep a frame pointer, of the entry by a
 * page fault, of where kernel threads begin.
 */
#include "source/unwind_tables.h"

#include <bpf/btf.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

enum place {
	START_IP,
	STOP_IP,
	START,
	TEXT,
	TEXT_END,
	MODULES,
	FORK,
	OLD_FORK,
	FIRST_DETOUR,
};

enum {
	ENTRY_SIZE = 6,
	AT_ONCE = 4096,
	PARTS = 16,
	SAMPLES = AT_ONCE * PARTS,
	NUMBERS = 16,
	NO_NUMBER = 0xff,
	WORD = 8
};

_Static_assert(FIRST_DETOUR + RECORD_DETOURS == KMP_UNWIND_PLACE_COUNT, "detours are the rest");
_Static_assert((int)AT_ONCE *(int)ENTRY_SIZE <= CALIBRATE_PEEK, "a part is read at once");

const struct kmp_unwind_places kmp_unwind_places = { {
	[START_IP] = { .name = "__start_orc_unwind_ip" },
	[STOP_IP] = { .name = "__stop_orc_unwind_ip" },
	[START] = { .name = "__start_orc_unwind" },
	[TEXT] = { .name = "_stext" },
	[TEXT_END] = { .name = "_etext" },
	[MODULES] = { .name = "modules" },
	[FORK] = { .name = "ret_from_fork_asm" },
	[OLD_FORK] = { .name = "ret_from_fork" },
	/* Function graphs, return probes of newer and of older kernels. */
	[FIRST_DETOUR] = { .name = "return_to_handler" },
	{ .name = "arch_rethook_trampoline" },
	{ .name = "__kretprobe_trampoline" },
	{ .name = "kretprobe_trampoline" },
} };

struct field {
	uint32_t shift; /* in the entry's last two bytes */
	uint32_t mask;
};

struct fields {
	struct field sp_reg;
	struct field bp_reg;
	struct field type;
};

struct entry {
	int sp_offset;
	int bp_offset;
	uint32_t sp_reg;
	uint32_t bp_reg;
	uint32_t type;
};

static bool find_field(const struct btf *btf, const struct btf_type *type, const char *name,
		       struct field *field)
{
	for (uint32_t i = 0; i < btf_vlen(type); i++) {
		uint32_t bits = btf_member_bitfield_size(type, i);
		uint32_t at = btf_member_bit_offset(type, i);

		if (strcmp(btf__name_by_offset(btf, btf_members(type)[i].name_off), name) != 0)
			continue;
		*field = (struct field){ at - 32, (1u << bits) - 1 };
		return bits && bits <= 4 && at >= 32 && at + bits <= ENTRY_SIZE * 8;
	}
	return false;
}

static bool find_fields(const struct btf *btf, struct fields *fields)
{
	int id = btf ? btf__find_by_name_kind(btf, "orc_entry", BTF_KIND_STRUCT) : -1;
	const struct btf_type *type = id > 0 ? btf__type_by_id(btf, (uint32_t)id) : NULL;

	return type && type->size == ENTRY_SIZE &&
	       find_field(btf, type, "sp_reg", &fields->sp_reg) &&
	       find_field(btf, type, "bp_reg", &fields->bp_reg) &&
	       find_field(btf, type, "type", &fields->type);
}

static uint32_t field_of(uint16_t bits, struct field field)
{
	return bits >> field.shift & field.mask;
}

static struct entry entry_of(const struct fields *fields, const unsigned char *bytes)
{
	int16_t offsets[2];
	uint16_t bits;

	memcpy(offsets, bytes, sizeof(offsets));
	memcpy(&bits, bytes + sizeof(offsets), sizeof(bits));
	return (struct entry){
		.sp_offset = offsets[0],
		.bp_offset = offsets[1],
		.sp_reg = field_of(bits, fields->sp_reg),
		.bp_reg = field_of(bits, fields->bp_reg),
		.type = field_of(bits, fields->type),
	};
}

/* The entry for the call before a return address. */
static bool entry_at(const struct kmp_unwind_kernel *kernel, const struct fields *fields,
		     const struct record_orc *orc, uint64_t ip, struct entry *entry)
{
	unsigned char bytes[ENTRY_SIZE];
	uint32_t low = 0;
	uint32_t high = orc->count;

	while (low + 1 < high) {
		uint32_t middle = low + (high - low) / 2;
		uint64_t from = orc->ips + middle * sizeof(int32_t);
		int32_t distance;

		if (!kernel->peek(kernel->arg, from, sizeof(distance), &distance))
			return false;
		if (from + (uint64_t)(int64_t)distance < ip)
			low = middle;
		else
			high = middle;
	}
	if (!kernel->peek(kernel->arg, orc->rules + (uint64_t)low * ENTRY_SIZE, sizeof(bytes),
			  bytes))
		return false;
	*entry = entry_of(fields, bytes);
	return true;
}

struct tally {
	uint32_t count[NUMBERS];
};

static uint8_t most(const struct tally *tally)
{
	unsigned best = 0;

	for (unsigned i = 1; i < NUMBERS; i++)
		best = tally->count[i] > tally->count[best] ? i : best;
	return (uint8_t)(tally->count[best] ? best : NO_NUMBER);
}

/* Most code has no frame pointer, and what has saves it next to the return address. */
static void number_registers(const struct entry *entries, struct record_orc *orc)
{
	struct tally types = { 0 }, sp = { 0 }, bp = { 0 }, kept = { 0 }, saved = { 0 },
		     noted = { 0 };

	for (size_t i = 0; i < SAMPLES; i++) {
		types.count[entries[i].type]++;
		sp.count[entries[i].sp_reg]++;
	}
	orc->call = most(&types);
	orc->sp = most(&sp);
	for (size_t i = 0; i < SAMPLES; i++) {
		if (entries[i].type == orc->call && entries[i].sp_reg == orc->sp)
			(entries[i].bp_offset ? &saved : &kept)->count[entries[i].bp_reg]++;
	}
	orc->kept = most(&kept);
	orc->saved = most(&saved);
	for (size_t i = 0; i < SAMPLES; i++) {
		const struct entry *e = &entries[i];

		if (e->type == orc->call && e->sp_reg != orc->sp && e->bp_reg == orc->saved &&
		    e->sp_offset == 2 * WORD && e->bp_offset == -2 * WORD)
			bp.count[e->sp_reg]++;
	}
	orc->bp = most(&bp);
	for (size_t i = 0; i < SAMPLES; i++) {
		const struct entry *e = &entries[i];

		if (e->type == orc->call && e->sp_reg != orc->sp && e->sp_reg != orc->bp &&
		    e->bp_reg == orc->bp && e->sp_offset < 0 && !e->bp_offset)
			noted.count[e->sp_reg]++;
	}
	orc->noted = most(&noted);
}

/* The outermost frame of a page fault is the kernel's entry. */
static bool number_types(const struct kmp_unwind_kernel *kernel, const struct fields *fields,
			 const struct calibration *seen, struct record_orc *orc)
{
	const struct kmp_symbol_place *at = kernel->places->all;
	uint64_t fork = at[FORK].address ? at[FORK].address : at[OLD_FORK].address;
	uint32_t depth = 0;
	struct entry entry;

	while (depth < CALIBRATE_DEPTH && seen->stack[depth])
		depth++;
	if (!depth || !entry_at(kernel, fields, orc, seen->stack[depth - 1], &entry) ||
	    entry.sp_reg != orc->sp || entry.bp_reg != orc->kept || entry.type == orc->call)
		return false;
	orc->regs = (uint8_t)entry.type;
	orc->end = NO_NUMBER;
	if (fork && entry_at(kernel, fields, orc, fork + 1, &entry) && entry.type != orc->call &&
	    entry.type != orc->regs)
		orc->end = (uint8_t)entry.type;
	return true;
}

/* Parts of the table, from all over it. */
static bool read_samples(const struct kmp_unwind_kernel *kernel, const struct fields *fields,
			 const struct record_orc *orc, struct entry *entries)
{
	unsigned char bytes[AT_ONCE * ENTRY_SIZE];

	for (uint64_t part = 0; part < PARTS; part++) {
		uint64_t first = (orc->count - AT_ONCE) * part / (PARTS - 1);

		if (!kernel->peek(kernel->arg, orc->rules + first * ENTRY_SIZE, sizeof(bytes),
				  bytes))
			return false;
		for (size_t i = 0; i < AT_ONCE; i++)
			*entries++ = entry_of(fields, bytes + i * ENTRY_SIZE);
	}
	return true;
}

static bool number_all(const struct kmp_unwind_kernel *kernel, const struct calibration *seen,
		       struct record_orc *orc)
{
	auto_free struct entry *entries = calloc(SAMPLES, sizeof(*entries));
	struct fields fields;

	if (!entries || orc->count < AT_ONCE || !find_fields(kernel->btf, &fields) ||
	    !read_samples(kernel, &fields, orc, entries))
		return false;
	number_registers(entries, orc);
	return orc->sp != orc->bp && orc->kept != orc->saved &&
	       number_types(kernel, &fields, seen, orc);
}

/* Two tables side by side: addresses of 4 bytes, entries. */
static bool find_tables(const struct kmp_symbol_place *at, struct record_orc *orc)
{
	uint64_t bytes = at[STOP_IP].address - at[START_IP].address;

	if (!at[START_IP].address || !at[START].address ||
	    at[STOP_IP].address < at[START_IP].address || !at[TEXT].address ||
	    at[TEXT_END].address <= at[TEXT].address || bytes > UINT32_MAX)
		return false;
	*orc = (struct record_orc){
		.ips = at[START_IP].address,
		.rules = at[START].address,
		.text = at[TEXT].address,
		.text_size = at[TEXT_END].address - at[TEXT].address,
		.modules = at[MODULES].address,
		.count = (uint32_t)(bytes / sizeof(int32_t)),
	};
	for (size_t i = 0; i < RECORD_DETOURS; i++)
		orc->detours[i] = at[FIRST_DETOUR + i].address;
	return true;
}

/* There may be several symbols of this name. */
static bool is_list(const struct kmp_unwind_kernel *kernel, uint64_t head)
{
	uint64_t next;
	uint64_t back;

	return head && kernel->peek(kernel->arg, head, sizeof(next), &next) &&
	       kernel->peek(kernel->arg, next + sizeof(next), sizeof(back), &back) && back == head;
}

/* The one word that has this value; CALIBRATE_WORDS if none has, or several. */
static uint32_t find_word(const struct calibration *seen, uint64_t value)
{
	uint32_t found = CALIBRATE_WORDS;

	for (uint32_t i = 0; i < CALIBRATE_WORDS; i++) {
		if (seen->words[i] != value)
			continue;
		if (found < CALIBRATE_WORDS)
			return CALIBRATE_WORDS;
		found = i;
	}
	return found;
}

/* The frame of the function that calls programs, and where its return address lies. */
static bool find_anchor(const struct kmp_symbols *symbols, const struct calibration *seen,
			uint32_t stack_skip, struct record_anchor *anchor)
{
	static const char runner[] = "bpf_trace_run";

	for (uint32_t i = 0; i + 1 < CALIBRATE_DEPTH && i < stack_skip; i++) {
		struct kmp_symbol symbol;

		if (!kmp_symbols_find(symbols, seen->stack[i], &symbol) ||
		    strncmp(symbol.name, runner, sizeof(runner) - 1) != 0)
			continue;
		*anchor = (struct record_anchor){
			.runner = seen->stack[i],
			.first = find_word(seen, seen->stack[i + 1]),
			.skip = stack_skip - i - 1,
		};
		return anchor->first < CALIBRATE_WORDS;
	}
	return false;
}

void kmp_unwind_find(const struct kmp_unwind_kernel *kernel, const struct calibration *seen,
		     struct kmp_calibration *c)
{
	bool known = false;

#ifdef __x86_64__
	known = find_anchor(kernel->symbols, seen, c->stack_skip, &c->anchor) &&
		find_tables(kernel->places->all, &c->orc) && number_all(kernel, seen, &c->orc);
#endif
	if (!known)
		c->orc = (struct record_orc){ 0 };
	if (!is_list(kernel, c->orc.modules))
		c->orc.modules = 0;
}
