// SPDX-License-Identifier: GPL-2.0-only
/* Fingerprints: what makes two stacks the same one on two machines, and what does not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "kmemprof/kmemprof.h"

#define of(...)                                                                                    \
	({                                                                                         \
		const char *const frames_[] = { __VA_ARGS__ };                                     \
		kmp_fingerprint(                                                                   \
			&(struct kmp_value){ .kind = KMP_VALUE_STACK,                              \
					     .frames = frames_,                                    \
					     .depth = sizeof(frames_) / sizeof(*frames_) });       \
	})

static void test_same(void **state)
{
	uint64_t wanted = of("alloc_pages+0x10/0x20", "xfs_read+0x1/0x2 [xfs]");

	assert_int_not_equal(wanted, 0);
	assert_int_equal(of("alloc_pages+0x99/0xaf", "xfs_read+0x7/0x800 [xfs]"), wanted);
	assert_int_equal(
		of("alloc_pages.isra.0+0x9/0xa", "xfs_read.constprop.1.cold+0x7/0x8 [xfs]"),
		wanted);
	assert_int_equal(of("alloc_pages (mm/page_alloc.c:12)", "xfs_read (fs/xfs/a.c:7) xfs"),
			 wanted);
	/* Addresses are other ones after each boot. */
	assert_int_equal(of("0xffffffff81000000"), of("0xffffffffa1234560"));
}

static void test_others(void **state)
{
	uint64_t one = of("a+0x1/0x2", "b+0x1/0x2");

	assert_int_not_equal(of("b+0x1/0x2", "a+0x1/0x2"), one);
	assert_int_not_equal(of("a+0x1/0x2"), one);
	assert_int_not_equal(of("a+0x1/0x2", "b+0x1/0x2 [m]"), one);
	assert_int_not_equal(of("ab+0x1/0x2"), of("a+0x1/0x2", "b+0x1/0x2"));
	assert_int_not_equal(of("a+0x1/0x2 [bc]"), of("ab+0x1/0x2 [c]"));
	/* A name can begin with a dot, and hold anything. */
	assert_int_not_equal(of(".text+0x1/0x2"), of(".data+0x1/0x2"));
	assert_int_not_equal(of("a+b"), of("a+c"));
}

static void test_none(void **state)
{
	assert_int_equal(kmp_fingerprint(&(struct kmp_value){ .kind = KMP_VALUE_NONE }), 0);
	assert_int_equal(
		kmp_fingerprint(&(struct kmp_value){ .kind = KMP_VALUE_STACK, .number = 7 }), 0);
	assert_int_not_equal(of(""), 0);
}

/* Series are remembered by it: what it is for a stack must not change. */
static void test_stays(void **state)
{
	assert_int_equal(of("alloc_pages+0x10/0x20", "xfs_read+0x1/0x2 [xfs]"),
			 UINT64_C(0xb485858a3b34ed1b));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
