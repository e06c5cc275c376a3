// SPDX-License-Identifier: GPL-2.0-only
#include "source/kernel_names.h"

#include <bpf/btf.h>
#include <stdlib.h>
#include <string.h>

#include "source/memcg_names.h"

struct kmp_error *kmp_kernel_names_init(struct kmp_kernel_names *names)
{
	struct btf *btf = btf__load_vmlinux_btf();
	char root[4096];

	*names = (struct kmp_kernel_names){ 0 };
	kmp_gfp_table_init(&names->gfp, btf);
	kmp_page_flag_table_init(&names->flags, btf);
	btf__free(btf);
	try(kmp_symbols_load("/proc/kallsyms", &names->symbols));
	try(kmp_zones_load("/proc/zoneinfo", &names->zones));
	try(kmp_pageblocks_load("/proc/pagetypeinfo", &names->blocks));
	try(kmp_memcg_mount("/proc/self/mounts", root, sizeof(root)));
	names->memcg_root = strdup(root);
	return names->memcg_root ? NULL : &kmp_error_no_memory;
}

void kmp_kernel_names_deinit(struct kmp_kernel_names *names)
{
	kmp_symbols_destroy(names->symbols);
	kmp_zones_deinit(&names->zones);
	free(names->memcg_root);
}
