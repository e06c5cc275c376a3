// SPDX-License-Identifier: GPL-2.0-only
/*
 * Colours that say something: to which part of the kernel a function belongs, judged by how the
 * kernel names its functions. A wrong guess costs a wrong colour and nothing else.
 */
#include <string.h>

#include "format/flame.h"

struct prefix {
	const char *text;
	enum flame_hue hue;
};

/* The first that fits counts; leading underscores are left out before comparing. */
static const struct prefix functions[] = {
	{ "alloc_pages", HUE_ALLOCATOR },
	{ "alloc_frozen_pages", HUE_ALLOCATOR },
	{ "folio_alloc", HUE_ALLOCATOR },
	{ "vma_alloc_folio", HUE_ALLOCATOR },
	{ "get_free_page", HUE_ALLOCATOR },
	{ "get_page_from_freelist", HUE_ALLOCATOR },
	{ "post_alloc_hook", HUE_ALLOCATOR },
	{ "prep_new_page", HUE_ALLOCATOR },
	{ "set_page_owner", HUE_ALLOCATOR },
	{ "allocate_slab", HUE_ALLOCATOR },
	{ "alloc_slab", HUE_ALLOCATOR },
	{ "new_slab", HUE_ALLOCATOR },
	{ "refill_objects", HUE_ALLOCATOR },
	{ "refill_sheaf", HUE_ALLOCATOR },
	{ "pcs_replace", HUE_ALLOCATOR },
	{ "slab_alloc", HUE_ALLOCATOR },
	{ "kmem_cache", HUE_ALLOCATOR },
	{ "kmalloc", HUE_ALLOCATOR },
	{ "kzalloc", HUE_ALLOCATOR },
	{ "kvmalloc", HUE_ALLOCATOR },
	{ "vmalloc", HUE_ALLOCATOR },
	{ "krealloc", HUE_ALLOCATOR },
	{ "do_kmalloc", HUE_ALLOCATOR },
	{ "page_frag", HUE_ALLOCATOR },
	{ "pcpu_", HUE_ALLOCATOR },
	{ "alloc_percpu", HUE_ALLOCATOR },
	{ "dma_", HUE_ALLOCATOR },
	{ "x64_sys_", HUE_ENTRY },
	{ "arm64_sys_", HUE_ENTRY },
	{ "ia32_", HUE_ENTRY },
	{ "se_sys_", HUE_ENTRY },
	{ "do_syscall", HUE_ENTRY },
	{ "x64_sys", HUE_ENTRY },
	{ "ksys_", HUE_ENTRY },
	{ "sys_", HUE_ENTRY },
	{ "entry_", HUE_ENTRY },
	{ "el0", HUE_ENTRY },
	{ "el1", HUE_ENTRY },
	{ "asm_", HUE_ENTRY },
	{ "exc_", HUE_ENTRY },
	{ "invoke_syscall", HUE_ENTRY },
	{ "handle_softirqs", HUE_ENTRY },
	{ "do_softirq", HUE_ENTRY },
	{ "irq_", HUE_ENTRY },
	{ "start_kernel", HUE_BOOT },
	{ "x86_64_start", HUE_BOOT },
	{ "secondary_startup", HUE_BOOT },
	{ "common_startup", HUE_BOOT },
	{ "kernel_init", HUE_BOOT },
	{ "do_one_initcall", HUE_BOOT },
	{ "do_initcalls", HUE_BOOT },
	{ "do_basic_setup", HUE_BOOT },
	{ "rest_init", HUE_BOOT },
	{ "mm_core_init", HUE_BOOT },
	{ "memblock", HUE_BOOT },
	{ "register_early_stack", HUE_BOOT },
	{ "init_page_owner", HUE_BOOT },
	{ "page_ext", HUE_BOOT },
	{ "populate_rootfs", HUE_BOOT },
	{ "unpack_to_rootfs", HUE_BOOT },
	{ "tcp_", HUE_NETWORK },
	{ "udp", HUE_NETWORK },
	{ "inet", HUE_NETWORK },
	{ "ip_", HUE_NETWORK },
	{ "ip6_", HUE_NETWORK },
	{ "ipv6_", HUE_NETWORK },
	{ "unix_", HUE_NETWORK },
	{ "sock", HUE_NETWORK },
	{ "sk_", HUE_NETWORK },
	{ "skb", HUE_NETWORK },
	{ "alloc_skb", HUE_NETWORK },
	{ "netlink", HUE_NETWORK },
	{ "net_", HUE_NETWORK },
	{ "netif", HUE_NETWORK },
	{ "netdev", HUE_NETWORK },
	{ "dev_queue", HUE_NETWORK },
	{ "napi", HUE_NETWORK },
	{ "page_pool", HUE_NETWORK },
	{ "virtnet", HUE_NETWORK },
	{ "neigh", HUE_NETWORK },
	{ "rtnl", HUE_NETWORK },
	{ "copy_process", HUE_TASKS },
	{ "kernel_clone", HUE_TASKS },
	{ "kernel_thread", HUE_TASKS },
	{ "kthread", HUE_TASKS },
	{ "create_kthread", HUE_TASKS },
	{ "ret_from_fork", HUE_TASKS },
	{ "dup_", HUE_TASKS },
	{ "copy_page_range", HUE_TASKS },
	{ "copy_p4d", HUE_TASKS },
	{ "copy_pte", HUE_TASKS },
	{ "alloc_thread", HUE_TASKS },
	{ "fork", HUE_TASKS },
	{ "worker_thread", HUE_TASKS },
	{ "process_one_work", HUE_TASKS },
	{ "process_scheduled", HUE_TASKS },
	{ "bprm", HUE_TASKS },
	{ "load_elf", HUE_TASKS },
	{ "do_execve", HUE_TASKS },
	{ "exec_", HUE_TASKS },
	{ "mm_init", HUE_TASKS },
	{ "mm_alloc", HUE_TASKS },
	{ "vfs_", HUE_FILES },
	{ "filemap", HUE_FILES },
	{ "generic_file", HUE_FILES },
	{ "generic_perform", HUE_FILES },
	{ "page_cache", HUE_FILES },
	{ "read_pages", HUE_FILES },
	{ "shmem", HUE_FILES },
	{ "ramfs", HUE_FILES },
	{ "simple_", HUE_FILES },
	{ "ext4", HUE_FILES },
	{ "xfs_", HUE_FILES },
	{ "btrfs", HUE_FILES },
	{ "netfs", HUE_FILES },
	{ "v9fs", HUE_FILES },
	{ "f2fs", HUE_FILES },
	{ "nfs", HUE_FILES },
	{ "fuse_", HUE_FILES },
	{ "iomap", HUE_FILES },
	{ "mpage", HUE_FILES },
	{ "pipe", HUE_FILES },
	{ "anon_pipe", HUE_FILES },
	{ "splice", HUE_FILES },
	{ "d_alloc", HUE_FILES },
	{ "alloc_inode", HUE_FILES },
	{ "new_inode", HUE_FILES },
	{ "iget", HUE_FILES },
	{ "inode", HUE_FILES },
	{ "dentry", HUE_FILES },
	{ "lookup", HUE_FILES },
	{ "path_", HUE_FILES },
	{ "do_sys_open", HUE_FILES },
	{ "do_filp_open", HUE_FILES },
	{ "do_open", HUE_FILES },
	{ "open_", HUE_FILES },
	{ "seq_", HUE_FILES },
	{ "proc_", HUE_FILES },
	{ "kernfs", HUE_FILES },
	{ "sysfs", HUE_FILES },
	{ "debugfs", HUE_FILES },
	{ "new_sync_", HUE_FILES },
	{ "do_iter", HUE_FILES },
	{ "kernel_write", HUE_FILES },
	{ "kernel_read", HUE_FILES },
	{ "alloc_buffer", HUE_FILES },
	{ "getblk", HUE_FILES },
	{ "bio_", HUE_DEVICES },
	{ "blk", HUE_DEVICES },
	{ "submit_bio", HUE_DEVICES },
	{ "scsi", HUE_DEVICES },
	{ "nvme", HUE_DEVICES },
	{ "virtio", HUE_DEVICES },
	{ "virtqueue", HUE_DEVICES },
	{ "vring", HUE_DEVICES },
	{ "pci_", HUE_DEVICES },
	{ "usb_", HUE_DEVICES },
	{ "acpi", HUE_DEVICES },
	{ "driver_", HUE_DEVICES },
	{ "device_", HUE_DEVICES },
	{ "really_probe", HUE_DEVICES },
	{ "bus_", HUE_DEVICES },
	{ "tty", HUE_DEVICES },
	{ "drm", HUE_DEVICES },
	{ "handle_mm_fault", HUE_MEMORY },
	{ "handle_pte_fault", HUE_MEMORY },
	{ "do_user_addr_fault", HUE_MEMORY },
	{ "do_anonymous_page", HUE_MEMORY },
	{ "do_huge_pmd", HUE_MEMORY },
	{ "do_fault", HUE_MEMORY },
	{ "do_wp_page", HUE_MEMORY },
	{ "do_cow_fault", HUE_MEMORY },
	{ "do_read_fault", HUE_MEMORY },
	{ "do_shared_fault", HUE_MEMORY },
	{ "do_swap", HUE_MEMORY },
	{ "wp_page", HUE_MEMORY },
	{ "alloc_anon_folio", HUE_MEMORY },
	{ "vma_", HUE_MEMORY },
	{ "mmap", HUE_MEMORY },
	{ "do_mmap", HUE_MEMORY },
	{ "vm_mmap", HUE_MEMORY },
	{ "mprotect", HUE_MEMORY },
	{ "madvise", HUE_MEMORY },
	{ "do_madvise", HUE_MEMORY },
	{ "migrate", HUE_MEMORY },
	{ "compact", HUE_MEMORY },
	{ "kcompactd", HUE_MEMORY },
	{ "khugepaged", HUE_MEMORY },
	{ "collapse", HUE_MEMORY },
	{ "hugetlb", HUE_MEMORY },
	{ "folio_prealloc", HUE_MEMORY },
	{ "pte_alloc", HUE_MEMORY },
	{ "pmd_alloc", HUE_MEMORY },
	{ "pud_alloc", HUE_MEMORY },
	{ "p4d_alloc", HUE_MEMORY },
	{ "pgd_alloc", HUE_MEMORY },
	{ "pte_", HUE_MEMORY },
	{ "get_user_pages", HUE_MEMORY },
	{ "faultin", HUE_MEMORY },
	{ "populate_vma", HUE_MEMORY },
	{ "mm_populate", HUE_MEMORY },
	{ "mas_", HUE_MEMORY },
	{ "memcg", HUE_MEMORY },
	{ "mem_cgroup", HUE_MEMORY },
};

