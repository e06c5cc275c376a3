// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "base/path.h"

static void paths_get_their_shortest_spelling(void **state)
{
	static const char *const paths[][2] = {
		{ "a/b.c", "a/b.c" },
		{ "./include/a.h", "include/a.h" },
		{ "drivers/iommu/amd/../iommu-pages.h", "drivers/iommu/iommu-pages.h" },
		{ "kernel/bpf/../../tools/a.c", "tools/a.c" },
		{ "a/../../b", "../b" },
		{ "../a/../../b", "../../b" },
		{ "a/b/../..", "." },
		{ "", "." },
		{ ".", "." },
		{ "..", ".." },
		{ "a//b/./c/", "a/b/c" },
		{ "/", "/" },
		{ "/../a", "/a" },
		{ "//a/..", "/" },
		{ "/a/b/..", "/a" },
		{ "...", "..." },
		{ "..a/b..", "..a/b.." },
	};

	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		char out[64], again[64];
		size_t len = kmp_path_normalise(paths[i][0], strlen(paths[i][0]), out);

		assert_string_equal(out, paths[i][1]);
		assert_int_equal(len, strlen(out));
		kmp_path_normalise(out, len, again);
		assert_string_equal(again, out);
	}
}

static void directories_are_what_is_before_the_last_slash(void **state)
{
	assert_int_equal(kmp_path_directory("a/b/c.c", 7), 3);
	assert_int_equal(kmp_path_directory("c.c", 3), 0);
	assert_int_equal(kmp_path_directory("/c", 2), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_get_their_shortest_spelling),
		cmocka_unit_test(directories_are_what_is_before_the_last_slash),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
