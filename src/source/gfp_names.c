// SPDX-License-Identifier: GPL-2.0-only
#include "source/gfp_names.h"

#include <bpf/btf.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/cleanup.h"
#include "base/put.h"
#include "source/tracefs.h"

#define LEN(array) (sizeof(array) / sizeof(*(array)))

/* From bit 0 on. */
static const char *const default_bits[] = {
	"DMA",	 "HIGHMEM",    "DMA32",		"MOVABLE",  "RECLAIMABLE",    "HIGH",
	"IO",	 "FS",	       "ZERO",		"ATOMIC",   "DIRECT_RECLAIM", "KSWAPD_RECLAIM",
	"WRITE", "NOWARN",     "RETRY_MAYFAIL", "NOFAIL",   "NORETRY",	      "MEMALLOC",
	"COMP",	 "NOMEMALLOC", "HARDWALL",	"THISNODE", "ACCOUNT",	      "ZEROTAGS",
};

/* Names for several flags at once, each before those that are parts of it. */
static const struct composite {
	const char *name;
	const char *flags[12];
} composites[] = {
	{ "GFP_TRANSHUGE",
	  { "DIRECT_RECLAIM", "IO", "FS", "HARDWALL", "HIGHMEM", "MOVABLE", "COMP", "NOMEMALLOC",
	    "NOWARN" } },
	{ "GFP_TRANSHUGE_LIGHT",
	  { "IO", "FS", "HARDWALL", "HIGHMEM", "MOVABLE", "COMP", "NOMEMALLOC", "NOWARN" } },
	{ "GFP_HIGHUSER_MOVABLE",
	  { "DIRECT_RECLAIM", "KSWAPD_RECLAIM", "IO", "FS", "HARDWALL", "HIGHMEM", "MOVABLE" } },
	{ "GFP_HIGHUSER",
	  { "DIRECT_RECLAIM", "KSWAPD_RECLAIM", "IO", "FS", "HARDWALL", "HIGHMEM" } },
	{ "GFP_USER", { "DIRECT_RECLAIM", "KSWAPD_RECLAIM", "IO", "FS", "HARDWALL" } },
	{ "GFP_KERNEL_ACCOUNT", { "DIRECT_RECLAIM", "KSWAPD_RECLAIM", "IO", "FS", "ACCOUNT" } },
	{ "GFP_KERNEL", { "DIRECT_RECLAIM", "KSWAPD_RECLAIM", "IO", "FS" } },
	{ "GFP_NOFS", { "DIRECT_RECLAIM", "KSWAPD_RECLAIM", "IO" } },
	{ "GFP_ATOMIC", { "HIGH", "KSWAPD_RECLAIM" } },
	{ "GFP_NOIO", { "DIRECT_RECLAIM", "KSWAPD_RECLAIM" } },
	{ "GFP_NOWAIT", { "KSWAPD_RECLAIM" } },
	{ "GFP_DMA", { "DMA" } },
};

/* Behind those, since 6.15: "tracing: gfp: Remove duplication of recording GFP flags". */
static const char *const new_order[] = {
	"GFP_DMA32",
	"__GFP_RECLAIM",
	"__GFP_DMA",
	"__GFP_HIGHMEM",
	"__GFP_DMA32",
	"__GFP_MOVABLE",
	"__GFP_RECLAIMABLE",
	"__GFP_HIGH",
	"__GFP_IO",
	"__GFP_FS",
	"__GFP_ZERO",
	"__GFP_DIRECT_RECLAIM",
	"__GFP_KSWAPD_RECLAIM",
	"__GFP_WRITE",
	"__GFP_NOWARN",
	"__GFP_RETRY_MAYFAIL",
	"__GFP_NOFAIL",
	"__GFP_NORETRY",
	"__GFP_MEMALLOC",
	"__GFP_COMP",
	"__GFP_NOMEMALLOC",
	"__GFP_HARDWALL",
	"__GFP_THISNODE",
	"__GFP_ACCOUNT",
	"__GFP_ZEROTAGS",
	"__GFP_SKIP_ZERO",
	"__GFP_SKIP_KASAN",
	"__GFP_NOLOCKDEP",
	"__GFP_NO_OBJ_EXT",
};

