// SPDX-License-Identifier: GPL-2.0-only
/* Flags from kpageflags against those that page_owner printed on the same machine. */
#include "po-read.h"

#include <bpf/btf.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "source/kpage.h"
#include "source/page_flags.h"
#include "source/zones.h"

static void print(const struct kmp_page_flag_table *table, uint64_t kpf, const char *expected)
{
	char text[KMP_PAGE_FLAGS_TEXT_MAX];

	assert_int_equal(kmp_page_flags_print(table, kpf, 1, 2, text, sizeof(text)),
			 strlen(expected));
	assert_string_equal(text, expected);
}

#define BIT(name) ((uint64_t)1 << KMP_KPF_##name)

static void texts(void **state)
{
	struct kmp_page_flag_table table;
	char text[8] = "xxxxxxx";

	kmp_page_flag_table_init(&table, NULL);
	print(&table, 0, "0x0(node=1|zone=2)");
	print(&table, BIT(UPTODATE) | BIT(LRU) | BIT(OWNER_2) | BIT(SWAPBACKED) | BIT(ANON),
	      "0x20828(uptodate|lru|owner_2|swapbacked|node=1|zone=2)");
	print(&table, BIT(COMPOUND_HEAD) | BIT(SLAB), "0x40(head|node=1|zone=2)");
	print(&table, BIT(SWAPCACHE) | BIT(LOCKED) | BIT(WRITEBACK),
	      "0x403(locked|owner_priv_1|writeback|node=1|zone=2)");
	assert_int_equal(kmp_page_flags_print(&table, UINT64_MAX, -1, -1, text, sizeof(text)),
			 kmp_page_flags_print(&table, UINT64_MAX, -1, -1, NULL, 0));
	assert_string_equal(text, "0x1f7fd");
	assert_true(kmp_kpf_in_use(BIT(LRU)));
	assert_false(kmp_kpf_in_use(BIT(BUDDY)));
	assert_false(kmp_kpf_in_use(BIT(NOPAGE)));
}

/* `|NAME` at p ends here. */
static size_t name_len(const char *p)
{
	return strcspn(p, "|)");
}

static bool has_name(const char *text, const char *name, size_t len)
{
	for (const char *p = strchr(text, '('); p && *p != ')'; p += name_len(p)) {
		p++;
		if (name_len(p) == len && !memcmp(p, name, len))
			return true;
	}
	return false;
}

struct tally {
	size_t pages;
	size_t same;	 /* the whole text between the parentheses */
	size_t same_hex; /* and of these, the bits below node and zone */
	size_t untold;	 /* only `workingset` is missing, which kpageflags does not tell */
	size_t cleaned;	 /* only `dirty` is missing: written back between the two reads */
	size_t changed;	 /* all others */
};

/* The one name of a's that b lacks, "" if there is none or b lacks more. */
static void only_lack(const char *a, const char *b, char name[32])
{
	unsigned lacks = 0;

	*name = '\0';
	for (const char *p = strchr(a, '('); *p != ')'; p += name_len(p)) {
		p++;
		if (has_name(b, p, name_len(p)))
			continue;
		snprintf(name, 32, "%.*s", (int)name_len(p), p);
		lacks++;
	}
	if (lacks > 1)
		*name = '\0';
}

static void compare(struct tally *t, const char *kernel, const char *ours)
{
	char lack[32];
	char extra[32];

	t->pages++;
	only_lack(kernel, ours, lack);
	only_lack(ours, kernel, extra);
	if (!strcmp(strchr(kernel, '('), strchr(ours, '('))) {
		t->same++;
		t->same_hex += (strtoull(kernel, NULL, 16) & 0xffffff) == strtoull(ours, NULL, 16);
	} else if (!*extra && !strcmp(lack, "workingset")) {
		t->untold++;
	} else if (!*extra && !strcmp(lack, "dirty")) {
		t->cleaned++;
	} else {
		t->changed++;
	}
}

