// SPDX-License-Identifier: GPL-2.0-only
#include "source/recorder.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "source/bpf/record.skel.h"
#include "source/pids.h"
#include "source/recorder_tags.h"

enum {
	STACKS_DEFAULT = 65536,
	TASKS_DEFAULT = 12288,
	DEPTH_DEFAULT = 16,
	SHARES_MAX = 16,
	TAGS_DEFAULT = 16384,
	CONTEXTS_DEFAULT = 65536,
	OBJECTS_DEFAULT = 1 << 20,
	CHECK_EVERY = 1024, /* of stacks that the kernel's unwinder was not asked for */
};

DEFINE_CLEANUP(recorder, struct kmp_recorder *, kmp_recorder_destroy)

struct kmp_error *kmp_bpf_error(int err, const char *what)
{
	if (err == EPERM || err == EACCES)
		return kmp_error_new(KMP_ERROR_SYSTEM,
				     "%s: not permitted; recording needs root, or CAP_BPF, "
				     "CAP_PERFMON and CAP_SYS_ADMIN (page frames are secret)",
				     what);
	return kmp_error_system(err, NULL, "%s", what);
}

/* libbpf's chatter is for its developers. */
static int quiet(enum libbpf_print_level level, const char *fmt, va_list args)
{
	(void)level;
	if (getenv("KMEMPROF_DEBUG"))
		return vfprintf(stderr, fmt, args);
	return 0;
}

static struct kmp_error *size_maps(struct kmp_recorder *r)
{
	const struct kmp_recorder_options *o = &r->options;
	uint64_t slots = r->has_pages ? kmp_recorder_slots(r) : 1 << RECORD_SECTION_SHIFT;
	uint32_t stack_size = (uint32_t)kmp_record_stack_size(o);
	struct record *skel = r->skel;

	if (slots > UINT32_MAX / 2)
		return kmp_error_new(KMP_ERROR_LIMIT, "more than %u page frames", UINT32_MAX / 2);
	if (bpf_map__set_max_entries(skel->maps.pages, (uint32_t)slots) ||
	    bpf_map__set_max_entries(skel->maps.sections, r->sections.last + 1) ||
	    bpf_map__set_max_entries(skel->maps.stacks, o->max_stacks) ||
	    bpf_map__set_max_entries(skel->maps.stack_table, o->max_stacks) ||
	    bpf_map__set_value_size(skel->maps.stack_table, stack_size) ||
	    bpf_map__set_max_entries(skel->maps.stack_pages, o->max_stacks * r->shares) ||
	    bpf_map__set_max_entries(skel->maps.tasks, o->max_tasks) ||
	    bpf_map__set_max_entries(skel->maps.task_table, o->max_tasks) ||
	    bpf_map__set_max_entries(skel->maps.free_tasks, o->max_tasks) ||
	    bpf_map__set_max_entries(skel->maps.on_cpus, o->trace ? ON_CPU_COUNT : ON_CPU_PAGES))
		return kmp_bpf_error(errno, "cannot size the tables");
	return NULL;
}

/* Tests want stacks from the kernel's unwinder alone, or every one compared with that. */
static void choose_walks(struct kmp_recorder *r)
{
	const char *stacks = getenv("KMEMPROF_STACKS");
	struct record__rodata *ro = r->skel->rodata;

	if (stacks && !strcmp(stacks, "kernel"))
		r->calibration.orc.count = 0;
	ro->check_mask = stacks && !strcmp(stacks, "compare") ? 0 : CHECK_EVERY - 1;
	*(struct record_orc *)&ro->orc = r->calibration.orc;
	*(struct record_anchor *)&ro->anchor = r->calibration.anchor;
}

static void set_constants(struct kmp_recorder *r)
{
	const struct kmp_recorder_options *o = &r->options;
	struct record__rodata *ro = r->skel->rodata;

	ro->vmemmap = r->calibration.vmemmap;
	ro->page_struct_size = r->calibration.page_struct_size;
	if (!(ro->page_struct_size & (ro->page_struct_size - 1)))
		ro->page_struct_shift = (uint32_t)__builtin_ctzll(ro->page_struct_size);
	ro->stack_skip = r->calibration.stack_skip;
	ro->iterator = r->calibration.iterator;
	ro->iterator_size = r->calibration.iterator_size;
	choose_walks(r);
	ro->stack_depth = o->stack_depth;
	ro->max_stacks = o->max_stacks;
	ro->shares = r->shares;
	ro->max_tasks = o->max_tasks;
	ro->scope_pids = o->pids || o->follow;
	ro->scope_cgroup = o->cgroup != NULL;
	ro->follow_forks = o->follow;
}

