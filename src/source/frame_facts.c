// SPDX-License-Identifier: GPL-2.0-only
#include "source/frame_facts.h"

#include <bpf/btf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/kernel-page-flags.h>
#include <unistd.h>

#include "ledger/ledger.h"

/* Below our other own handles, above the kernel's. */
enum { UNATTRIBUTED_HANDLE = KMP_OWN_HANDLE - 1 };

#define HAS(flags, bit) ((flags) >> (bit)&1)

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

struct kmp_error *kmp_frame_facts_init(struct kmp_frame_facts *f, struct kmp_ledger *ledger)
{
	struct btf *btf = btf__load_vmlinux_btf();

	*f = (struct kmp_frame_facts){ .ledger = ledger, .last_gfp = KMP_NONE };
	kmp_gfp_table_init(&f->gfp, btf);
	btf__free(btf);
	f->flags_fd = open("/proc/kpageflags", O_RDONLY | O_CLOEXEC);
	if (f->flags_fd < 0)
		return kmp_error_system(errno, "/proc/kpageflags", "cannot open");
	return name_unattributed(f);
}

void kmp_frame_facts_deinit(struct kmp_frame_facts *f)
{
	if (f->ledger && f->flags_fd >= 0)
		close(f->flags_fd);
	vec_deinit(&f->flags);
}

struct kmp_error *kmp_frame_facts_section(struct kmp_frame_facts *f, uint64_t start, uint64_t count)
{
	f->start = start;
	f->flags.len = 0;
	try(vec_reserve(&f->flags, count));
	ssize_t got = pread(f->flags_fd, f->flags.data, count * 8, (off_t)(start * 8));

	if (got < 0)
		return kmp_error_system(errno, "/proc/kpageflags", "cannot read");
	f->flags.len = (size_t)got / 8;
	return NULL;
}

static uint64_t flags_of(const struct kmp_frame_facts *f, uint64_t pfn)
{
	uint64_t at = pfn - f->start;

	return at < f->flags.len ? f->flags.data[at] : 1ull << KPF_NOPAGE;
}

bool kmp_frame_facts_in_use(const struct kmp_frame_facts *f, uint64_t pfn, uint32_t *order)
{
	uint64_t flags = flags_of(f, pfn);
	uint64_t tails = 1;

	if (HAS(flags, KPF_NOPAGE) || HAS(flags, KPF_BUDDY) || HAS(flags, KPF_OFFLINE) ||
	    HAS(flags, KPF_COMPOUND_TAIL))
		return false;
	while (HAS(flags, KPF_COMPOUND_HEAD) && HAS(flags_of(f, pfn + tails), KPF_COMPOUND_TAIL))
		tails++;
	*order = 0;
	while (1ull << (*order + 1) <= tails)
		++*order;
	return true;
}

struct kmp_error *kmp_frame_facts_page(struct kmp_frame_facts *f, uint64_t pfn,
				       struct kmp_page *page)
{
	char text[64];
	int len = snprintf(text, sizeof(text), "0x0(node=0|zone=0)");

	page->block = pfn >> 9;
	return kmp_ledger_add_text(f->ledger, KMP_DICT_FLAGS, text, (size_t)len, &page->flags);
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
