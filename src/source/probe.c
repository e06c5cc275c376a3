// SPDX-License-Identifier: GPL-2.0-only
#include "source/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/input.h"
#include "base/vec.h"
#include "format/allocinfo_uapi.h"

DEFINE_CLEANUP(input, struct kmp_input *, kmp_input_destroy)

enum { CONFIG_MAX = 4 << 20, FILE_MAX = 64 << 10 };

/* A feature, with what brought it. */
struct feature {
	const char *name;
	const char *since;
	const char *commit;
};

struct prober {
	struct kmp_probe probe; /* first: what is handed out */
	const char *root;	/* "" for this machine, whose descriptors can be tried */
	struct kmp_arena arena;
	VEC(struct kmp_probe_item) items;
	const char *release;
	const char *cmdline;
	char *config; /* NULL: cannot be read */
	struct kmp_error *err;
	/* Answers that others follow from. */
	const char *page_owner; /* NULL: not there, or not to be read */
	bool owner_on;
	bool owner_unbuilt;
	bool profiling_on;
	bool profiling_unbuilt;
};

static void deinit(struct prober *p)
{
	kmp_arena_deinit(&p->arena);
	vec_deinit(&p->items);
	free(p->config);
}

static const char *text(struct prober *p, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* A text that lives as long as the probe; "" when there is no memory. */
static const char *text(struct prober *p, const char *fmt, ...)
{
	char line[512];
	char *copy;
	va_list args;

	va_start(args, fmt);
	int len = vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	if (len < 0 || p->err)
		return "";
	p->err = kmp_arena_copy(&p->arena, line, strlen(line), &copy);
	return p->err ? "" : copy;
}

static void add(struct prober *p, struct feature f, const char *value, const char *detail)
{
	if (!p->err)
		p->err = vec_push(&p->items, (struct kmp_probe_item){ f.name, value, detail,
								      f.since ? f.since : "",
								      f.commit ? f.commit : "" });
}

static const char *yes_no(bool yes)
{
	return yes ? "yes" : "no";
}

/* The first bytes of a file without the last newline; NULL if it cannot be read. */
static const char *read_file(struct prober *p, const char *path)
{
	auto_free char *buffer = malloc(FILE_MAX);
	auto_fd int fd = open(text(p, "%s%s", p->root, path), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t len = fd < 0 || !buffer ? -1 : read(fd, buffer, FILE_MAX - 1);
	char *copy;

	if (len < 0 || p->err)
		return NULL;
	if (len && buffer[len - 1] == '\n')
		len--;
	p->err = kmp_arena_copy(&p->arena, buffer, (size_t)len, &copy);
	return p->err ? NULL : copy;
}

static bool exists(struct prober *p, const char *path)
{
	return !access(text(p, "%s%s", p->root, path), F_OK);
}

/* ---- The kernel ---- */

static struct kmp_error *load_config(const char *path, char **config)
{
	struct kmp_input *input cleanup(cleanup_input) = NULL;
	auto_free char *bytes = calloc(1, CONFIG_MAX + 2);
	size_t len = 1;

	if (!bytes)
		return &kmp_error_no_memory;
	bytes[0] = '\n';
	try(kmp_input_open(path, &input));
	for (size_t got = 1; got && len < CONFIG_MAX; len += got)
		try(kmp_input_read(input, bytes + len, CONFIG_MAX - len, &got));
	*config = no_free(bytes);
	return NULL;
}

/* `y`, `m`, `n`, or 0 where nobody knows. */
static char config_of(const struct prober *p, const char *option)
{
	char line[96];
	int len = snprintf(line, sizeof(line), "\nCONFIG_%s=", option);
	const char *at = p->config ? strstr(p->config, line) : NULL;

	if (!p->config)
		return 0;
	return at ? at[len] : 'n';
}

static void probe_kernel(struct prober *p)
{
	const char *version = read_file(p, "/proc/version");
	const char *paths[3];
	const char *found = NULL;
	char release[64] = "";

	if (version)
		sscanf(version, "Linux version %63s", release);
	p->release = text(p, "%s", release);
	add(p, (struct feature){ "kernel" }, *release ? p->release : "unknown", "");
	p->cmdline = read_file(p, "/proc/cmdline");
	paths[0] = text(p, "%s/proc/config.gz", p->root);
	paths[1] = text(p, "%s/boot/config-%s", p->root, release);
	paths[2] = text(p, "%s/lib/modules/%s/config", p->root, release);
	for (size_t i = 0; i < 3 && !found; i++) {
		struct kmp_error *err = load_config(paths[i], &p->config);

		found = err ? NULL : paths[i];
		kmp_error_destroy(err);
	}
	add(p, (struct feature){ "config" }, yes_no(found),
	    found ? found : "neither /proc/config.gz nor /boot/config-* can be read");
}

/* What the boot line says last of a parameter; NULL if nothing. */
static const char *boot_parameter(struct prober *p, const char *name)
{
	const char *value = NULL;
	size_t len = strlen(name);

	for (const char *at = p->cmdline; at && *at; at += strspn(at, " ")) {
		size_t word = strcspn(at, " ");

		if (word > len && !strncmp(at, name, len) && at[len] == '=')
			value = text(p, "%.*s", (int)(word - len - 1), at + len + 1);
		at += word;
	}
	return value;
}

/* ---- page_owner ---- */

static const char debug[] = "/sys/kernel/debug";

/* Where debugfs is mounted, or NULL. */
static const char *find_debugfs(struct prober *p)
{
	const char *mounts = read_file(p, "/proc/mounts");
	char type[32], place[256];

	for (const char *at = mounts; at && *at; at += strcspn(at, "\n"), at += *at == '\n') {
		if (sscanf(at, "%*s %255s %31s", place, type) == 2 && !strcmp(type, "debugfs"))
			return text(p, "%s", place);
	}
	return NULL;
}

static void probe_page_owner(struct prober *p)
{
	const char *place = find_debugfs(p);
	const char *file = text(p, "%s/page_owner", place ? place : debug);
	const char *path = text(p, "%s%s", p->root, file);
	const char *boot = boot_parameter(p, "page_owner");
	bool there = !access(path, F_OK);
	bool hidden = !there && (errno == EACCES || !place);
	char built = there ? 'y' : config_of(p, "PAGE_OWNER");

	p->owner_on = there || (hidden && boot && !strcmp(boot, "on"));
	p->owner_unbuilt = built == 'n';
	p->page_owner = !access(path, R_OK) ? path : NULL;
	add(p, (struct feature){ "debugfs" }, yes_no(place),
	    place ? place : "mount -t debugfs none /sys/kernel/debug");
	add(p,
	    (struct feature){ "page_owner.built", "3.19",
			      "mm/page_owner: keep track of page owners" },
	    built ? yes_no(built == 'y') : "unknown",
	    built == 'n' ? "built without CONFIG_PAGE_OWNER" : "");
	add(p, (struct feature){ "page_owner.on" },
	    hidden && !p->owner_on && built != 'n' && !p->cmdline ? "unknown" : yes_no(p->owner_on),
	    p->owner_on	   ? file
	    : built == 'n' ? ""
	    : boot	   ? text(p, "booted with page_owner=%s", boot)
			   : "the boot line lacks page_owner=on");
	add(p, (struct feature){ "page_owner.readable" }, yes_no(p->page_owner),
	    there && !p->page_owner ? "only root may read it" : "");
}

static bool takes(int fd, const char *words)
{
	return fd >= 0 && write(fd, words, strlen(words)) == (ssize_t)strlen(words);
}

/* A position that is a PFN: after a record, the number that it was printed with, and one. */
static bool seeks(int fd)
{
	char record[4096];
	ssize_t len = fd < 0 ? -1 : read(fd, record, sizeof(record) - 1);
	const char *pfn;

	if (len <= 0)
		return false;
	record[len] = '\0';
	pfn = strstr(record, "\nPFN ");
	return pfn && lseek(fd, 0, SEEK_CUR) == (off_t)strtoull(pfn + 5, NULL, 0) + 1;
}

/* Of what cannot be tried nothing is known, unless all of it is missing. */
static const char *tried(const struct prober *p, bool could, bool yes)
{
	return could ? yes_no(yes) : p->owner_unbuilt ? "no" : "unknown";
}

/* A descriptor's filter is its own: to try one disturbs nobody. */
static void probe_descriptor(struct prober *p)
{
	bool can = p->page_owner && !*p->root;
	auto_fd int fd = can ? open(p->page_owner, O_RDWR | O_CLOEXEC) : -1;
	auto_fd int plain = can ? open(p->page_owner, O_RDONLY | O_CLOEXEC) : -1;
	bool mode = takes(fd, "mode=stack");
	bool handle = takes(fd, "mode=handle");

	add(p, (struct feature){ "page_owner.filter", "7.3" }, tried(p, can, mode),
	    can && !mode ? "kmemprof filters by itself" : "");
	add(p, (struct feature){ "page_owner.handles", "7.3" }, tried(p, can, handle), "");
	add(p,
	    (struct feature){ "page_owner.seek", "6.1",
			      "mm/page_owner.c: add llseek for page_owner" },
	    tried(p, can, seeks(plain)), "");
}

static void probe_stacks(struct prober *p)
{
	const char *place = text(p, "%s/page_owner_stacks", debug);
	bool stacks = exists(p, text(p, "%s/show_stacks", place));
	bool handles = exists(p, text(p, "%s/show_handles", place)) &&
		       exists(p, text(p, "%s/show_stacks_handles", place));

	add(p,
	    (struct feature){ "page_owner.show_stacks", "6.9",
			      "mm,page_owner: display all stacks and their count" },
	    tried(p, p->page_owner || stacks, stacks), "");
	add(p, (struct feature){ "page_owner.show_handles", "7.3" },
	    tried(p, p->page_owner || stacks, handles), "");
}

/* ---- allocinfo ---- */

static const char *profiling_state(struct prober *p, bool there, const char **detail)
{
	const char *boot = boot_parameter(p, "sysctl.vm.mem_profiling");
	const char *sysctl = read_file(p, "/proc/sys/vm/mem_profiling");
	const char *said = sysctl ? sysctl : boot;

	*detail = boot ? text(p, "booted with sysctl.vm.mem_profiling=%s", boot) : "";
	if (boot && !strncmp(boot, "never", 5))
		return "never";
	if (said)
		return !strncmp(said, "1", 1) ? "on" : "off";
	return there ? "unknown" : "no";
}

static void probe_allocinfo(struct prober *p)
{
	struct kmp_allocinfo_content_id id;
	bool there = exists(p, "/proc/allocinfo");
	const char *head = there ? read_file(p, "/proc/allocinfo") : NULL;
	const char *boot = boot_parameter(p, "sysctl.vm.mem_profiling");
	char built = there ? 'y' : config_of(p, "MEM_ALLOC_PROFILING");
	char version[16] = "unknown";
	const char *detail;
	auto_fd int fd = *p->root ? -1 : open("/proc/allocinfo", O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (head)
		sscanf(head, "allocinfo - version: %15s", version);
	p->profiling_unbuilt = built == 'n';
	add(p,
	    (struct feature){ "allocinfo.text", "6.10",
			      "lib: add allocation tagging support for memory allocation "
			      "profiling" },
	    there ? text(p, "%s", version) : "no",
	    there && !head ? "only root may read it"
	    : built == 'n' ? "built without CONFIG_MEM_ALLOC_PROFILING"
			   : "");
	add(p, (struct feature){ "allocinfo.ioctl", "7.3" },
	    fd >= 0	   ? yes_no(!ioctl(fd, KMP_ALLOCINFO_IOC_CONTENT_ID, &id))
	    : built == 'n' ? "no"
			   : "unknown",
	    "");
	const char *state = profiling_state(p, there, &detail);

	p->profiling_on = !strcmp(state, "on");
	add(p, (struct feature){ "profiling" }, state, detail);
	add(p, (struct feature){ "profiling.compressed", "6.13" },
	    yes_no(boot && strstr(boot, ",compressed")), "");
}

/* ---- BPF ---- */

static bool has_capability(const struct prober *p, const char *status, int number)
{
	const char *at = status ? strstr(status, "\nCapEff:") : NULL;

	(void)p;
	return at && strtoull(at + 8, NULL, 16) >> number & 1;
}

/* `none [integrity] confidentiality`: the word in brackets. */
static const char *lockdown(struct prober *p)
{
	const char *all = read_file(p, "/sys/kernel/security/lockdown");
	const char *at = all ? strchr(all, '[') : NULL;

	return at ? text(p, "%.*s", (int)strcspn(at + 1, "]"), at + 1) : "none";
}

static void probe_bpf(struct prober *p)
{
	enum { PERFMON = 38, BPF = 39, SYS_ADMIN = 21 };
	const char *status = read_file(p, "/proc/self/status");
	const char *jit = read_file(p, "/proc/sys/net/core/bpf_jit_enable");
	const char *locked = lockdown(p);
	const char *why = "";
	bool btf = exists(p, "/sys/kernel/btf/vmlinux");
	bool all = has_capability(p, status, SYS_ADMIN);
	bool may = all && has_capability(p, status, BPF) && has_capability(p, status, PERFMON);
	bool events = exists(p, "/sys/kernel/tracing/events/kmem/mm_page_alloc") ||
		      exists(p, "/sys/kernel/debug/tracing/events/kmem/mm_page_alloc");

	add(p, (struct feature){ "bpf.btf", "5.4" }, yes_no(btf),
	    btf ? "" : "the kernel was built without CONFIG_DEBUG_INFO_BTF");
	add(p, (struct feature){ "bpf.capabilities" }, yes_no(may),
	    may ? "" : "root, or CAP_BPF, CAP_PERFMON and CAP_SYS_ADMIN");
	add(p, (struct feature){ "bpf.jit" }, jit ? yes_no(*jit != '0') : "unknown", "");
	add(p, (struct feature){ "bpf.lockdown", "5.4" }, locked, "");
	add(p, (struct feature){ "bpf.tracepoints", "2.6.32" }, events ? "yes" : "unknown",
	    events ? "kmem:mm_page_alloc" : "tracefs is not mounted, or closed to us");
	if (!btf)
		why = "the kernel has no BTF";
	else if (!strcmp(locked, "confidentiality"))
		why = "the kernel is locked down for confidentiality";
	else if (!may)
		why = "we may not: it takes root";
	add(p, (struct feature){ "bpf.record" }, yes_no(!*why), why);
}

/* ---- All of it ---- */

static void advise(struct prober *p)
{
	bool owner = !p->owner_on && !p->owner_unbuilt;
	bool tags = !p->profiling_on && !p->profiling_unbuilt;

	p->probe.boot_line =
		text(p, "%s%s%s", owner ? "page_owner=on" : "", owner && tags ? " " : "",
		     tags ? "sysctl.vm.mem_profiling=1" : "");
}

struct kmp_error *kmp_probe_kernel(const char *root, struct kmp_probe **probe)
{
	struct prober *p = calloc(1, sizeof(*p));

	if (!p)
		return &kmp_error_no_memory;
	p->root = root ? text(p, "%s", root) : "";
	probe_kernel(p);
	probe_page_owner(p);
	probe_descriptor(p);
	probe_stacks(p);
	probe_allocinfo(p);
	probe_bpf(p);
	advise(p);
	if (p->err) {
		struct kmp_error *err = p->err;

		kmp_probe_destroy(&p->probe);
		return err;
	}
	if (p->page_owner && !*p->root)
		kmp_probe_cost(p->page_owner, &p->probe.cost);
	p->probe.items = p->items.data;
	p->probe.count = p->items.len;
	*probe = &p->probe;
	return NULL;
}

void kmp_probe_destroy(struct kmp_probe *probe)
{
	if (!probe)
		return;
	deinit((struct prober *)probe);
	free(probe);
}
