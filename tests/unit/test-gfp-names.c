// SPDX-License-Identifier: GPL-2.0-only
/* Masks to names: what kernels printed, printed again from their numbers. */
#include "po-read.h"

#include <bpf/btf.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "source/gfp_names.h"
#include "source/tracefs.h"

static struct kmp_gfp_table of_release(const char *release)
{
	struct kmp_gfp_table table;
	struct kmp_gfp_bits bits;

	kmp_gfp_bits_default(&bits);
	kmp_gfp_table_release(&table, &bits, release);
	return table;
}

static struct kmp_gfp_table of_format(const char *data)
{
	struct kmp_gfp_table table;
	struct kmp_gfp_bits none = { 0 };
	size_t len;
	char *text = load_data(data, &len);

	text = realloc(text, len + 1);
	text[len] = '\0';
	assert_true(kmp_gfp_table_format(&table, &none, text));
	free(text);
	return table;
}

static void expect(const struct kmp_gfp_table *table, uint32_t mask, const char *text)
{
	char buf[KMP_GFP_TEXT_MAX];

	assert_int_equal(kmp_gfp_print(table, mask, buf, sizeof(buf)), strlen(text));
	assert_string_equal(buf, text);
}

/* Each distinct mask of a kernel's page_owner. */
static void masks_of(const char *kernel, const struct kmp_gfp_table *table)
{
	char name[128];
	size_t masks = 0;

	snprintf(name, sizeof(name), "captures/linux-%s/page_owner.stack.xz", kernel);
	struct kmp_ledger *ledger = read_data(name);
	for (uint32_t i = 0; kmp_ledger_text(ledger, KMP_DICT_GFP, i, NULL); i++) {
		const char *text = text_of(ledger, KMP_DICT_GFP, i);

		if (!*text)
			continue;
		expect(table, (uint32_t)strtoul(text, NULL, 16), text);
		masks++;
	}
	assert_true(masks >= 20);
	print_message("# Linux %s: %zu masks\n", kernel, masks);
	kmp_ledger_destroy(ledger);
}

static void masks_of_releases(void **state)
{
	struct kmp_gfp_table table = of_release("6.1.192");

	masks_of("6.1", &table);
	table = of_release("6.12.95");
	masks_of("6.12", &table);
	table = of_release("7.3.4");
	masks_of("7.3", &table);
}

/* The format of 6.18 has the names and bits of 7.3. */
static void masks_by_format(void **state)
{
	struct kmp_gfp_table table = of_format("captures/linux-6.18/mm_page_alloc-format.xz");

	masks_of("7.3", &table);
	expect(&table, 0x1000000, "0x1000000(__GFP_NO_OBJ_EXT)");
}

static void unknown_bits(void **state)
{
	struct kmp_gfp_table table = of_release("6.18");
	char buf[8] = "xxxxxxx";

	expect(&table, 0, "0x0()");
	expect(&table, 0x200, "0x200(0x200)");
	expect(&table, 0x80000cc0, "0x80000cc0(GFP_KERNEL|0x80000000)");
	expect(&table, 0x1, "0x1(GFP_DMA)");
	expect(&table, 0x4, "0x4(GFP_DMA32)");
	expect(&table, UINT32_MAX,
	       "0xffffffff(GFP_TRANSHUGE|GFP_ATOMIC|GFP_DMA|GFP_DMA32|__GFP_RECLAIMABLE|__GFP_ZERO|"
	       "__GFP_WRITE|__GFP_RETRY_MAYFAIL|__GFP_NOFAIL|__GFP_NORETRY|__GFP_MEMALLOC|"
	       "__GFP_THISNODE|__GFP_ACCOUNT|__GFP_ZEROTAGS|0xff000200)");
	assert_int_equal(kmp_gfp_print(&table, 0xcc0, buf, sizeof(buf)), 17);
	assert_string_equal(buf, "0xcc0(G");
	assert_int_equal(kmp_gfp_print(&table, 0xcc0, NULL, 0), 17);
	table = of_release("6.1.0-18-amd64");
	expect(&table, 0xa20, "0xa20(GFP_ATOMIC)");
	expect(&table, 0x200, "0x200(__GFP_ATOMIC)");
	expect(&table, 0x800, "0x800(GFP_NOWAIT)");
}

#define HEAD "print fmt: \"%s\", (REC->gfp_flags) ? __print_flags(REC->gfp_flags, \"|\", "

static bool reads(struct kmp_gfp_table *table, const char *text)
{
	struct kmp_gfp_bits bits;

	kmp_gfp_bits_default(&bits);
	return kmp_gfp_table_format(table, &bits, text);
}