static const char *const old_order[] = {
	"__GFP_HIGHMEM",
	"GFP_DMA32",
	"__GFP_HIGH",
	"__GFP_ATOMIC",
	"__GFP_IO",
	"__GFP_FS",
	"__GFP_NOWARN",
	"__GFP_RETRY_MAYFAIL",
	"__GFP_NOFAIL",
	"__GFP_NORETRY",
	"__GFP_COMP",
	"__GFP_ZERO",
	"__GFP_NOMEMALLOC",
	"__GFP_MEMALLOC",
	"__GFP_HARDWALL",
	"__GFP_THISNODE",
	"__GFP_RECLAIMABLE",
	"__GFP_MOVABLE",
	"__GFP_ACCOUNT",
	"__GFP_WRITE",
	"__GFP_RECLAIM",
	"__GFP_DIRECT_RECLAIM",
	"__GFP_KSWAPD_RECLAIM",
	"__GFP_ZEROTAGS",
	"__GFP_SKIP_ZERO",
	"__GFP_SKIP_KASAN",
};

static void add_bit(struct kmp_gfp_bits *bits, const char *name, size_t len, uint32_t bit)
{
	if (!len || len >= KMP_GFP_NAME_SIZE || bit >= KMP_GFP_BITS || bits->count == KMP_GFP_BITS)
		return;
	struct kmp_gfp_bit *b = &bits->bits[bits->count++];
	memcpy(b->name, name, len);
	b->name[len] = '\0';
	b->bit = bit;
}

void kmp_gfp_bits_default(struct kmp_gfp_bits *bits)
{
	*bits = (struct kmp_gfp_bits){ 0 };
	for (uint32_t i = 0; i < LEN(default_bits); i++)
		add_bit(bits, default_bits[i], strlen(default_bits[i]), i);
}

/* ___GFP_DMA_BIT = 0, …, ___GFP_LAST_BIT: an enum without a name. */
bool kmp_gfp_bits_btf(struct kmp_gfp_bits *bits, const struct btf *btf)
{
	static const char before[] = "___GFP_";
	static const size_t around = sizeof("___GFP__BIT") - 1;

	*bits = (struct kmp_gfp_bits){ 0 };
	for (uint32_t id = 1; id < btf__type_cnt(btf); id++) {
		const struct btf_type *t = btf__type_by_id(btf, id);

		if (btf_kind(t) != BTF_KIND_ENUM || t->name_off)
			continue;
		const struct btf_enum *e = btf_enum(t);
		for (unsigned i = 0; i < btf_vlen(t); i++) {
			const char *name = btf__name_by_offset(btf, e[i].name_off);
			size_t len = name ? strlen(name) : 0;

			if (len <= around || strncmp(name, before, sizeof(before) - 1) != 0 ||
			    strcmp(name + len - 4, "_BIT") != 0)
				break;
			if (strcmp(name, "___GFP_LAST_BIT") != 0)
				add_bit(bits, name + sizeof(before) - 1, len - around,
					(uint32_t)e[i].val);
		}
		if (bits->count)
			return true;
	}
	return false;
}

/* The flag's mask, 0 if this kernel has none. */
static uint64_t mask_of(const struct kmp_gfp_bits *bits, const char *flag)
{
	for (size_t i = 0; i < bits->count; i++) {
		if (!strcmp(bits->bits[i].name, flag))
			return (uint64_t)1 << bits->bits[i].bit;
	}
	return 0;
}

static void add_name(struct kmp_gfp_table *table, const char *name, uint64_t mask)
{
	if (!mask || table->count == KMP_GFP_NAMES_MAX)
		return;
	struct kmp_gfp_name *n = &table->names[table->count++];
	snprintf(n->name, sizeof(n->name), "%s", name);
	n->mask = mask;
}