static void tally(const char *kernel, struct tally *t)
{
	struct kmp_page_flag_table table;
	struct kmp_zones zones;
	char name[128];
	char path[4096];
	size_t len;

	kmp_page_flag_table_init(&table, NULL);
	snprintf(name, sizeof(name), "captures/linux-%s/zoneinfo", kernel);
	data_path(name, path);
	assert_null(kmp_zones_load(path, &zones));
	snprintf(name, sizeof(name), "captures/linux-%s/kpageflags.xz", kernel);
	char *values = load_data(name, &len);
	snprintf(name, sizeof(name), "captures/linux-%s/page_owner.stack.xz", kernel);
	struct kmp_ledger *ledger = read_data(name);

	for (size_t i = 0; i < ledger->pages.len; i++) {
		const struct kmp_page *page = &ledger->pages.data[i];
		const struct kmp_zone *zone = kmp_zones_find(&zones, page->pfn);
		char text[KMP_PAGE_FLAGS_TEXT_MAX];
		uint64_t kpf;

		assert_true(page->pfn < len / sizeof(kpf));
		memcpy(&kpf, values + page->pfn * sizeof(kpf), sizeof(kpf));
		kmp_page_flags_print(&table, kpf, zone->node, zone->zone, text, sizeof(text));
		compare(t, text_of(ledger, KMP_DICT_FLAGS, page->flags), text);
	}
	print_message(
		"# Linux %s: %zu pages, %zu the same (%zu with the same bits), %zu without "
		"workingset, %zu no longer dirty, %zu changed\n",
		kernel, t->pages, t->same, t->same_hex, t->untold, t->cleaned, t->changed);
	kmp_ledger_destroy(ledger);
	kmp_zones_deinit(&zones);
	free(values);
}

/* The files were read one after the other: pages changed between. */
static void against_page_owner(void **state)
{
	static const char *const kernels[] = { "6.12", "7.3" };

	for (size_t i = 0; i < sizeof(kernels) / sizeof(*kernels); i++) {
		struct tally t = { 0 };

		tally(kernels[i], &t);
		assert_true(t.pages > 20000);
		assert_true(t.same + t.untold + t.cleaned > t.pages / 1000 * 998);
		assert_true(t.untold < t.pages / 50);
		assert_true(t.cleaned < t.pages / 10);
		assert_int_equal(t.same_hex, t.same);
	}
}

/* A page of our own, found by its PFN in the kernel's file. */
static void this_machine(void **state)
{
	struct btf *btf = btf__load_vmlinux_btf();
	struct kmp_page_flag_table table;
	struct kmp_kpage pagemap;
	struct kmp_kpage flags;
	struct kmp_error *err = kmp_kpage_open("/proc/kpageflags", &flags);

	if (err) {
		print_message("# /proc/kpageflags: %s\n", err->message);
		kmp_error_destroy(err);
		btf__free(btf);
		skip();
	}
	kmp_page_flag_table_init(&table, btf);
	btf__free(btf);
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	char *page =
		mmap(NULL, page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(page, MAP_FAILED);
	memset(page, 1, page_size);

	uint64_t entry;
	uint64_t kpf;
	size_t got;
	assert_null(kmp_kpage_open("/proc/self/pagemap", &pagemap));
	assert_null(kmp_kpage_read(&pagemap, (uintptr_t)page / page_size, &entry, 1, &got));
	kmp_kpage_close(&pagemap);
	assert_int_equal(got, 1);
	entry &= ((uint64_t)1 << 55) - 1;
	if (!entry) {
		print_message("# pagemap hides PFNs\n");
		skip();
	}
	assert_null(kmp_kpage_read(&flags, entry, &kpf, 1, &got));
	assert_int_equal(got, 1);
	char text[KMP_PAGE_FLAGS_TEXT_MAX];
	kmp_page_flags_print(&table, kpf, 0, 0, text, sizeof(text));
	print_message("# own page: %s\n", text);
	assert_true(kmp_kpf_in_use(kpf) && kmp_kpf_has(kpf, KMP_KPF_ANON));
	assert_true(has_name(text, "uptodate", 8) && has_name(text, "swapbacked", 10));
	munmap(page, page_size);

	assert_null(kmp_kpage_read(&flags, UINT64_MAX, &kpf, 1, &got));
	assert_int_equal(got, 0);
	assert_null(kmp_kpage_read(&flags, INT64_MAX / 8 - 1, &kpf, 1, &got));
	assert_int_equal(got, 0);
	kmp_kpage_close(&flags);
}

static void missing_file(void **state)
{
	struct kmp_kpage file;
	struct kmp_error *err = kmp_kpage_open("/nonexistent", &file);

	assert_int_equal(err->kind, KMP_ERROR_SYSTEM);
	assert_string_equal(err->path, "/nonexistent");
	kmp_error_destroy(err);
	kmp_kpage_close(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts),
		cmocka_unit_test(against_page_owner),
		cmocka_unit_test(this_machine),
		cmocka_unit_test(missing_file),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