static struct kmp_error *fill_sections(struct kmp_recorder *r)
{
	int fd = bpf_map__fd(r->skel->maps.sections);

	for (uint32_t i = 0; r->has_pages && i < r->sections.numbers.len; i++) {
		uint32_t base = (i << RECORD_SECTION_SHIFT) + 1;

		if (bpf_map_update_elem(fd, &r->sections.numbers.data[i], &base, BPF_ANY))
			return kmp_bpf_error(errno, "cannot fill the table of sections");
	}
	return NULL;
}

static struct kmp_error *add_process(struct kmp_recorder *r, uint32_t first)
{
	uint8_t one = 1;

	if (bpf_map_update_elem(bpf_map__fd(r->skel->maps.pids), &first, &one, BPF_ANY))
		return kmp_bpf_error(errno, "cannot add a process");
	return NULL;
}

static struct kmp_error *set_processes(struct kmp_recorder *r)
{
	const struct kmp_recorder_options *o = &r->options;
	auto_free uint32_t *first = calloc(o->pid_count ? o->pid_count : 1, sizeof(*first));

	if (!first)
		return &kmp_error_no_memory;
	for (size_t i = 0; i < o->pid_count; i++)
		try(kmp_pid_check(o->pids[i]));
	try(kmp_pids_translate(o->pids, o->pid_count, first));
	for (size_t i = 0; i < o->pid_count; i++)
		try(add_process(r, first[i]));
	return NULL;
}

static struct kmp_error *set_scope(struct kmp_recorder *r)
{
	const struct kmp_recorder_options *o = &r->options;
	uint32_t zero = 0;

	if (o->pids)
		try(set_processes(r));
	if (!o->cgroup)
		return NULL;
	r->cgroup_fd = open(o->cgroup, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (r->cgroup_fd < 0)
		return kmp_error_system(errno, o->cgroup, "cannot open the cgroup");
	if (bpf_map_update_elem(bpf_map__fd(r->skel->maps.cgroups), &zero, &r->cgroup_fd, BPF_ANY))
		return kmp_error_system(errno, o->cgroup, "is no cgroup of version 2");
	return NULL;
}

static size_t table_size(const struct bpf_map *map)
{
	return (size_t)bpf_map__max_entries(map) * bpf_map__value_size(map);
}

static struct kmp_error *map_table(const struct bpf_map *map, const void *out)
{
	void *mapped = mmap(NULL, table_size(map), PROT_READ, MAP_SHARED, bpf_map__fd(map), 0);

	if (mapped == MAP_FAILED)
		return kmp_bpf_error(errno, "cannot map the recorder's tables");
	*(void **)out = mapped;
	return NULL;
}

static void unmap_table(const struct bpf_map *map, const void *table)
{
	if (table)
		munmap((void *)table, table_size(map));
}

static struct kmp_error *map_tables(struct kmp_recorder *r)
{
	try(map_table(r->skel->maps.pages, &r->pages));
	try(map_table(r->skel->maps.stack_table, &r->stacks));
	try(map_table(r->skel->maps.stack_pages, &r->stack_pages));
	return map_table(r->skel->maps.task_table, &r->tasks);
}

/*
 * Some kernels refuse to have functions probed (6.18 under some lockdowns): go without. They are
 * asked before, for to load all programs takes a while, and are believed if they refuse then.
 */
static struct kmp_error *load_programs(struct kmp_recorder *r)
{
	int err = 0;

