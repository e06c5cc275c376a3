// SPDX-License-Identifier: GPL-2.0-only
#include "cli/kernel.h"

#include <errno.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/common.h"

static const char allocinfo[] = "/proc/allocinfo";

/* Why page_owner cannot be read, or NULL if it can. */
static const char *page_owner_missing(void)
{
	struct statfs fs;

	if (!access(CLI_KERNEL "/page_owner", R_OK))
		return NULL;
	if (errno == EACCES)
		return "only root may read " CLI_KERNEL;
	if (statfs(CLI_KERNEL, &fs) || fs.f_type != DEBUGFS_MAGIC)
		return "debugfs is not mounted at " CLI_KERNEL
		       " ('mount -t debugfs none " CLI_KERNEL "')";
	return "the kernel was built without CONFIG_PAGE_OWNER or booted without page_owner=on";
}

static const char *allocinfo_missing(void)
{
	if (!access(allocinfo, R_OK))
		return NULL;
	return errno == EACCES ? "only root may read it"
			       : "the kernel was built without CONFIG_MEM_ALLOC_PROFILING or "
				 "booted with sysctl.vm.mem_profiling=never";
}

struct kmp_error *cli_kernel_check(const char *path)
{
	if (strcmp(path, CLI_KERNEL) || !access(CLI_KERNEL "/page_owner", F_OK))
		return NULL;
	if (errno == EACCES)
		return kmp_error_system(EACCES, CLI_KERNEL "/page_owner",
					"only root may read it; or name a file to read");
	return kmp_error_new(KMP_ERROR_INPUT,
			     "this kernel has no " CLI_KERNEL
			     "/page_owner: it takes "
			     "CONFIG_PAGE_OWNER, booting with page_owner=on, and debugfs mounted; "
			     "or name a file to read");
}

struct kmp_error *cli_kernel_choose(const char **path, const char **missing)
{
	const char *tags = allocinfo_missing();

	*missing = page_owner_missing();
	*path = *missing ? allocinfo : CLI_KERNEL;
	if (!*missing || !tags)
		return NULL;
	return kmp_error_new(KMP_ERROR_INPUT,
			     "this kernel has nothing to read: no page_owner (%s) and no %s (%s); "
			     "--source names files to read instead",
			     *missing, allocinfo, tags);
}

bool cli_has_counted(const struct kmp_ledger *ledger)
{
	for (size_t i = 0; i < kmp_ledger_count(ledger, KMP_LIST_TAGS); i++) {
		if (kmp_ledger_tags(ledger)[i].bytes || kmp_ledger_tags(ledger)[i].calls)
			return true;
	}
	return false;
}

struct kmp_error *cli_kernel_check_read(const struct kmp_ledger *ledger, const char *missing)
{
	if (!missing || !kmp_ledger_facts(ledger)->profiling_off || cli_has_counted(ledger))
		return NULL;
	return kmp_error_new(KMP_ERROR_INPUT,
			     "this kernel has nothing to read: no page_owner (%s), and allocation "
			     "profiling is off and has counted nothing ('sysctl "
			     "vm.mem_profiling=1' turns it on); --source names files to read "
			     "instead",
			     missing);
}
