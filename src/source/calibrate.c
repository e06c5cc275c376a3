// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracepoints give the address of a struct page, and we want the number of the frame. The array of
 * struct page begins at a place that differs from boot to boot; what the kernel tells of our own
 * pages in /proc/self/pagemap, and which addresses the tracepoint shows meanwhile, tells where.
 */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "source/bpf/calibrate.h"
#include "source/bpf/calibrate.skel.h"
#include "source/recorder.h"
#include "source/symbols.h"
#include "source/unwind_tables.h"

enum { PROBES = 64, PAGE_SIZE = 4096 };

/* The array begins at a boundary that no other distance between page and frame falls on. */
#define BASE_ALIGN (1ull << 21)

DEFINE_CLEANUP(skel, struct calibrate *, calibrate__destroy)
DEFINE_CLEANUP(btf, struct btf *, btf__free)
DEFINE_CLEANUP(symbols, struct kmp_symbols *, kmp_symbols_destroy)

static uint32_t page_struct_size(void)
{
	struct btf *btf cleanup(cleanup_btf) = btf__load_vmlinux_btf();
	int id = btf ? btf__find_by_name_kind(btf, "page", BTF_KIND_STRUCT) : -1;
	const struct btf_type *type = id > 0 ? btf__type_by_id(btf, (uint32_t)id) : NULL;

	return type ? type->size : 64;
}

/* The frames of some pages of ours, which were not there before. */
static struct kmp_error *touch(volatile __u32 *armed, uint64_t pfns[PROBES])
{
	auto_fd int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	char *memory = mmap(NULL, PROBES * PAGE_SIZE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return &kmp_error_no_memory;
	madvise(memory, PROBES * PAGE_SIZE, MADV_NOHUGEPAGE);
	*armed = 1;
	for (size_t i = 0; i < PROBES; i++)
		memory[i * PAGE_SIZE] = 1;
	*armed = 0;
	off_t offset = (off_t)((uintptr_t)memory / PAGE_SIZE * sizeof(uint64_t));
	ssize_t got = fd < 0 ? -1 : pread(fd, pfns, PROBES * sizeof(*pfns), offset);
	int error = errno;

	munmap(memory, PROBES * PAGE_SIZE);
	if (got != (ssize_t)(PROBES * sizeof(*pfns)))
		return kmp_error_system(error, "/proc/self/pagemap", "cannot read");
	for (size_t i = 0; i < PROBES; i++)
		pfns[i] &= (1ull << 55) - 1;
	if (!pfns[0])
		return kmp_error_new(KMP_ERROR_INPUT,
				     "/proc/self/pagemap tells no page frames: "
				     "CAP_SYS_ADMIN is missing");
	return NULL;
}

static bool has(const __u64 *pages, uint32_t count, uint64_t page)
{
	for (uint32_t i = 0; i < count; i++) {
		if (pages[i] == page)
			return true;
	}
	return false;
}

/* The base by which most of our frames are among the pages seen. */
static struct kmp_error *find_base(const struct calibration *seen, const uint64_t pfns[PROBES],
				   struct kmp_calibration *c)
{
	unsigned best = 0;

	for (uint32_t i = 0; i < seen->count; i++) {
		uint64_t base = seen->pages[i] - pfns[0] * c->page_struct_size;
		unsigned found = 0;

		if (base % BASE_ALIGN)
			continue;
		for (size_t n = 0; n < PROBES; n++)
			found +=
				has(seen->pages, seen->count, base + pfns[n] * c->page_struct_size);
		if (found > best) {
			best = found;
			c->vmemmap = base;
		}
	}
	if (best >= PROBES * 3 / 4)
		return NULL;
	return kmp_error_new(KMP_ERROR_INPUT,
			     "this kernel's struct page cannot be located (%u of %d pages agree): "
			     "its memory model is not known to us",
			     best, (int)PROBES);
}

/*
 * Frames above the allocator's own: programs, trampolines, and the tracepoint's function that calls
 * several programs, which is not there when ours is the only one.
 */
static void find_skip(const struct calibration *seen, const struct kmp_symbols *symbols,
		      struct kmp_calibration *c)
{
	static const char iterator[] = "__traceiter_";
	struct kmp_symbol above = { .name = "" };

	for (uint32_t i = 0; i < CALIBRATE_DEPTH / 2; i++) {
		struct kmp_symbol symbol;

		if (!kmp_symbols_find(symbols, seen->stack[i], &symbol))
			symbol.name = "";
		if (!strncmp(symbol.name, "__alloc_pages", 13) ||
		    !strncmp(symbol.name, "__alloc_frozen_pages", 20)) {
			bool several = !strncmp(above.name, iterator, sizeof(iterator) - 1);

			c->stack_skip = i - several;
			c->iterator = several ? above.address : 0;
			c->iterator_size = several ? (uint32_t)above.size : 0;
			return;
		}
		above = symbol;
	}
}

static bool peek(void *arg, uint64_t from, size_t size, void *out)
{
	struct calibrate *skel = arg;
	LIBBPF_OPTS(bpf_test_run_opts, run);

	if (size > CALIBRATE_PEEK)
		return false;
	skel->bss->peek_from = from;
	skel->bss->peek_size = (uint32_t)size;
	if (bpf_prog_test_run_opts(bpf_program__fd(skel->progs.peek), &run) || run.retval)
		return false;
	memcpy(out, skel->bss->peeked, size);
	return true;
}

/* What the stack of the first page tells. */
static struct kmp_error *read_stack(struct calibrate *skel, struct kmp_calibration *c)
{
	const struct calibration *seen = &skel->bss->seen;
	struct btf *btf cleanup(cleanup_btf) = btf__load_vmlinux_btf();
	struct kmp_symbols *symbols cleanup(cleanup_symbols) = NULL;
	struct kmp_unwind_places places = kmp_unwind_places;

	try(kmp_symbols_load_places("/proc/kallsyms", places.all, KMP_UNWIND_PLACE_COUNT,
				    &symbols));
	find_skip(seen, symbols, c);
	const struct kmp_unwind_kernel kernel = { btf, symbols, &places, peek, skel };

	kmp_unwind_find(&kernel, seen, c);
	return NULL;
}

struct kmp_error *kmp_calibrate(struct kmp_calibration *c)
{
	struct calibrate *skel cleanup(cleanup_skel) = calibrate__open();
	LIBBPF_OPTS(bpf_test_run_opts, run);
	uint64_t pfns[PROBES];

	if (!skel)
		return kmp_bpf_error(errno, "cannot open the BPF programs");
	int err = calibrate__load(skel);
	if (!err)
		err = calibrate__attach(skel);
	if (err)
		return kmp_bpf_error(-err, "cannot load BPF programs");
	if (bpf_prog_test_run_opts(bpf_program__fd(skel->progs.learn_self), &run))
		return kmp_bpf_error(errno, "cannot run BPF programs");
	*c = (struct kmp_calibration){ .page_struct_size = page_struct_size() };
	try(touch(&skel->bss->armed, pfns));
	calibrate__detach(skel);
	try(find_base(&skel->bss->seen, pfns, c));
	return read_stack(skel, c);
}