static const struct prefix directories[] = {
	{ "mm", HUE_MEMORY },	  { "fs", HUE_FILES },	      { "net", HUE_NETWORK },
	{ "kernel", HUE_TASKS },  { "drivers", HUE_DEVICES }, { "sound", HUE_DEVICES },
	{ "block", HUE_DEVICES }, { "init", HUE_BOOT },	      { "arch", HUE_ENTRY },
	{ "ipc", HUE_TASKS },	  { "security", HUE_OTHER },
};

static enum flame_hue hue_of_module(const char *name, size_t len)
{
	uint32_t hash = 2166136261u;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (unsigned char)name[i]) * 16777619u;
	return (enum flame_hue)(HUE_MODULE + (hash >> 8) % HUE_MODULES);
}

enum flame_hue kmp_flame_hue_of_function(const char *name, size_t len)
{
	const char *bracket = memmem(name, len, " [", 2);

	if (bracket && name[len - 1] == ']') {
		const char *module = bracket + 2, *end = name + len - 1;
		const char *blank = memchr(module, ' ', (size_t)(end - module));

		/* Behind a blank may stand the build ID, which no colour should depend on. */
		return hue_of_module(module, (size_t)((blank ? blank : end) - module));
	}
	while (len && *name == '_') {
		name++;
		len--;
	}
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		size_t want = strlen(functions[i].text);

