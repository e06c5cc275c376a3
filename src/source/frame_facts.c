// SPDX-License-Identifier: GPL-2.0-only
#include "source/frame_facts.h"

#include <string.h>

#include "ledger/ledger.h"

static struct kmp_error *open_memcgs(struct kmp_frame_facts *f)
{
	struct kmp_error *err = kmp_kpage_open("/proc/kpagecgroup", &f->cgroup_file);

	if (err) { /* a kernel without memory cgroups */
		kmp_error_destroy(err);
		return NULL;
	}
	return *f->names->memcg_root ? kmp_memcg_names_create(f->names->memcg_root, &f->memcgs)
				     : NULL;
}

struct kmp_error *kmp_frame_facts_init(struct kmp_frame_facts *f,
				       const struct kmp_kernel_names *names,
				       struct kmp_ledger *ledger)
{
	memset(f, 0, sizeof(*f));
	f->names = names;
	f->ledger = ledger;
	f->last_gfp = KMP_NONE;
	f->pfn = KMP_UNKNOWN;
	f->flags_file.fd = f->cgroup_file.fd = -1;
	for (size_t i = 0; i < KMP_FLAGS_SLOTS; i++)
		f->flags_slots[i].number = KMP_NONE;
	try(kmp_kpage_open("/proc/kpageflags", &f->flags_file));
	return open_memcgs(f);
}

void kmp_frame_facts_deinit(struct kmp_frame_facts *f)
{
	if (!f->ledger)
		return;
	kmp_kpage_close(&f->flags_file);
	kmp_kpage_close(&f->cgroup_file);
	kmp_memcg_names_destroy(f->memcgs);
}

void kmp_frame_facts_forget(struct kmp_frame_facts *f)
{
	f->have = 0;
	f->pfn = KMP_UNKNOWN;
}

static struct kmp_error *load_window(struct kmp_frame_facts *f, uint64_t pfn)
{
	size_t charged = 0;

	f->start = pfn;
	f->have = 0;
	try(kmp_kpage_read(&f->flags_file, pfn, f->flags, KMP_FACTS_WINDOW, &f->have));
	if (f->memcgs)
		try(kmp_kpage_read(&f->cgroup_file, pfn, f->cgroups, f->have, &charged));
	for (size_t i = f->have; i < KMP_FACTS_WINDOW; i++)
		f->flags[i] = 1ull << KMP_KPF_NOPAGE;
	memset(f->cgroups + charged, 0, (KMP_FACTS_WINDOW - charged) * sizeof(*f->cgroups));
	f->have = KMP_FACTS_WINDOW;
	return NULL;
}

static struct kmp_error *flags_of(struct kmp_frame_facts *f, uint64_t pfn, uint64_t *flags)
{
	if (pfn < f->start || pfn - f->start >= f->have)
		try(load_window(f, pfn));
	*flags = f->flags[pfn - f->start];
	return NULL;
}

/* Make this the frame that is asked for; its flags stay when the window moves on. */
static struct kmp_error *look_at(struct kmp_frame_facts *f, uint64_t pfn)
{
	if (f->pfn == pfn)
		return NULL;
	try(flags_of(f, pfn, &f->pfn_flags));
	f->pfn_cgroup = f->cgroups[pfn - f->start];
	f->pfn = pfn;
	return NULL;
}

struct kmp_error *kmp_frame_facts_in_use(struct kmp_frame_facts *f, uint64_t pfn, bool *in_use,
					 uint32_t *order)
{
	uint64_t tails = 1;

	try(look_at(f, pfn));
	*in_use = kmp_kpf_in_use(f->pfn_flags) && !kmp_kpf_has(f->pfn_flags, KMP_KPF_COMPOUND_TAIL);
	*order = 0;
	if (!*in_use || !kmp_kpf_has(f->pfn_flags, KMP_KPF_COMPOUND_HEAD))
		return NULL;
	for (;; tails++) {
		uint64_t flags;

		try(flags_of(f, pfn + tails, &flags));
		if (!kmp_kpf_has(flags, KMP_KPF_COMPOUND_TAIL))
			break;
	}
	while (1ull << (*order + 1) <= tails)
		++*order;
	return NULL;
}

static struct kmp_error *name_flags(struct kmp_frame_facts *f, uint32_t *number)
{
	uint64_t kpf = f->pfn_flags;
	const struct kmp_zone *zone = kmp_zones_find(&f->names->zones, f->pfn);
	uint64_t hash = (kpf ^ (uintptr_t)zone) * 0x9e3779b97f4a7c15ull;
	struct kmp_flags_slot *slot = &f->flags_slots[hash >> 54];
	char text[KMP_PAGE_FLAGS_TEXT_MAX];

	if (slot->number == KMP_NONE || slot->kpf != kpf || slot->zone != zone) {
		size_t len = kmp_page_flags_print(&f->names->flags, kpf, zone ? zone->node : 0,
						  zone ? zone->zone : 0, text, sizeof(text));

		try(kmp_ledger_add_text(f->ledger, KMP_DICT_FLAGS, text, len, &slot->number));
		slot->kpf = kpf;
		slot->zone = zone;
	}
	*number = slot->number;
	return NULL;
}

static struct kmp_error *name_charge(struct kmp_frame_facts *f, uint64_t inode, uint32_t *number)
{
	struct kmp_charge_slot *slot = &f->charge_slots[inode % KMP_CHARGE_SLOTS];
	struct kmp_charge charge = { 0 };
	struct kmp_memcg_name name;

	if (slot->inode != inode) {
		try(kmp_memcg_names_find(f->memcgs, inode, &name));
		charge.offline = name.offline;
		try(kmp_ledger_add_text(f->ledger, KMP_DICT_MEMCG, name.name, strlen(name.name),
					&charge.memcg));
		try(kmp_ledger_add_charge(f->ledger, &charge, &slot->number));
		slot->inode = inode;
	}
	*number = slot->number;
	return NULL;
}

struct kmp_error *kmp_frame_facts_page(struct kmp_frame_facts *f, uint64_t pfn,
				       struct kmp_page *page)
{
	try(look_at(f, pfn));
	page->block = pfn >> f->names->blocks.order;
	try(name_flags(f, &page->flags));
	return f->pfn_cgroup ? name_charge(f, f->pfn_cgroup, &page->charge) : NULL;
}

struct kmp_error *kmp_frame_facts_gfp(struct kmp_frame_facts *f, uint32_t mask, uint32_t *number)
{
	char text[KMP_GFP_TEXT_MAX];

	if (f->last_gfp == KMP_NONE || f->last_mask != mask) {
		size_t len = kmp_gfp_print(&f->names->gfp, mask, text, sizeof(text));

		try(kmp_ledger_add_text(f->ledger, KMP_DICT_GFP, text, len, &f->last_gfp));
		f->last_mask = mask;
	}
	*number = f->last_gfp;
	return NULL;
}
