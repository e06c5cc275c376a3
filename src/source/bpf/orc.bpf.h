/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's own rules of unwinding (ORC): what lies where on the stack at an address of code.
 * Each is read from the kernel's tables once and remembered by its address. Included by the BPF
 * program alone.
 *
 * A rule that is not as simple as a call or an entry to the kernel is RULE_ODD: what has such a
 * frame is left to the kernel's unwinder.
 */
#ifndef KMP_SOURCE_BPF_ORC_H
#define KMP_SOURCE_BPF_ORC_H

#include <linux/bpf.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "source/bpf/record.h"

/* Set by the loader. */
const volatile struct record_orc orc = {};

struct orc_entry {
	__s16 sp_offset;
	__s16 bp_offset;
	unsigned sp_reg : 4;
	unsigned bp_reg : 4;
	unsigned type : 3;
	unsigned signal : 1; /* from 6.3 on */
	unsigned end : 1;    /* before 6.4 */
} __attribute__((preserve_access_index));

struct list_head {
	struct list_head *next;
};

struct mod_arch_specific {
	unsigned num_orcs;
	int *orc_unwind_ip;
	struct orc_entry *orc_unwind;
} __attribute__((preserve_access_index));

struct module_memory {
	void *base;
	unsigned size;
} __attribute__((preserve_access_index));

struct module {
	struct list_head list;
	struct mod_arch_specific arch;
	struct module_memory mem[1]; /* the first is of code */
} __attribute__((preserve_access_index));

struct module_layout {
	void *base;
	unsigned text_size;
} __attribute__((preserve_access_index));

/* Before 6.4. */
struct module___layout {
	struct module_layout core_layout;
} __attribute__((preserve_access_index));

/*
 * A rule: its kind; how many words there are from the stack pointer (or BP) to where the caller had
 * it; how many words below that the caller's BP is, 0 if BP is the caller's still. Of a frame that
 * is aligned: how many words below BP the caller's stack pointer is noted; its BP is where BP says.
 */
enum {
	RULE_CALL = 1,
	RULE_REGS,	   /* all registers are there, of what was interrupted */
	RULE_REGS_AT_ONCE, /* the same, where the next address is a return address */
	RULE_END,
	RULE_ODD,
	RULE_KIND = 7,
	RULE_FROM_BP = 8,
	RULE_NOTED = 16,
	RULE_UP_SHIFT = 5,
	RULE_BP_SHIFT = 17,
	RULE_WORDS = 0xfff
};

/* The kernel's code and its modules are in the last 2 GiB. */
enum { RULES = 16384, MODULES_MAX = 1024, CODE_HALF = 0xffffffff };

/* The address's lower half, the rule: one word, so that nobody sees a half of it. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, RULES);
	__type(key, __u32);
	__type(value, __u64);
} rules SEC(".maps");

static __always_inline __u32 kind_of_entry(struct orc_entry *entry)
{
	__u32 type = BPF_CORE_READ_BITFIELD_PROBED(entry, type);
	__u32 sp_reg = BPF_CORE_READ_BITFIELD_PROBED(entry, sp_reg);
	int signal = type == orc.regs;

	if (bpf_core_field_exists(entry->signal))
		signal = BPF_CORE_READ_BITFIELD_PROBED(entry, signal);
	if (bpf_core_field_exists(entry->end)) {
		if (BPF_CORE_READ_BITFIELD_PROBED(entry, end) && sp_reg != orc.sp &&
		    sp_reg != orc.bp)
			return RULE_END;
	} else if (type == orc.end) {
		return RULE_END;
	}
	if (type == orc.call && !signal)
		return RULE_CALL;
	if (type == orc.regs)
		return signal ? RULE_REGS : RULE_REGS_AT_ONCE;
	return RULE_ODD;
}

/* A distance in words that a rule has room for. */
static __always_inline int is_whole(__s32 bytes)
{
	return bytes >= 0 && !(bytes & 7) && bytes >> 3 <= RULE_WORDS;
}

static __always_inline __u32 rule_of_entry(struct orc_entry *entry)
{
	__s32 up = (__s16)BPF_CORE_READ(entry, sp_offset);
	__s32 bp_down = -(__s16)BPF_CORE_READ(entry, bp_offset);
	__u32 sp_reg = BPF_CORE_READ_BITFIELD_PROBED(entry, sp_reg);
	__u32 bp_reg = BPF_CORE_READ_BITFIELD_PROBED(entry, bp_reg);
	__u32 rule = kind_of_entry(entry);

	if (rule == RULE_END || rule == RULE_ODD)
		return rule;
	if (sp_reg == orc.noted)
		return rule == RULE_CALL && bp_reg == orc.bp && !bp_down && is_whole(-up)
			       ? rule | RULE_FROM_BP | RULE_NOTED |
					 (__u32)(-up >> 3) << RULE_UP_SHIFT
			       : RULE_ODD;
	if (!is_whole(up) || (sp_reg != orc.sp && sp_reg != orc.bp))
		return RULE_ODD;
	if (sp_reg == orc.bp)
		rule |= RULE_FROM_BP;
	rule |= (__u32)(up >> 3) << RULE_UP_SHIFT;
	if (bp_reg == orc.kept)
		return rule;
	if (bp_reg != orc.saved || (rule & RULE_KIND) != RULE_CALL || !bp_down ||
	    !is_whole(bp_down))
		return RULE_ODD;
	return rule | (__u32)(bp_down >> 3) << RULE_BP_SHIFT;
}

