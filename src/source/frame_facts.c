// SPDX-License-Identifier: GPL-2.0-only
#include "source/frame_facts.h"

#include <bpf/btf.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "ledger/ledger.h"

/* Below our other own handles, above the kernel's. */
enum { UNATTRIBUTED_HANDLE = KMP_OWN_HANDLE - 1 };

/* Pages that nobody was seen to allocate stand under a name of their own. */
static struct kmp_error *name_unattributed(struct kmp_frame_facts *f)
{
	static const char frame[] = "kmemprof_unattributed+0x0/0x0";
	static const char comm[] = "unattributed";
	struct kmp_task task = { 0, 0, KMP_NONE };
	struct kmp_stack stack = { .handle = UNATTRIBUTED_HANDLE, .has_handle = true };
	uint32_t number;

	try(kmp_ledger_add_text(f->ledger, KMP_DICT_COMM, comm, sizeof(comm) - 1, &task.comm));
	try(kmp_ledger_add_task(f->ledger, &task, &f->unattributed_task));
	try(kmp_ledger_add_text(f->ledger, KMP_DICT_FRAME, frame, sizeof(frame) - 1, &number));
	try(kmp_ledger_add_trace(f->ledger, &number, 1, &stack.trace));
	return kmp_ledger_add_stack(f->ledger, &stack, &f->unattributed_stack);
}

static struct kmp_error *open_memcgs(struct kmp_frame_facts *f)
{
	char root[4096];

	f->cgroup_fd = open("/proc/kpagecgroup", O_RDONLY | O_CLOEXEC);
	if (f->cgroup_fd < 0)
		return NULL;
	try(kmp_memcg_mount("/proc/self/mounts", root, sizeof(root)));
	return *root ? kmp_memcg_names_create(root, &f->memcgs) : NULL;
}

struct kmp_error *kmp_frame_facts_init(struct kmp_frame_facts *f, struct kmp_ledger *ledger)
{
	struct btf *btf = btf__load_vmlinux_btf();

	*f = (struct kmp_frame_facts){ .ledger = ledger, .last_gfp = KMP_NONE, .cgroup_fd = -1 };
	kmp_gfp_table_init(&f->gfp, btf);
	kmp_page_flag_table_init(&f->flag_names, btf);
	btf__free(btf);
	for (size_t i = 0; i < KMP_FLAGS_SLOTS; i++)
		f->flags_slots[i].number = KMP_NONE;
	f->flags_fd = open("/proc/kpageflags", O_RDONLY | O_CLOEXEC);
	if (f->flags_fd < 0)
		return kmp_error_system(errno, "/proc/kpageflags", "cannot open");
	try(kmp_zones_load("/proc/zoneinfo", &f->zones));
	try(kmp_pageblocks_load("/proc/pagetypeinfo", &f->blocks));
	try(open_memcgs(f));
	return name_unattributed(f);
}

void kmp_frame_facts_deinit(struct kmp_frame_facts *f)
{
	if (!f->ledger)
		return;
	if (f->flags_fd >= 0)
		close(f->flags_fd);
	if (f->cgroup_fd >= 0)
		close(f->cgroup_fd);
	vec_deinit(&f->flags);
	vec_deinit(&f->cgroups);
	kmp_zones_deinit(&f->zones);
	kmp_memcg_names_destroy(f->memcgs);
}

struct kmp_error *kmp_frame_facts_section(struct kmp_frame_facts *f, uint64_t start, uint64_t count)
{
	ssize_t got;

	f->start = start;
	f->flags.len = f->cgroups.len = 0;
	try(vec_reserve(&f->flags, count));
	got = pread(f->flags_fd, f->flags.data, count * 8, (off_t)(start * 8));
	if (got < 0)
		return kmp_error_system(errno, "/proc/kpageflags", "cannot read");
	f->flags.len = (size_t)got / 8;
	if (!f->memcgs)
		return NULL;
	try(vec_reserve(&f->cgroups, count));
	got = pread(f->cgroup_fd, f->cgroups.data, count * 8, (off_t)(start * 8));
	f->cgroups.len = got > 0 ? (size_t)got / 8 : 0;
	return NULL;
}

static uint64_t flags_of(const struct kmp_frame_facts *f, uint64_t pfn)
{
	uint64_t at = pfn - f->start;

	return at < f->flags.len ? f->flags.data[at] : 1ull << KMP_KPF_NOPAGE;
}

bool kmp_frame_facts_in_use(const struct kmp_frame_facts *f, uint64_t pfn, uint32_t *order)
{
	uint64_t flags = flags_of(f, pfn);
	uint64_t tails = 1;

	if (!kmp_kpf_in_use(flags) || kmp_kpf_has(flags, KMP_KPF_COMPOUND_TAIL))
		return false;
	while (kmp_kpf_has(flags, KMP_KPF_COMPOUND_HEAD) &&
	       kmp_kpf_has(flags_of(f, pfn + tails), KMP_KPF_COMPOUND_TAIL))
		tails++;
	*order = 0;
	while (1ull << (*order + 1) <= tails)
		++*order;
	return true;
}

static struct kmp_error *name_flags(struct kmp_frame_facts *f, uint64_t pfn, uint32_t *number)
{
	uint64_t kpf = flags_of(f, pfn);
	const struct kmp_zone *zone = kmp_zones_find(&f->zones, pfn);
	uint64_t hash = (kpf ^ (uintptr_t)zone) * 0x9e3779b97f4a7c15ull;
	struct kmp_flags_slot *slot = &f->flags_slots[hash >> 54];
	char text[KMP_PAGE_FLAGS_TEXT_MAX];

	if (slot->number == KMP_NONE || slot->kpf != kpf || slot->zone != zone) {
		size_t len = kmp_page_flags_print(&f->flag_names, kpf, zone ? zone->node : 0,
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
	uint64_t at = pfn - f->start;

	page->block = pfn >> f->blocks.order;
	try(name_flags(f, pfn, &page->flags));
	if (at < f->cgroups.len && f->cgroups.data[at])
		return name_charge(f, f->cgroups.data[at], &page->charge);
	return NULL;
}

struct kmp_error *kmp_frame_facts_gfp(struct kmp_frame_facts *f, uint32_t mask, uint32_t *number)
{
	char text[KMP_GFP_TEXT_MAX];

	if (f->last_gfp == KMP_NONE || f->last_mask != mask) {
		size_t len = kmp_gfp_print(&f->gfp, mask, text, sizeof(text));

		try(kmp_ledger_add_text(f->ledger, KMP_DICT_GFP, text, len, &f->last_gfp));
		f->last_mask = mask;
	}
	*number = f->last_gfp;
	return NULL;
}
