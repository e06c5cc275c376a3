/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The keys by which page owners are grouped. While streaming, a key's value is a *part*: a 32-bit
 * number that stands for it, KMP_NONE where the input did not tell. Two parts can stand for one
 * value (a handle whose trace came later); the builder of the groups joins them.
 */
#ifndef KMP_LEDGER_GROUP_KEYS_H
#define KMP_LEDGER_GROUP_KEYS_H

#include "base/pool.h"
#include "ledger/origin.h"

enum kmp_group_key {
	KMP_KEY_STACK,
	KMP_KEY_HANDLE,
	KMP_KEY_COMM,
	KMP_KEY_PID,
	KMP_KEY_TGID,
	KMP_KEY_ORDER,
	KMP_KEY_GFP,
	KMP_KEY_MIGRATETYPE,
	KMP_KEY_BLOCK,
	KMP_KEY_FLAGS,
	KMP_KEY_NODE,
	KMP_KEY_ZONE,
	KMP_KEY_MEMCG,
	KMP_KEY_MODULE,
	KMP_KEY_FUNCTION,
	KMP_KEY_ALLOCATOR,
	KMP_KEY_COUNT
};

/* A part with this bit is an unresolved stack's number, asked for again at the end. */
#define KMP_PART_UNRESOLVED (UINT32_C(1) << 31)

/* What is remembered to tell parts quickly. All zero is empty. */
struct kmp_parts {
	struct kmp_pool names;	 /* of modules and functions */
	struct kmp_pool places;	 /* distinct struct kmp_place */
	VEC(uint32_t) modules;	 /* by trace: number in names + 1, 0 for not asked yet */
	VEC(uint32_t) functions; /* likewise */
	VEC(uint32_t) zones;	 /* by flags: number in places + 1 */
	struct kmp_allocator_memo allocators;
	VEC(const char *) frames; /* of the value told last */
};

/*
 * The keys that a text names, joined with commas, each once: KMP_ERROR_USAGE. There is room for
 * KMP_KEY_COUNT of them.
 */
struct kmp_error *kmp_group_keys_parse(const char *text, enum kmp_group_key *keys,
				       size_t *count) must_check;

/* The keys' names, in the order of the enum. */
extern const char *const kmp_group_key_names[KMP_KEY_COUNT];

/* The columns that a key looks at. */
uint32_t kmp_group_key_columns(enum kmp_group_key key);

/* The parts of count page owners. */
struct kmp_error *kmp_parts_of(struct kmp_parts *parts, const struct kmp_ledger *ledger,
			       enum kmp_group_key key, const struct kmp_page *const *pages,
			       size_t count, uint32_t *out) must_check;

/* The value that a part stands for; its memory belongs to parts and ledger, until the next call. */
struct kmp_error *kmp_part_value(struct kmp_parts *parts, const struct kmp_ledger *ledger,
				 enum kmp_group_key key, uint32_t part,
				 struct kmp_value *value) must_check;

void kmp_parts_deinit(struct kmp_parts *parts);

#endif
