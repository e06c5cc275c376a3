// SPDX-License-Identifier: GPL-2.0-only
#include "ledger/allocator_names.h"

#include <stdlib.h>
#include <string.h>

struct name {
	const char *text;
	enum kmp_allocator_family family;
};

/* In byte order: it is searched by halves. */
static const struct name names[] = {
	{ "alloc_contig_frozen_pages", KMP_FAMILY_PAGE },
	{ "alloc_contig_frozen_range", KMP_FAMILY_PAGE },
	{ "alloc_contig_pages", KMP_FAMILY_PAGE },
	{ "alloc_contig_range", KMP_FAMILY_PAGE },
	{ "alloc_empty_sheaf", KMP_FAMILY_SLAB },
	{ "alloc_from_pcs", KMP_FAMILY_SLAB },
	{ "alloc_frozen_pages", KMP_FAMILY_PAGE },
	{ "alloc_frozen_pages_nolock", KMP_FAMILY_PAGE },
	{ "alloc_full_sheaf", KMP_FAMILY_SLAB },
	{ "alloc_page", KMP_FAMILY_PAGE },
	{ "alloc_page_interleave", KMP_FAMILY_PAGE },
	{ "alloc_page_vma", KMP_FAMILY_PAGE },
	{ "alloc_pages", KMP_FAMILY_PAGE },
	{ "alloc_single_from_new_slab", KMP_FAMILY_SLAB },
	{ "alloc_slab_obj_exts", KMP_FAMILY_SLAB },
	{ "alloc_slab_page", KMP_FAMILY_SLAB },
	{ "alloc_tagging_slab_alloc_hook", KMP_FAMILY_SLAB },
	{ "alloc_vmap_area", KMP_FAMILY_VMALLOC },
	{ "alloc_zeroed_user_highpage", KMP_FAMILY_PAGE },
	{ "alloc_zeroed_user_highpage_movable", KMP_FAMILY_PAGE },
	{ "allocate_slab", KMP_FAMILY_SLAB },
	{ "alternate_node_alloc", KMP_FAMILY_SLAB },
	{ "cache_alloc", KMP_FAMILY_SLAB },
	{ "cache_alloc_refill", KMP_FAMILY_SLAB },
	{ "cache_grow", KMP_FAMILY_SLAB },
	{ "cache_grow_begin", KMP_FAMILY_SLAB },
	{ "cma_alloc", KMP_FAMILY_PAGE },
	{ "cma_alloc_folio", KMP_FAMILY_PAGE },
	{ "cma_alloc_frozen", KMP_FAMILY_PAGE },
	{ "cma_alloc_frozen_compound", KMP_FAMILY_PAGE },
	{ "cma_alloc_range", KMP_FAMILY_PAGE },
	{ "cma_range_alloc", KMP_FAMILY_PAGE },
	{ "do_cache_alloc", KMP_FAMILY_SLAB },
	{ "do_kmalloc", KMP_FAMILY_SLAB },
	{ "do_kmalloc_node", KMP_FAMILY_SLAB },
	{ "do_slab_alloc_node", KMP_FAMILY_SLAB },
	{ "fallback_alloc", KMP_FAMILY_SLAB },
	{ "folio_alloc", KMP_FAMILY_PAGE },
	{ "folio_alloc_mpol", KMP_FAMILY_PAGE },
	{ "folio_alloc_node", KMP_FAMILY_PAGE },
	{ "get_any_partial", KMP_FAMILY_SLAB },
	{ "get_free_page", KMP_FAMILY_PAGE },
	{ "get_free_pages", KMP_FAMILY_PAGE },
	{ "get_page_from_freelist", KMP_FAMILY_PAGE },
	{ "get_vm_area", KMP_FAMILY_VMALLOC },
	{ "get_vm_area_node", KMP_FAMILY_VMALLOC },
	{ "get_zeroed_page", KMP_FAMILY_PAGE },
	{ "kcalloc", KMP_FAMILY_SLAB },
	{ "kmalloc", KMP_FAMILY_SLAB },
	{ "kmem_alloc_pages", KMP_FAMILY_SLAB },
	{ "kmem_cache_alloc", KMP_FAMILY_SLAB },
	{ "kmem_cache_prefill_sheaf", KMP_FAMILY_SLAB },
	{ "kmem_cache_refill_sheaf", KMP_FAMILY_SLAB },
	{ "kmem_cache_zalloc", KMP_FAMILY_SLAB },
	{ "kmem_getpages", KMP_FAMILY_SLAB },
	{ "krealloc", KMP_FAMILY_SLAB },
	{ "krealloc_node_align", KMP_FAMILY_SLAB },
	{ "kvmalloc", KMP_FAMILY_SLAB },
	{ "kvrealloc", KMP_FAMILY_SLAB },
	{ "kvrealloc_node_align", KMP_FAMILY_SLAB },
	{ "kvzalloc", KMP_FAMILY_SLAB },
	{ "kzalloc", KMP_FAMILY_SLAB },
	{ "memcg_alloc_page_obj_cgroups", KMP_FAMILY_SLAB },
	{ "memcg_alloc_slab_cgroups", KMP_FAMILY_SLAB },
	{ "memcg_slab_post_alloc_hook", KMP_FAMILY_SLAB },
	{ "mempool_alloc", KMP_FAMILY_PAGE },
	{ "mempool_alloc_pages", KMP_FAMILY_PAGE },
	{ "mempool_alloc_slab", KMP_FAMILY_SLAB },
	{ "mempool_kmalloc", KMP_FAMILY_SLAB },
	{ "new_slab", KMP_FAMILY_SLAB },
	{ "new_slab_objects", KMP_FAMILY_SLAB },
	{ "page_frag_alloc", KMP_FAMILY_PAGE },
	{ "page_frag_alloc_align", KMP_FAMILY_PAGE },
	{ "page_frag_cache_prepare", KMP_FAMILY_PAGE },
	{ "page_frag_cache_refill", KMP_FAMILY_PAGE },
	{ "pcs_replace_empty_main", KMP_FAMILY_SLAB },
	{ "pgalloc_tag_add", KMP_FAMILY_PAGE },
	{ "post_alloc_hook", KMP_FAMILY_PAGE },
	{ "prefill_sheaf_pfmemalloc", KMP_FAMILY_SLAB },
	{ "prep_new_page", KMP_FAMILY_PAGE },
	{ "prepare_slab_obj_exts_hook", KMP_FAMILY_SLAB },
	{ "refill_objects", KMP_FAMILY_SLAB },
	{ "refill_sheaf", KMP_FAMILY_SLAB },
	{ "rmqueue", KMP_FAMILY_PAGE },
	{ "rmqueue_bulk", KMP_FAMILY_PAGE },
	{ "save_stack", KMP_FAMILY_PAGE },
	{ "set_page_owner", KMP_FAMILY_PAGE },
	{ "set_page_owner_handle", KMP_FAMILY_PAGE },
	{ "slab_alloc", KMP_FAMILY_SLAB },
	{ "slab_alloc_node", KMP_FAMILY_SLAB },
	{ "slab_post_alloc_hook", KMP_FAMILY_SLAB },
	{ "slob_alloc", KMP_FAMILY_SLAB },
	{ "slob_alloc_node", KMP_FAMILY_SLAB },
	{ "slob_new_page", KMP_FAMILY_SLAB },
	{ "slob_new_pages", KMP_FAMILY_SLAB },
	{ "try_alloc_pages", KMP_FAMILY_PAGE },
	{ "vcalloc", KMP_FAMILY_VMALLOC },
	{ "vm_area_alloc_pages", KMP_FAMILY_VMALLOC },
	{ "vma_alloc_folio", KMP_FAMILY_PAGE },
	{ "vma_alloc_zeroed_movable_folio", KMP_FAMILY_PAGE },
	{ "vmalloc", KMP_FAMILY_VMALLOC },
	{ "vmalloc_32", KMP_FAMILY_VMALLOC },
	{ "vmalloc_32_user", KMP_FAMILY_VMALLOC },
	{ "vmalloc_area_node", KMP_FAMILY_VMALLOC },
	{ "vmalloc_array", KMP_FAMILY_VMALLOC },
	{ "vmalloc_huge", KMP_FAMILY_VMALLOC },
	{ "vmalloc_huge_node", KMP_FAMILY_VMALLOC },
	{ "vmalloc_node", KMP_FAMILY_VMALLOC },
	{ "vmalloc_node_range", KMP_FAMILY_VMALLOC },
	{ "vmalloc_user", KMP_FAMILY_VMALLOC },
	{ "vrealloc", KMP_FAMILY_VMALLOC },
	{ "vrealloc_node_align", KMP_FAMILY_VMALLOC },
	{ "vzalloc", KMP_FAMILY_VMALLOC },
	{ "vzalloc_node", KMP_FAMILY_VMALLOC },
};

