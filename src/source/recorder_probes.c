// SPDX-License-Identifier: GPL-2.0-only
/*
 * What this kernel can be asked for: which functions can be probed, which tracepoints there are and
 * what they show. Told by BTF, never by the kernel's version.
 */
#include "source/recorder.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>

#include "base/cleanup.h"
#include "source/bpf/record.skel.h"

DEFINE_CLEANUP(btf, struct btf *, btf__free)

struct kmp_error *kmp_recorder_absent(struct kmp_recorder *r, const char *what)
{
	char *line = strdup(what);

	if (!line)
		return &kmp_error_no_memory;
	struct kmp_error *err = vec_push(&r->absent, line);

	if (err)
		free(line);
	return err;
}

bool kmp_recorder_can_probe(void)
{
	static const struct bpf_insn nothing[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	struct btf *btf cleanup(cleanup_btf) = btf__load_vmlinux_btf();
	int id = btf ? btf__find_by_name_kind(btf, "split_page", BTF_KIND_FUNC) : -1;
	LIBBPF_OPTS(bpf_prog_load_opts, options, .expected_attach_type = BPF_TRACE_FENTRY,
		    .attach_btf_id = id > 0 ? (uint32_t)id : 0);

	if (id < 0)
		return true; /* not known */
	auto_fd int fd = bpf_prog_load(BPF_PROG_TYPE_TRACING, "probe", "GPL", nothing, 2, &options);

	return fd >= 0;
}

/* A function of the kernel that is probed if it is there. */
struct probe {
	struct bpf_program *program;
	const char *functions[3]; /* the first that is there */
	const char *absent;	  /* what is lost without */
	bool tags;		  /* for tags alone, not for pages */
	const char *found;	  /* filled in */
};

static struct kmp_error *choose_function(struct kmp_recorder *r, const struct btf *btf,
					 struct probe *probe, bool functions)
{
	bool wanted = probe->tags ? r->options.what & KMP_READ_TAGS : r->has_pages;

	functions = functions && wanted;
	for (size_t n = 0; functions && n < 3 && probe->functions[n] && !probe->found; n++) {
		if (btf__find_by_name_kind(btf, probe->functions[n], BTF_KIND_FUNC) > 0)
			probe->found = probe->functions[n];
	}
	bpf_program__set_autoload(probe->program, probe->found != NULL);
	if (probe->found && bpf_program__set_attach_target(probe->program, 0, probe->found))
		return kmp_bpf_error(errno, "cannot choose what to probe");
	if (!probe->found && probe->absent && wanted)
		return kmp_recorder_absent(r, probe->absent);
	return NULL;
}

/* Before 6.2 kvfree_call_rcu() had an offset where it has a pointer now. */
static bool frees_by_offset(const struct btf *btf)
{
	int id = btf__find_by_name_kind(btf, "kvfree_call_rcu", BTF_KIND_FUNC);
	const struct btf_type *function = id > 0 ? btf__type_by_id(btf, (uint32_t)id) : NULL;
	const struct btf_type *proto = function ? btf__type_by_id(btf, function->type) : NULL;

	return proto && btf_vlen(proto) == 2 &&
	       !strcmp(btf__name_by_offset(btf, btf_params(proto)[1].name_off), "func");
}

static struct kmp_error *choose_functions(struct kmp_recorder *r, const struct btf *btf,
					  bool functions)
{
	struct record *skel = r->skel;
	bool has_nolock = btf__find_by_name_kind(btf, "kfree_nolock", BTF_KIND_FUNC) > 0;
	struct probe probes[] = {
		/* 6.9 renamed it; 6.14 took the list argument away: the array is one nearer. */
		{ skel->progs.record_bulk,
		  { "alloc_pages_bulk_noprof", "__alloc_pages_bulk" },
		  "pages of the bulk allocator (vmalloc, page pools) are not seen" },
		{ skel->progs.record_split_owner, { "__split_page_owner" }, NULL },
		{ skel->progs.record_split,
		  { "split_page" },
		  "allocations that drivers split keep their order until they are freed" },
		{ skel->progs.record_migrate,
		  { "folio_migrate_flags" },
		  "migrated pages belong to who migrated them" },
		{ skel->progs.tags_alloc_bulk,
		  { "kmem_cache_alloc_bulk_noprof", "kmem_cache_alloc_bulk" },
		  "objects that are allocated in bulk are not seen",
		  true },
		{ skel->progs.tags_free_bulk,
		  { "kmem_cache_free_bulk" },
		  "objects that are freed in bulk are held until their memory is used again",
		  true },
		{ skel->progs.tags_free_rcu,
		  { "kvfree_call_rcu" },
		  "objects that kfree_rcu() frees are held until their memory is used again",
		  true },
		/* 7.0 has one below, which alloc_slab_obj_exts() calls as well. */
		{ skel->progs.tags_nolock,
		  { "__kmalloc_nolock_noprof", "_kmalloc_nolock_noprof", "kmalloc_nolock_noprof" },
		  has_nolock ? "objects of kmalloc_nolock() are not seen" : NULL,
		  true },
		{ skel->progs.tags_free_nolock,
		  { "kfree_nolock" },
		  has_nolock ? "objects that kfree_nolock() frees are held until their memory is "
			       "used again"
			     : NULL,
		  true },
		{ skel->progs.tags_free_rcu_nolock, { "kfree_call_rcu_nolock" }, NULL, true },
	};

	for (size_t i = 0; i < sizeof(probes) / sizeof(*probes); i++) {
		try(choose_function(r, btf, &probes[i], functions));
		if (probes[i].found && !strcmp(probes[i].found, "__alloc_pages_bulk"))
			skel->rodata->bulk_array_arg = 5;
	}
	/* Both would split twice. */
	if (bpf_program__autoload(skel->progs.record_split_owner))
		bpf_program__set_autoload(skel->progs.record_split, false);
	skel->rodata->rcu_by_offset = frees_by_offset(btf);
	return NULL;
}

/* The types that a tracepoint shows, behind its own first parameter; NULL: no such tracepoint. */
static const struct btf_type *tracepoint(const struct btf *btf, const char *name)
{
	char symbol[64];

	snprintf(symbol, sizeof(symbol), "btf_trace_%s", name);
	int id = btf__find_by_name_kind(btf, symbol, BTF_KIND_TYPEDEF);
	const struct btf_type *type = id > 0 ? btf__type_by_id(btf, (uint32_t)id) : NULL;

	if (type)
		type = btf__type_by_id(btf, type->type);
	if (type && btf_is_ptr(type))
		type = btf__type_by_id(btf, type->type);
	return type && btf_is_func_proto(type) ? type : NULL;
}

/* The second of its sizes is what was allocated, the first what was asked for. 0: it has none. */
static uint32_t size_argument(const struct btf *btf, const struct btf_type *proto)
{
	uint32_t sizes = 0;

	for (uint32_t i = 1; i < btf_vlen(proto); i++) {
		const struct btf_type *type = btf__type_by_id(btf, btf_params(proto)[i].type);

		if (type && btf_is_typedef(type) &&
		    !strcmp(btf__name_by_offset(btf, type->name_off), "size_t") && ++sizes == 2)
			return i - 1;
	}
	return 0;
}

static struct kmp_error *choose_tracepoints(struct kmp_recorder *r, const struct btf *btf)
{
	struct record *skel = r->skel;
	const struct {
		struct bpf_program *program;
		struct bpf_program *again; /* for what the first one missed */
		const char *name;
		uint32_t *bytes_arg; /* where to note it */
		bool twin;	     /* not in every kernel */
	} points[] = {
		{ skel->progs.tags_kmalloc, skel->progs.tags_kmalloc_again, "kmalloc",
		  (uint32_t *)&skel->rodata->kmalloc_bytes_arg, false },
		{ skel->progs.tags_kmalloc_node, skel->progs.tags_kmalloc_node_again,
		  "kmalloc_node", NULL, true },
		{ skel->progs.tags_cache_alloc, skel->progs.tags_cache_alloc_again,
		  "kmem_cache_alloc", (uint32_t *)&skel->rodata->cache_bytes_arg, false },
		{ skel->progs.tags_cache_alloc_node, skel->progs.tags_cache_alloc_node_again,
		  "kmem_cache_alloc_node", NULL, true },
		{ skel->progs.tags_kfree, skel->progs.tags_kfree_again, "kfree", NULL, false },
		{ skel->progs.tags_cache_free, skel->progs.tags_cache_free_again, "kmem_cache_free",
		  NULL, false },
	};

	for (size_t i = 0; i < sizeof(points) / sizeof(*points); i++) {
		bool wanted = r->options.what & KMP_READ_TAGS;
		const struct btf_type *proto = wanted ? tracepoint(btf, points[i].name) : NULL;

		bpf_program__set_autoload(points[i].program, proto != NULL);
		bpf_program__set_autoload(points[i].again, proto != NULL);
		if (proto && points[i].bytes_arg)
			*points[i].bytes_arg = size_argument(btf, proto);
		if (wanted && !proto && !points[i].twin) {
			char line[128];

			snprintf(line, sizeof(line), "this kernel has no tracepoint %s",
				 points[i].name);
			try(kmp_recorder_absent(r, line));
		}
	}
	if (r->trace.kind == RECORD_TRACE_CACHES && skel->rodata->cache_bytes_arg)
		return kmp_error_new(KMP_ERROR_INPUT,
				     "this kernel's tracepoints do not show an object's cache");
	return NULL;
}

/* Rules of modules' code are known as long as it is known when modules come and go. */
static void choose_modules(struct kmp_recorder *r, const struct btf *btf)
{
	struct record_orc *orc = &r->calibration.orc;
	bool told = orc->count && tracepoint(btf, "module_free") && tracepoint(btf, "module_load");

	if (!told)
		orc->modules = 0;
	bpf_program__set_autoload(r->skel->progs.orc_module_free, told);
	bpf_program__set_autoload(r->skel->progs.orc_module_load, told);
}

struct kmp_error *kmp_recorder_choose(struct kmp_recorder *r, bool functions)
{
	struct btf *btf cleanup(cleanup_btf) = btf__load_vmlinux_btf();

	if (!btf)
		return kmp_error_new(KMP_ERROR_INPUT,
				     "this kernel has no BTF "
				     "(/sys/kernel/btf/vmlinux): it was built "
				     "without CONFIG_DEBUG_INFO_BTF");
	bpf_program__set_autoload(r->skel->progs.record_alloc, r->has_pages);
	bpf_program__set_autoload(r->skel->progs.record_free, r->has_pages);
	bpf_program__set_autoload(r->skel->progs.record_free_again, r->has_pages);
	choose_modules(r, btf);
	try(choose_functions(r, btf, functions));
	return choose_tracepoints(r, btf);
}
