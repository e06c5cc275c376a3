// SPDX-License-Identifier: GPL-2.0-only
#include "source/pids.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "source/bpf/pids.skel.h"
#include "source/recorder.h"

DEFINE_CLEANUP(pids, struct pids *, pids__destroy)

/* The number of the first PID namespace's inode, which never changes. */
enum { FIRST_NAMESPACE = 0xeffffffc };

static struct kmp_error *no_process(uint32_t pid)
{
	return kmp_error_new(KMP_ERROR_INPUT, "there is no process %" PRIu32, pid);
}

struct kmp_error *kmp_pid_check(uint32_t pid)
{
	char path[32], line[256];
	uint32_t group = 0;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/status", pid);
	auto_file FILE *f = fopen(path, "re");

	while (f && !group && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "Tgid: %" SCNu32, &group) != 1)
			group = 0;
	}
	if (!group)
		return no_process(pid);
	if (group == pid)
		return NULL;
	return kmp_error_new(KMP_ERROR_INPUT, "%" PRIu32 " is a thread of process %" PRIu32, pid,
			     group);
}

static bool is_first_namespace(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) || st.st_ino == FIRST_NAMESPACE;
}

static struct kmp_error *run(struct pids *skel, const uint32_t *pids, size_t count)
{
	LIBBPF_OPTS(bpf_test_run_opts, options);
	int map = bpf_map__fd(skel->maps.numbers);
	uint32_t none = 0;

	for (size_t i = 0; i < count; i++) {
		if (bpf_map_update_elem(map, &pids[i], &none, BPF_ANY))
			return kmp_bpf_error(errno, "cannot ask for a process");
	}
	if (bpf_prog_test_run_opts(bpf_program__fd(skel->progs.find), &options))
		return kmp_bpf_error(errno, "cannot look for processes");
	return NULL;
}

struct kmp_error *kmp_pids_translate(const uint32_t *pids, size_t count, uint32_t *first)
{
	struct pids *skel cleanup(cleanup_pids) = NULL;

	if (is_first_namespace()) {
		memcpy(first, pids, count * sizeof(*pids));
		return NULL;
	}
	skel = pids__open();
	if (!skel || bpf_map__set_max_entries(skel->maps.numbers, (uint32_t)count))
		return kmp_bpf_error(errno, "cannot open the BPF programs");
	int err = pids__load(skel);

	if (err)
		return kmp_bpf_error(-err, "cannot load the BPF programs");
	try(run(skel, pids, count));
	for (size_t i = 0; i < count; i++) {
		if (bpf_map_lookup_elem(bpf_map__fd(skel->maps.numbers), &pids[i], &first[i]) ||
		    !first[i])
			return no_process(pids[i]);
	}
	return NULL;
}
