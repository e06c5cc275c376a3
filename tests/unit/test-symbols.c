// SPDX-License-Identifier: GPL-2.0-only
/* Addresses to names: the frames that kernels printed, found back from their own kallsyms. */
#include "po-read.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "source/symbols.h"

static struct kmp_symbols *load_text(const char *text)
{
	struct kmp_symbols *symbols;

	assert_null(kmp_symbols_load_memory(text, strlen(text), &symbols));
	return symbols;
}

static void expect(const struct kmp_symbols *symbols, uint64_t address, const char *text)
{
	char buf[KMP_SYMBOL_TEXT_MAX];

	assert_int_equal(kmp_symbols_print(symbols, address, buf, sizeof(buf)), strlen(text));
	assert_string_equal(buf, text);
}

static void names_and_sizes(void **state)
{
	struct kmp_symbols *s = load_text(
		"0000000000001000 A per_cpu\n"
		"ffffffff81000100 T first\n"
		"ffffffff81000100 T alias\n"
		"ffffffff81000180 t second\n"
		"ffffffff81000200 D data\n"
		"ffffffff81000300 d more_data\n"
		"ffffffff81000400 W weak\n"
		"ffffffff81000400 t weak_alias\n"
		"ffffffffa0002010 t mod_b\t[two]\n"
		"ffffffffa0001010 t mod_a\t[one]\n"
		"ffffffffa0001020 t mod_last\t[one]\n"
		"ffffffffa0003000 t prog\t[bpf]");

	assert_int_equal(kmp_symbols_count(s), 7);
	expect(s, 0, "0x0000000000000000");
	expect(s, 0x1000, "0x0000000000001000");
	expect(s, 0xffffffff810000ff, "0xffffffff810000ff");
	expect(s, 0xffffffff81000100, "first+0x0/0x80");
	expect(s, 0xffffffff8100017f, "first+0x7f/0x80");
	expect(s, 0xffffffff81000180, "second+0x0/0x80");
	expect(s, 0xffffffff81000200, "0xffffffff81000200");
	expect(s, 0xffffffff81000310, "0xffffffff81000310");
	expect(s, 0xffffffff81000401, "weak+0x1/0xc00");
	expect(s, 0xffffffffa0001010, "mod_a+0x0/0x10 [one]");
	expect(s, 0xffffffffa0001030, "mod_last+0x10/0xfe0 [one]");
	expect(s, 0xffffffffa0002011, "mod_b+0x1/0xff0 [two]");
	expect(s, 0xffffffffa0003400, "prog+0x400/0x1000 [bpf]");
	expect(s, 0xffffffffa0103000, "0xffffffffa0103000");
	expect(s, UINT64_MAX, "0xffffffffffffffff");
	kmp_symbols_destroy(s);
}

static void short_buffers(void **state)
{
	struct kmp_symbols *s = load_text("ffffffff81000100 T first\nffffffff81000180 T next\n");
	char buf[8] = "xxxxxxx";

	assert_int_equal(kmp_symbols_print(s, 0xffffffff81000100, NULL, 0), 14);
	assert_int_equal(kmp_symbols_print(s, 0xffffffff81000100, buf, 8), 14);
	assert_string_equal(buf, "first+0");
	kmp_symbols_destroy(s);
}

static void expect_error(const char *text, enum kmp_error_kind kind, int errnum, uint64_t line)
{
	struct kmp_symbols *symbols;
	struct kmp_error *err = kmp_symbols_load_memory(text, strlen(text), &symbols);

	assert_non_null(err);
	assert_int_equal(err->kind, kind);
	assert_int_equal(err->errnum, errnum);
	assert_int_equal(err->line, line);
	kmp_error_destroy(err);
}

static void errors(void **state)
{
	struct kmp_symbols *symbols;
	struct kmp_error *err;

	expect_error("0000000000000000 T a\n0000000000000000 t b\n", KMP_ERROR_SYSTEM, EPERM, 0);
	expect_error("", KMP_ERROR_INPUT, 0, 0);
	expect_error("ffffffff81000000 D data\n", KMP_ERROR_INPUT, 0, 0);
	expect_error("ffffffff81000000 T a\nffffffff81000000 T\n", KMP_ERROR_INPUT, 0, 2);
	expect_error("ffffffff81000000 T \n", KMP_ERROR_INPUT, 0, 1);
	expect_error("ffffffff8100000000 T a\n", KMP_ERROR_INPUT, 0, 1);
	expect_error("\n", KMP_ERROR_INPUT, 0, 1);
	expect_error("ffffffff81000000 T a\t[]\n", KMP_ERROR_INPUT, 0, 1);
	expect_error("ffffffff81000000 T a\t[x\n", KMP_ERROR_INPUT, 0, 1);
	expect_error("ffffffff81000000 T a\t\n", KMP_ERROR_INPUT, 0, 1);
	err = kmp_symbols_load("/nonexistent/kallsyms", &symbols);
	assert_int_equal(err->errnum, ENOENT);
	kmp_error_destroy(err);
}

