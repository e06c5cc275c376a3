// SPDX-License-Identifier: GPL-2.0-only
#include "source/page_flags.h"

#include <bpf/btf.h>
#include <string.h>

#include "base/put.h"

#define LEN(array) (sizeof(array) / sizeof(*(array)))
#define KPF(name)  ((uint64_t)1 << KMP_KPF_##name)

/* A bit that the kernels of today no longer have. */
enum { GONE = -1 };

/* All that kpageflags tells, in page_owner's order; bits as they are from 6.12 on. */
static const struct known {
	const char *name;
	uint64_t kpf;
	int bit;
} known[] = {
	{ "locked", KPF(LOCKED), 0 },
	{ "error", KPF(ERROR), GONE }, /* until 6.12 */
	{ "referenced", KPF(REFERENCED), 2 },
	{ "uptodate", KPF(UPTODATE), 3 },
	{ "dirty", KPF(DIRTY), 4 },
	{ "lru", KPF(LRU), 5 },
	{ "active", KPF(ACTIVE), 8 },
	{ "slab", KPF(SLAB), GONE }, /* until 6.10: from then on a type, no flag */
	{ "owner_priv_1", KPF(OWNER_PRIVATE) | KPF(SWAPCACHE), 10 },
	{ "owner_2", KPF(OWNER_2), 11 },
	{ "arch_1", KPF(ARCH), 12 },
	{ "reserved", KPF(RESERVED), 13 },
	{ "private", KPF(PRIVATE), 14 },
	{ "private_2", KPF(PRIVATE_2), 15 },
	{ "writeback", KPF(WRITEBACK), 1 },
	{ "head", KPF(COMPOUND_HEAD), 6 },
	{ "mappedtodisk", KPF(OWNER_2), GONE }, /* until 6.12, when owner_2 took its place */
	{ "reclaim", KPF(RECLAIM), 16 },
	{ "swapbacked", KPF(SWAPBACKED), 17 },
	{ "unevictable", KPF(UNEVICTABLE), 18 },
	{ "mlocked", KPF(MLOCKED), 20 },
	{ "uncached", KPF(UNCACHED), GONE },
	{ "hwpoison", KPF(HWPOISON), 21 },
	{ "idle", KPF(IDLE), 22 },
	{ "arch_2", KPF(ARCH_2), 23 },
	{ "arch_3", KPF(ARCH_3), 24 },
};
_Static_assert(LEN(known) <= KMP_PAGE_FLAGS_MAX, "the table holds all that are known");

static const struct btf_type *find_enum(const struct btf *btf)
{
	int id = btf ? btf__find_by_name_kind(btf, "pageflags", BTF_KIND_ENUM) : -1;

	return id > 0 ? btf__type_by_id(btf, (uint32_t)id) : NULL;
}

/* The value of PG_name, or GONE. */
static int bit_of(const struct btf *btf, const struct btf_type *flags, const char *flag)
{
	const struct btf_enum *e = btf_enum(flags);

	for (unsigned i = 0; i < btf_vlen(flags); i++) {
		const char *name = btf__name_by_offset(btf, e[i].name_off);

		if (name && !strncmp(name, "PG_", 3) && !strcmp(name + 3, flag))
			return e[i].val >= 0 && e[i].val < 64 ? e[i].val : GONE;
	}
	return GONE;
}

void kmp_page_flag_table_init(struct kmp_page_flag_table *table, const struct btf *btf)
{
	const struct btf_type *flags = find_enum(btf);
	uint64_t told = 0;

	*table = (struct kmp_page_flag_table){ 0 };
	for (size_t i = 0; i < LEN(known); i++) {
		int bit = flags ? bit_of(btf, flags, known[i].name) : known[i].bit;

		/* PG_mappedtodisk lives on as another name for PG_owner_2. */
		if (bit == GONE || told >> bit & 1)
			continue;
		told |= (uint64_t)1 << bit;
		table->flags[table->count++] = (struct kmp_page_flag){
			known[i].name,
			known[i].kpf,
			(uint64_t)1 << bit,
		};
	}
}

size_t kmp_page_flags_print(const struct kmp_page_flag_table *table, uint64_t kpf, int32_t node,
			    int32_t zone, char *buf, size_t size)
{
	char text[KMP_PAGE_FLAGS_TEXT_MAX];
	char names[KMP_PAGE_FLAGS_TEXT_MAX];
	char *n = names;
	uint64_t bits = 0;

	for (size_t i = 0; i < table->count; i++) {
		const struct kmp_page_flag *f = &table->flags[i];

		if (!(kpf & f->kpf))
			continue;
		bits |= f->bit;
		n = put_bytes(n, f->name, strlen(f->name));
		*n++ = '|';
	}
	char *p = put_hex(put_literal(text, "0x"), bits, 1);
	*p++ = '(';
	p = put_bytes(p, names, (size_t)(n - names));
	p = put_signed(put_literal(p, "node="), node);
	p = put_signed(put_literal(p, "|zone="), zone);
	*p++ = ')';

	size_t len = (size_t)(p - text);
	if (size) {
		size_t fits = len < size ? len : size - 1;

		memcpy(buf, text, fits);
		buf[fits] = '\0';
	}
	return len;
}
