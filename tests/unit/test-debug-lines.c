// SPDX-License-Identifier: GPL-2.0-only
/* Lines of this very program, as the kernel's are found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <link.h>
#include <string.h>

#include "source/debug_lines.h"

#define PROGRAM "/proc/self/exe"

static __attribute__((noinline)) uint64_t return_address(void)
{
	uint64_t address = (uint64_t)__builtin_return_address(0);

	__asm__ volatile("" : "+r"(address) : : "memory");
	return address;
}

/* By its name an allocator's: looked through. */
static inline __attribute__((always_inline)) uint64_t kmalloc_of_test(void)
{
	return return_address() + 0;
}

enum { LINE_CALLER = __LINE__ + 4 };

static __attribute__((noinline)) uint64_t caller(void)
{
	uint64_t address = kmalloc_of_test();

	__asm__ volatile("" : "+r"(address) : : "memory");
	return address;
}

enum { LINE_INSIDE = __LINE__ + 4 };

static inline __attribute__((always_inline)) uint64_t inside(void)
{
	uint64_t address = kmalloc_of_test();

	__asm__ volatile("" : "+r"(address) : : "memory");
	return address;
}

static __attribute__((noinline)) uint64_t outside(void)
{
	uint64_t address = inside();

	__asm__ volatile("" : "+r"(address) : : "memory");
	return address;
}

static int note_slide(struct dl_phdr_info *info, size_t size, void *slide)
{
	*(uint64_t *)slide = info->dlpi_addr;
	return 1; /* the first is the program */
}

static void expect(uint64_t address, const char *function, uint64_t line)
{
	struct kmp_debug_lines *lines;
	struct kmp_debug_place place;
	uint64_t slide = 0;
	bool found;

	dl_iterate_phdr(note_slide, &slide);
	assert_null(kmp_debug_lines_open(PROGRAM, slide, &lines));
	assert_null(kmp_debug_lines_find(lines, address, &place, &found));
	assert_true(found);
	assert_string_equal(place.function, function);
	assert_int_equal(place.line, line);
	assert_non_null(strstr(place.file, "test-debug-lines.c"));
	assert_true(place.file[0] != '/');
	kmp_debug_lines_close(lines);
}

static void through_allocators(void **state)
{
	expect(caller(), "caller", LINE_CALLER);
}

static void names_of_inlined(void **state)
{
	expect(outside(), "inside", LINE_INSIDE);
}

static void ranges_hold(uint64_t address, const char *file, uint64_t line, bool wanted)
{
	struct kmp_debug_lines *lines;
	struct kmp_debug_range ranges[32];
	uint64_t slide = 0;
	size_t count = 0;
	bool held = false;

	dl_iterate_phdr(note_slide, &slide);
	assert_null(kmp_debug_lines_open(PROGRAM, slide, &lines));
	assert_null(kmp_debug_lines_ranges(lines, file, line, ranges, 32, &count));
	for (size_t i = 0; i < count; i++)
		held |= address - 1 >= ranges[i].start && address - 1 < ranges[i].end;
	assert_int_equal(held, wanted);
	kmp_debug_lines_close(lines);
}

/* The reverse: a line's code, with the allocator's that was put into it. */
static void lines_to_addresses(void **state)
{
	struct kmp_debug_lines *lines;
	struct kmp_debug_place place;
	uint64_t slide = 0;
	uint64_t address = caller();
	bool found;

	dl_iterate_phdr(note_slide, &slide);
	assert_null(kmp_debug_lines_open(PROGRAM, slide, &lines));
	assert_null(kmp_debug_lines_find(lines, address, &place, &found));
	assert_true(found);
	ranges_hold(address, place.file, LINE_CALLER, true);
	ranges_hold(address, place.file, LINE_CALLER + 1, false);
	ranges_hold(address, "no/such.c", LINE_CALLER, false);
	ranges_hold(outside(), place.file, LINE_INSIDE, true);
	kmp_debug_lines_close(lines);
}

static void nothing_known(void **state)
{
	struct kmp_debug_lines *lines;
	struct kmp_debug_place place;
	bool found = true;

	assert_null(kmp_debug_lines_open(PROGRAM, 0, &lines));
	assert_null(kmp_debug_lines_find(lines, UINT64_MAX / 2, &place, &found));
	assert_false(found);
	assert_null(kmp_debug_lines_find(lines, 0, &place, &found));
	assert_false(found);
	kmp_debug_lines_close(lines);
}

static void refusals(void **state)
{
	struct kmp_debug_lines *lines;
	struct kmp_error *err = kmp_debug_lines_open("/proc/self/status", 0, &lines);

	assert_non_null(err);
	assert_int_equal(err->kind, KMP_ERROR_INPUT);
	kmp_error_destroy(err);
	err = kmp_debug_lines_open("/no/such/file", 0, &lines);
	assert_non_null(err);
	assert_int_equal(err->kind, KMP_ERROR_SYSTEM);
	kmp_error_destroy(err);
}

static void of_the_kernel(void **state)
{
	struct kmp_debug_lines *lines;

	/* There or not: no mistake. */
	assert_null(kmp_debug_lines_open_kernel(&lines));
	kmp_debug_lines_close(lines);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(through_allocators), cmocka_unit_test(names_of_inlined),
		cmocka_unit_test(lines_to_addresses), cmocka_unit_test(nothing_known),
		cmocka_unit_test(refusals),	      cmocka_unit_test(of_the_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