/* Is the frame's own text printed for the place that it names? Its name may be of many places. */
static bool found_back(const struct kmp_symbols *symbols, const char *table, const char *frame)
{
	char buf[KMP_SYMBOL_TEXT_MAX];
	const char *plus = strrchr(frame, '+');
	char word[512];
	size_t len = plus ? (size_t)(plus - frame) : 0;

	if (!len || len > 500)
		return false;
	uint64_t offset = strtoull(plus + 1, NULL, 16);
	word[0] = ' ';
	memcpy(word + 1, frame, len);
	word[len + 1] = '\0';
	for (const char *p = table; (p = strstr(p, word)); p++) {
		if (p[len + 1] != '\n' && p[len + 1] != '\t')
			continue;
		uint64_t address = strtoull(p - 18, NULL, 16);
		kmp_symbols_print(symbols, address + offset, buf, sizeof(buf));
		if (!strcmp(buf, frame))
			return true;
	}
	return false;
}

/* Every distinct frame of a kernel's page_owner. How many there are, and how many agree. */
static void frames_of(const char *kernel, size_t *frames, size_t *agree)
{
	char name[128];
	char path[4096];
	struct kmp_symbols *symbols;
	size_t len;

	snprintf(name, sizeof(name), "captures/linux-%s/page_owner.stack.xz", kernel);
	struct kmp_ledger *ledger = read_data(name);
	snprintf(name, sizeof(name), "captures/linux-%s/kallsyms.xz", kernel);
	char *table = load_data(name, &len);
	table = realloc(table, len + 1);
	table[len] = '\0';
	data_path(name, path);
	assert_null(kmp_symbols_load(path, &symbols));

	*frames = *agree = 0;
	for (uint32_t i = 0; kmp_ledger_text(ledger, KMP_DICT_FRAME, i, NULL); i++) {
		const char *frame = text_of(ledger, KMP_DICT_FRAME, i);
		bool same = found_back(symbols, table, frame);

		if (!*frame)
			continue;
		++*frames;
		*agree += same;
		if (!same)
			print_message("# Linux %s: %s\n", kernel, frame);
	}
	kmp_symbols_destroy(symbols);
	free(table);
	kmp_ledger_destroy(ledger);
}

static void frames_of_kernels(void **state)
{
	size_t frames;
	size_t agree;

	static const char *const kernels[] = { "6.1", "6.12", "7.3" };

	for (size_t i = 0; i < sizeof(kernels) / sizeof(*kernels); i++) {
		frames_of(kernels[i], &frames, &agree);
		print_message("# Linux %s: %zu of %zu frames\n", kernels[i], agree, frames);
		assert_true(frames > 500);
		assert_int_equal(agree, frames);
	}
}

/* Symbols of any kind, of vmlinux alone, the first of a name. */
static void places(void **state)
{
	char path[] = "/tmp/kmemprof-symbols.XXXXXX";
	struct kmp_symbol_place sought[] = {
		{ .name = "tables" },
		{ .name = "modules" },
		{ .name = "absent", 1 },
	};
	struct kmp_symbols *s;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	dprintf(fd,
		"ffffffff81000100 T first\n"
		"ffffffff81000200 D tables2\n"
		"ffffffff81000208 R tables\n"
		"ffffffff81000300 d modules\n"
		"ffffffff81000400 b modules\n"
		"ffffffffa0003000 d absent\t[mod]\n");
	close(fd);
	assert_null(kmp_symbols_load_places(path, sought, 3, &s));
	unlink(path);
	assert_int_equal(sought[0].address, 0xffffffff81000208);
	assert_int_equal(sought[1].address, 0xffffffff81000300);
	assert_int_equal(sought[2].address, 0);
	assert_int_equal(kmp_symbols_count(s), 1);
	kmp_symbols_destroy(s);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Each function of the running kernel; figures for who reads the log. */
static void running_kernel(void **state)
{
	struct kmp_symbols *s;
	double start = now();
	struct kmp_error *err = kmp_symbols_load("/proc/kallsyms", &s);
	double loaded = now();

	if (err) {
		auto_free char *why = kmp_error_format(err);

		print_message("# %s\n", why);
		kmp_error_destroy(err);
		skip();
	}
	struct kmp_symbol first;
	struct kmp_symbol last = { 0 };
	uint64_t address = 0xffffffff81000000;
	size_t found = 0;
	for (size_t i = 0; i < 1000000; i++) {
		if (kmp_symbols_find(s, address + i * 0x9e3779b1 % (24 << 20), &first)) {
			found++;
			last = first;
		}
	}
	double looked = now();
	print_message("# %zu functions, %zu KiB; load %.1f ms, lookup %.3f us, %zu found\n",
		      kmp_symbols_count(s), kmp_symbols_memory(s) >> 10, (loaded - start) * 1e3,
		      looked - loaded, found);
	assert_true(kmp_symbols_count(s) > 1000);
	if (found)
		assert_true(kmp_symbols_find(s, last.address, &first) &&
			    first.address == last.address && first.size == last.size);
	kmp_symbols_destroy(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_and_sizes), cmocka_unit_test(short_buffers),
		cmocka_unit_test(errors),	   cmocka_unit_test(frames_of_kernels),
		cmocka_unit_test(running_kernel),  cmocka_unit_test(places),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