		if (len >= want && memcmp(name, functions[i].text, want) == 0)
			return functions[i].hue;
	}
	return HUE_OTHER;
}

enum flame_hue kmp_flame_hue_of_directory(const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof(directories) / sizeof(directories[0]); i++) {
		if (len == strlen(directories[i].text) &&
		    memcmp(name, directories[i].text, len) == 0)
			return directories[i].hue;
	}
	return HUE_OTHER;
}

const char *kmp_flame_hue_label(enum flame_hue hue)
{
	static const char *const labels[HUES] = {
		[HUE_OTHER] = "other",
		[HUE_ALLOCATOR] = "allocator",
		[HUE_MEMORY] = "memory, faults",
		[HUE_FILES] = "files",
		[HUE_NETWORK] = "network",
		[HUE_TASKS] = "tasks",
		[HUE_ENTRY] = "entry, arch",
		[HUE_BOOT] = "boot",
		[HUE_DEVICES] = "devices",
		[HUE_KEY] = "",
		[HUE_MODULE] = "modules",
		[HUE_NEW] = "new",
		[HUE_GREW] = "grew",
		[HUE_GREW_LITTLE] = "by less than a tenth",
		[HUE_SAME] = "same",
		[HUE_SHRANK_LITTLE] = "by less than a tenth",
		[HUE_SHRANK] = "shrank",
		[HUE_GONE] = "gone",
	};

	return labels[hue] ? labels[hue] : "";
}