static void add_composites(struct kmp_gfp_table *table, const struct kmp_gfp_bits *bits,
			   uint64_t atomic, uint64_t nowait)
{
	for (size_t i = 0; i < LEN(composites); i++) {
		const struct composite *c = &composites[i];
		uint64_t mask = 0;

		for (size_t f = 0; f < LEN(c->flags) && c->flags[f]; f++)
			mask |= mask_of(bits, c->flags[f]);
		if (!strcmp(c->name, "GFP_ATOMIC"))
			mask |= atomic;
		if (!strcmp(c->name, "GFP_NOWAIT"))
			mask |= nowait;
		add_name(table, c->name, mask);
	}
}

static void add_singles(struct kmp_gfp_table *table, const struct kmp_gfp_bits *bits,
			const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *flag = strstr(names[i], "GFP_") + 4;
		uint64_t mask = mask_of(bits, flag);

		if (!strcmp(flag, "RECLAIM"))
			mask = mask_of(bits, "DIRECT_RECLAIM") | mask_of(bits, "KSWAPD_RECLAIM");
		add_name(table, names[i], mask);
	}
}

static bool at_least(const char *release, unsigned major, unsigned minor)
{
	unsigned have_major = 0;
	unsigned have_minor = 0;

	sscanf(release, "%4u.%4u", &have_major, &have_minor);
	return have_major > major || (have_major == major && have_minor >= minor);
}

void kmp_gfp_table_release(struct kmp_gfp_table *table, const struct kmp_gfp_bits *bits,
			   const char *release)
{
	struct kmp_gfp_bits known = *bits;
	uint64_t nowarn = mask_of(bits, "NOWARN");

	/* 6.3: "mm: discard __GFP_ATOMIC"; 6.7: "gfp: include __GFP_NOWARN in GFP_NOWAIT" */
	for (size_t i = 0; at_least(release, 6, 3) && i < known.count; i++) {
		if (!strcmp(known.bits[i].name, "ATOMIC"))
			known.bits[i] = known.bits[--known.count];
	}
	*table = (struct kmp_gfp_table){ 0 };
	add_composites(table, &known, mask_of(&known, "ATOMIC"),
		       at_least(release, 6, 7) ? nowarn : 0);
	if (at_least(release, 6, 15))
		add_singles(table, &known, new_order, LEN(new_order));
	else
		add_singles(table, &known, old_order, LEN(old_order));
}

static bool read_format(struct kmp_gfp_table *table, const struct kmp_gfp_bits *bits)
{
	auto_free char *text = NULL;
	int dir auto_fd = -1;
	size_t len;
	struct kmp_error *err = kmp_tracefs_open(&dir);

	if (!err)
		err = kmp_tracefs_read(dir, "events/kmem/mm_page_alloc/format", &text, &len);
	if (err) {
		kmp_error_destroy(err);
		return false;
	}
	return kmp_gfp_table_format(table, bits, text);
}

void kmp_gfp_table_init(struct kmp_gfp_table *table, const struct btf *btf)
{
	struct kmp_gfp_bits bits;
	struct utsname name = { 0 };

	if (!btf || !kmp_gfp_bits_btf(&bits, btf))
		kmp_gfp_bits_default(&bits);
	if (read_format(table, &bits))
		return;
	uname(&name);
	kmp_gfp_table_release(table, &bits, name.release);
}

static size_t put_names(const struct kmp_gfp_table *table, uint64_t rest, char *start)
{
	char *p = start;

	for (size_t i = 0; rest && i < table->count; i++) {
		const struct kmp_gfp_name *n = &table->names[i];

		if ((rest & n->mask) != n->mask)
			continue;
		p = put_bytes(p, n->name, strlen(n->name));
		rest &= ~n->mask;
		if (rest)
			*p++ = '|';
	}
	if (rest)
		p = put_hex(put_literal(p, "0x"), rest, 1);
	return (size_t)(p - start);
}

size_t kmp_gfp_print(const struct kmp_gfp_table *table, uint32_t mask, char *buf, size_t size)
{
	char text[KMP_GFP_TEXT_MAX]; /* a name takes a bit at least */
	char *p = put_hex(put_literal(text, "0x"), mask, 1);

	*p++ = '(';
	p += put_names(table, mask, p);
	*p++ = ')';
	size_t len = (size_t)(p - text);
	if (size) {
		size_t fits = len < size ? len : size - 1;

		memcpy(buf, text, fits);
		buf[fits] = '\0';
	}
	return len;
}