/* Families of names that grow with each kernel, and hold nothing else. */
static const struct name prefixes[] = {
	{ "alloc_pages_", KMP_FAMILY_PAGE },
	{ "kmalloc_", KMP_FAMILY_SLAB },
	{ "kmem_cache_alloc_", KMP_FAMILY_SLAB },
	{ "kvmalloc_", KMP_FAMILY_SLAB },
};

struct word {
	const char *text;
	size_t len;
};

static int compare_name(const void *key, const void *item)
{
	const struct word *word = key;
	const struct name *name = item;
	size_t len = strlen(name->text);
	int result = memcmp(word->text, name->text, word->len < len ? word->len : len);

	return result ? result : (word->len > len) - (word->len < len);
}

static bool starts_with(const struct word *word, const char *prefix)
{
	size_t len = strlen(prefix);

	return word->len >= len && !memcmp(word->text, prefix, len);
}

static struct word plain_name(const char *symbol, size_t len)
{
	static const char noprof[] = "_noprof";
	const char *dot = memchr(symbol, '.', len);

	if (dot)
		len = (size_t)(dot - symbol);
	while (len && *symbol == '_') {
		symbol++;
		len--;
	}
	size_t tail = sizeof(noprof) - 1;

	if (len > tail && !memcmp(symbol + len - tail, noprof, tail))
		len -= tail;
	return (struct word){ symbol, len };
}

enum kmp_allocator_family kmp_allocator_family(const char *symbol, size_t len)
{
	struct word word = plain_name(symbol, len);
	const struct name *found =
		bsearch(&word, names, sizeof(names) / sizeof(*names), sizeof(*names), compare_name);

	if (found)
		return found->family;
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
		if (starts_with(&word, prefixes[i].text))
			return prefixes[i].family;
	}
	return KMP_FAMILY_NONE;
}

/* The slab allocator's own wants. */
static const char *const own_names[] = {
	"alloc_empty_sheaf", "alloc_slab_obj_exts", "alloc_slab_page",		"allocate_slab",
	"cache_grow_begin",  "kmem_getpages",	    "memcg_alloc_slab_cgroups", "new_slab",
};

bool kmp_allocator_passes(const char *symbol, size_t len)
{
	struct word word = plain_name(symbol, len);

	for (size_t i = 0; i < sizeof(own_names) / sizeof(*own_names); i++) {
		if (word.len == strlen(own_names[i]) && starts_with(&word, own_names[i]))
			return false;
	}
	/* The name was made shorter by what tells it. */
	return memmem(symbol, len, "_noprof", 7) != NULL ||
	       kmp_allocator_family(symbol, len) != KMP_FAMILY_NONE;
}
