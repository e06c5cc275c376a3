// SPDX-License-Identifier: GPL-2.0-only
/*
 * Figures of anywhere are parsed, and anybody may send requests: should one of them ever take over
 * this process, it finds little that it can do. Each step is for itself, and one that the kernel
 * refuses leaves the others: a service manager may have done the same before.
 */
#include "cli/serve/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"

/* Younger than some headers. */
#define KMP_CAP_PERFMON	    38
#define KMP_CAP_BPF	    39
#define KMP_ACCESS_REFER    (UINT64_C(1) << 13)
#define KMP_ACCESS_TRUNCATE (UINT64_C(1) << 14)

static void drop_capabilities(bool recorder)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { { 0 } };
	uint64_t keep = UINT64_C(1) << CAP_DAC_READ_SEARCH | UINT64_C(1) << CAP_SYSLOG;

	if (recorder)
		keep |= UINT64_C(1) << CAP_SYS_ADMIN | UINT64_C(1) << KMP_CAP_PERFMON |
			UINT64_C(1) << KMP_CAP_BPF;
	for (unsigned cap = 0; cap < 64; cap++) {
		if (!(keep >> cap & 1))
			prctl(PR_CAPBSET_DROP, cap, 0, 0, 0);
	}
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	if (syscall(SYS_capget, &head, data))
		return;
	for (int i = 0; i < 2; i++) {
		data[i].permitted &= (uint32_t)(keep >> 32 * i);
		data[i].effective &= (uint32_t)(keep >> 32 * i);
		data[i].inheritable = 0;
	}
	syscall(SYS_capset, &head, data);
}

static void allow(int rules, const char *path, uint64_t access)
{
	struct landlock_path_beneath_attr beneath = { .allowed_access = access };
	auto_fd int fd = open(path, O_PATH | O_CLOEXEC);

	beneath.parent_fd = fd;
	if (fd >= 0)
		syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0);
}

static void allow_beside(int rules, const char *path, uint64_t access)
{
	char *copy auto_free = strdup(path);

	if (copy)
		allow(rules, dirname(copy), access);
}

/* Whatever is written or started is refused; what is read is not looked at. */
static void guard_files(const struct serve_needs *needs)
{
	const uint64_t make = LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG;
	struct landlock_ruleset_attr attr = {
		.handled_access_fs = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE |
				     LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_MAKE_CHAR |
				     LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_SOCK |
				     LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK |
				     LANDLOCK_ACCESS_FS_MAKE_SYM | make,
	};
	long version =
		syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
	uint64_t write = LANDLOCK_ACCESS_FS_WRITE_FILE | (version > 2 ? KMP_ACCESS_TRUNCATE : 0);

	attr.handled_access_fs |= write | (version > 1 ? KMP_ACCESS_REFER : 0);
	auto_fd int rules = (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr), 0);

	if (version < 1 || rules < 0)
		return;
	if (needs->source)
		allow(rules, needs->source, LANDLOCK_ACCESS_FS_WRITE_FILE);
	if (needs->history)
		allow_beside(rules, needs->history, write | make);
	if (needs->socket)
		allow_beside(rules, needs->socket, LANDLOCK_ACCESS_FS_REMOVE_FILE);
	syscall(SYS_landlock_restrict_self, rules, 0);
}

#if defined(__x86_64__)
#define KMP_AUDIT_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define KMP_AUDIT_ARCH AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define KMP_AUDIT_ARCH AUDIT_ARCH_RISCV64
#endif

#ifdef KMP_AUDIT_ARCH
/* The recorder's come last. */
static const uint32_t refused_calls[] = {
	SYS_execve,
	SYS_execveat,
	SYS_socket,
	SYS_connect,
	SYS_bind,
	SYS_listen,
	SYS_mount,
	SYS_umount2,
	SYS_pivot_root,
	SYS_chroot,
	SYS_setns,
	SYS_unshare,
	SYS_init_module,
	SYS_finit_module,
	SYS_delete_module,
	SYS_kexec_load,
	SYS_reboot,
	SYS_swapon,
	SYS_swapoff,
	SYS_clock_settime,
	SYS_settimeofday,
	SYS_sethostname,
	SYS_acct,
	SYS_add_key,
	SYS_keyctl,
	SYS_request_key,
	SYS_userfaultfd,
	SYS_io_uring_setup,
	SYS_process_vm_writev,
	SYS_bpf,
	SYS_perf_event_open,
};
enum { REFUSED = sizeof(refused_calls) / sizeof(*refused_calls), OF_RECORDER = 2 };

static struct sock_filter load(size_t offset)
{
	return (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset);
}

static struct sock_filter skip(uint16_t test, uint32_t value, size_t if_so, size_t if_not)
{
	return (struct sock_filter)BPF_JUMP(BPF_JMP | test | BPF_K, value, (uint8_t)if_so,
					    (uint8_t)if_not);
}

static struct sock_filter decide(uint32_t what)
{
	return (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, what);
}

/* What this process never asks for again fails, and so do the calls of other architectures. */
static void guard_calls(bool recorder)
{
	struct sock_filter filter[REFUSED + 6];
	size_t count = REFUSED - (recorder ? OF_RECORDER : 0), len = 0;

	filter[len++] = load(offsetof(struct seccomp_data, arch));
	filter[len++] = skip(BPF_JEQ, KMP_AUDIT_ARCH, 0, count + 3);
	filter[len++] = load(offsetof(struct seccomp_data, nr));
	/* The x32 ABI has numbers of its own. */
	filter[len++] = skip(BPF_JGE, 0x40000000, count + 1, 0);
	for (size_t i = 0; i < count; i++)
		filter[len++] = skip(BPF_JEQ, refused_calls[i], count - i, 0);
	filter[len++] = decide(SECCOMP_RET_ALLOW);
	filter[len++] = decide(SECCOMP_RET_ERRNO | EPERM);
	const struct sock_fprog program = { (unsigned short)len, filter };

	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}
#else
static void guard_calls(bool recorder)
{
}
#endif

void serve_confine(const struct serve_needs *needs)
{
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	guard_files(needs);
	drop_capabilities(needs->recorder);
	guard_calls(needs->recorder);
}