	for (int functions = kmp_recorder_can_probe(); functions >= 0; functions--) {
		r->skel = record__open();
		if (!r->skel)
			return kmp_bpf_error(errno, "cannot open the BPF programs");
		try(kmp_recorder_choose(r, functions));
		try(size_maps(r));
		try(kmp_recorder_tags_prepare(r));
		set_constants(r);
		err = record__load(r->skel);
		if (!err)
			return functions ? NULL
					 : kmp_recorder_absent(
						   r,
						   "this kernel refuses to have its functions "
						   "probed");
		record__destroy(no_free(r->skel));
	}
	return kmp_bpf_error(-err, "cannot load the BPF programs");
}

static struct kmp_error *load(struct kmp_recorder *r)
{
	try(load_programs(r));
	try(fill_sections(r));
	try(set_scope(r));
	return map_tables(r);
}

static void set_defaults(struct kmp_recorder_options *o)
{
	if (o->trace)
		o->what = KMP_READ_TAGS;
	if (!o->what)
		o->what = KMP_READ_PAGES;
	if (!o->stack_depth)
		o->stack_depth = DEPTH_DEFAULT;
	if (!o->max_stacks)
		o->max_stacks = STACKS_DEFAULT;
	if (!o->max_tasks)
		o->max_tasks = TASKS_DEFAULT;
	if (!o->max_tags)
		o->max_tags = o->trace ? CONTEXTS_DEFAULT : TAGS_DEFAULT;
	if (!o->max_objects)
		o->max_objects = OBJECTS_DEFAULT;
}

struct kmp_error *kmp_recorder_create(const struct kmp_recorder_options *options,
				      struct kmp_recorder **out)
{
	/* Kernels before 5.11 count maps against this. */
	const struct rlimit unlimited = { RLIM_INFINITY, RLIM_INFINITY };
	struct kmp_recorder *r cleanup(cleanup_recorder) = calloc(1, sizeof(*r));

	if (!r)
		return &kmp_error_no_memory;
	r->cgroup_fd = -1;
	kmp_task_numbers_init(&r->task_numbers, r);
	r->options = *options;
	set_defaults(&r->options);
	if (r->options.stack_depth > RECORD_DEPTH_MAX)
		return kmp_error_new(KMP_ERROR_USAGE, "stacks of %u frames: at most %d are kept",
				     r->options.stack_depth, (int)RECORD_DEPTH_MAX);
	if (r->options.max_tags > RECORD_TAGS_MAX || r->options.max_objects > RECORD_OBJECTS_MAX)
		return kmp_error_new(KMP_ERROR_LIMIT, "at most %d tags and %d objects",
				     (int)RECORD_TAGS_MAX, (int)RECORD_OBJECTS_MAX);
	r->shares = 1;
	while (r->shares < SHARES_MAX && r->shares < (uint32_t)get_nprocs_conf())
		r->shares *= 2;
	libbpf_set_print(quiet);
	setrlimit(RLIMIT_MEMLOCK, &unlimited);
	try(kmp_sections_find(&r->sections));
	try(kmp_calibrate(&r->calibration));
	try(kmp_recorder_tags_init(r));
	r->has_pages = r->trace.kind != RECORD_TRACE_CACHES;
	try(load(r));
	*out = no_free(r);
	return NULL;
}

struct kmp_error *kmp_recorder_start(struct kmp_recorder *r)
{
	int err = record__attach(r->skel);

	if (err)
		return kmp_bpf_error(-err, "cannot attach the BPF programs");
	r->attached = true;
	return r->mounted ? NULL : kmp_task_numbers_start(&r->task_numbers);
}

void kmp_recorder_stop(struct kmp_recorder *r)
{
	kmp_task_numbers_stop(&r->task_numbers);
	if (r->attached)
		record__detach(r->skel);
	r->attached = false;
}

struct kmp_error *kmp_recorder_follow(struct kmp_recorder *r, uint32_t pid)
{
	uint32_t first;

	try(kmp_pids_translate(&pid, 1, &first));
	return add_process(r, first);
}

void kmp_recorder_destroy(struct kmp_recorder *r)
{
	if (!r)
		return;
	kmp_task_numbers_deinit(&r->task_numbers);
	if (r->skel) {
		unmap_table(r->skel->maps.pages, r->pages);
		unmap_table(r->skel->maps.stack_table, r->stacks);
		unmap_table(r->skel->maps.stack_pages, r->stack_pages);
		unmap_table(r->skel->maps.task_table, r->tasks);
	}
	record__destroy(r->skel);
	kmp_sections_deinit(&r->sections);
	if (r->cgroup_fd >= 0)
		close(r->cgroup_fd);
	for (size_t i = 0; i < r->absent.len; i++)
		free(r->absent.data[i]);
	vec_deinit(&r->absent);
	if (r->names)
		kmp_kernel_names_deinit(r->names);
	free(r->names);
	vec_deinit(&r->allocators);
	kmp_debug_lines_close(r->lines);
	free(r);
}