static void formats(void **state)
{
	struct kmp_gfp_table t;

	/* the forms of 6.1, 6.12 and 6.18 */
	assert_true(reads(&t, HEAD "{(unsigned long)((( gfp_t)(0x400u|0x800u)) | (( gfp_t)0x40u)), "
				   "\"GFP_NOFS\"}, {(unsigned long)0, \"NONE\"}) : \"none\""));
	assert_int_equal(t.count, 1);
	expect(&t, 0xc41, "0xc41(GFP_NOFS|0x1)");
	assert_true(reads(&t, HEAD "{( unsigned long)(( gfp_t)((((1UL))) << (___GFP_IO_BIT))), "
				   "\"__GFP_IO\"}) : \"none\""));
	expect(&t, 0x40, "0x40(__GFP_IO)");
	assert_true(reads(&t, HEAD "{ (3 & ~(1UL << 1)) | 4, \"X\"}, { 0, ((void *)0) } )"));
	expect(&t, 5, "0x5(X)");

	t.count = 77;
	assert_false(reads(&t, ""));
	assert_false(reads(&t, HEAD));
	assert_false(reads(&t, HEAD "{ 1, \"A\""));
	assert_false(reads(&t, HEAD "{ 1, \"A"));
	assert_false(reads(&t, HEAD "{ 1, \"\"}"));
	assert_false(reads(&t, HEAD "{ 1 << 64, \"A\"}"));
	assert_false(reads(&t, HEAD "{ ___GFP_STRANGE_BIT, \"A\"}"));
	assert_false(reads(&t, HEAD "{ IS_ENABLED(x) ? 1 : 2, \"A\"}"));
	assert_false(
		reads(&t, HEAD "{ 1, \"A2345678901234567890123456789012345678901234567890\"}"));
	char deep[2000] = HEAD "{ ";
	memset(deep + strlen(deep), '(', 1000);
	assert_false(reads(&t, deep));
	memset(deep + strlen(HEAD "{ "), '~', 1000);
	assert_false(reads(&t, deep));
	assert_int_equal(t.count, 77);
}

/* What the running kernel says by its format and by its BTF is the same. */
static void running_kernel(void **state)
{
	struct btf *btf = btf__load_vmlinux_btf();
	struct kmp_gfp_table table;
	struct kmp_gfp_bits bits;
	struct kmp_gfp_bits usual;
	auto_free char *text = NULL;
	int dir auto_fd = -1;
	size_t len;
	struct kmp_error *err = kmp_tracefs_open(&dir);

	if (!btf || err) {
		print_message("# no BTF or no tracefs\n");
		kmp_error_destroy(err);
		btf__free(btf);
		skip();
	}
	err = kmp_tracefs_read(dir, "events/kmem/mm_page_alloc/format", &text, &len);
	assert_null(err);
	kmp_gfp_bits_default(&usual);
	if (!kmp_gfp_bits_btf(&bits, btf))
		bits = usual;
	assert_true(kmp_gfp_table_format(&table, &bits, text));
	for (size_t i = 0; i < bits.count; i++) {
		for (size_t k = 0; k < usual.count; k++) {
			if (!strcmp(bits.bits[i].name, usual.bits[k].name))
				assert_int_equal(bits.bits[i].bit, usual.bits[k].bit);
		}
	}

	struct kmp_gfp_table init;
	kmp_gfp_table_init(&init, btf);
	assert_int_equal(init.count, table.count);
	kmp_gfp_table_init(&init, NULL);
	assert_int_equal(init.count, table.count);
	assert_memory_equal(&init, &table, offsetof(struct kmp_gfp_table, names));
	expect(&init, 0xcc0, "0xcc0(GFP_KERNEL)");

	err = kmp_tracefs_read(dir, "events/none/format", &text, &len);
	assert_non_null(err);
	kmp_error_destroy(err);
	btf__free(btf);
}

/* Tables by release and by format agree on every mask for a kernel of this release. */
static void release_is_format(void **state)
{
	struct kmp_gfp_table by_format = of_format("captures/linux-6.18/mm_page_alloc-format.xz");
	struct kmp_gfp_table by_release = of_release("6.18.44");
	char text[KMP_GFP_TEXT_MAX];

	for (uint64_t mask = 0; mask < 1 << 24; mask += 0x35) {
		kmp_gfp_print(&by_format, (uint32_t)mask, text, sizeof(text));
		expect(&by_release, (uint32_t)mask, text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(masks_of_releases), cmocka_unit_test(masks_by_format),
		cmocka_unit_test(unknown_bits),	     cmocka_unit_test(formats),
		cmocka_unit_test(running_kernel),    cmocka_unit_test(release_is_format),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