struct rule_search {
	__u64 ip; /* looked for: the last entry below */
	__u64 ips;
	__u64 entries;
	__u32 low;
	__u32 high; /* 0: no table */
	__u64 module;
};

static long halve(__u32 index, struct rule_search *search)
{
	__u32 middle = (search->low + search->high) / 2;
	__u64 from = search->ips + middle * 4ull;
	__s32 distance = 0;

	if (search->low + 1 >= search->high)
		return 1;
	bpf_probe_read_kernel(&distance, sizeof(distance), (void *)from);
	if (from + distance < search->ip)
		search->low = middle;
	else
		search->high = middle;
	return 0;
}

/* Is it the next module's? Its list is read as the kernel does, which frees none meanwhile. */
static long try_module(__u32 index, struct rule_search *search)
{
	struct list_head *place = (struct list_head *)search->module;
	struct module *module;
	__u64 base;
	__u32 size;

	place = BPF_CORE_READ(place, next);
	search->module = (__u64)place;
	if (!place || search->module == orc.modules)
		return 1;
	module = (void *)place - bpf_core_field_offset(struct module, list);
	if (bpf_core_field_exists(module->mem)) {
		base = (__u64)BPF_CORE_READ(module, mem[0].base);
		size = BPF_CORE_READ(module, mem[0].size);
	} else {
		struct module___layout *old = (void *)module;

		base = (__u64)BPF_CORE_READ(old, core_layout.base);
		size = BPF_CORE_READ(old, core_layout.text_size);
	}
	if (search->ip - 1 - base >= size)
		return 0;
	search->ips = (__u64)BPF_CORE_READ(module, arch.orc_unwind_ip);
	search->entries = (__u64)BPF_CORE_READ(module, arch.orc_unwind);
	search->high = BPF_CORE_READ(module, arch.num_orcs);
	return 1;
}

/* A function that returns is led there first, and the kernel knows where it would have gone. */
static __always_inline int is_detour(__u64 ip)
{
	for (__u32 i = 0; i < RECORD_DETOURS; i++) {
		if (ip == orc.detours[i] || ip - 1 == orc.detours[i])
			return 1;
	}
	return 0;
}

static __always_inline __u32 find_rule(__u64 ip)
{
	struct rule_search search = { .ip = ip, .module = orc.modules };

	if (!bpf_core_type_exists(struct orc_entry) || is_detour(ip))
		return RULE_ODD;
	if (ip - 1 - orc.text < orc.text_size) {
		search.ips = orc.ips;
		search.entries = orc.rules;
		search.high = orc.count;
	} else if (orc.modules && bpf_core_type_exists(struct module)) {
		bpf_loop(MODULES_MAX, try_module, &search, 0);
	}
	if (!search.high)
		return RULE_ODD;
	bpf_loop(32, halve, &search, 0);
	return rule_of_entry((void *)search.entries +
			     (__u64)search.low * bpf_core_type_size(struct orc_entry));
}

/* A return address's rule is that of the call before it. Global, so that it is checked once. */
__noinline __u32 learn_rule(__u64 ip)
{
	__u32 at = (__u32)ip % RULES;
	volatile __u64 *place = bpf_map_lookup_elem(&rules, &at);
	__u32 rule = find_rule(ip);

	if (place)
		*place = ip << 32 | rule;
	return rule;
}

static __always_inline __u32 rule_of(__u64 ip)
{
	__u32 at = (__u32)ip % RULES;
	volatile __u64 *place = bpf_map_lookup_elem(&rules, &at);
	__u64 known;

	if (!place || ip >> 32 != CODE_HALF)
		return RULE_ODD;
	known = *place;
	return known >> 32 == (__u32)ip ? (__u32)known : learn_rule(ip);
}

static long drop_rule(__u32 index, void *unused)
{
	volatile __u64 *place = bpf_map_lookup_elem(&rules, &index);

	if (place)
		*place = 0;
	return 0;
}

/* Where a module was another may come. */
SEC("raw_tp/module_free")
int orc_module_free(void *ctx)
{
	bpf_loop(RULES, drop_rule, 0, 0);
	return 0;
}

SEC("raw_tp/module_load")
int orc_module_load(void *ctx)
{
	bpf_loop(RULES, drop_rule, 0, 0);
	return 0;
}

#endif
