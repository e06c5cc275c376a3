// SPDX-License-Identifier: GPL-2.0-only
/* Open files of a mount: when they are released. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "serve/opened.h"

static int open_result;
static unsigned released;

static int fake_open(struct kmp_served *served, struct kmp_open_file **file)
{
	*file = (struct kmp_open_file *)served;
	return open_result;
}

static void fake_release(struct kmp_open_file *file)
{
	assert_ptr_equal(file, &released);
	released++;
}

static const struct kmp_file_ops ops = { .open = fake_open, .release = fake_release };

static struct kmp_opened *open_one(struct kmp_opened_list *list)
{
	struct kmp_opened *opened;

	assert_int_equal(kmp_opened_create(list, (struct kmp_served *)&released, &ops, &opened), 0);
	return opened;
}

static int begin(void **state)
{
	(void)state;
	released = 0;
	open_result = 0;
	return 0;
}

static void test_released_with_the_last_user(void **state)
{
	struct kmp_opened_list list;

	(void)state;
	kmp_opened_list_init(&list);
	struct kmp_opened *opened = open_one(&list);

	kmp_opened_enter(opened);
	kmp_opened_put(opened);
	assert_int_equal(released, 0);
	kmp_opened_leave(opened);
	assert_int_equal(released, 1);
	kmp_opened_list_deinit(&list);
	assert_int_equal(released, 1);
}

/* The first, the middle one and the last of the list go, two stay open. */
static void test_what_stays_open_goes_with_the_list(void **state)
{
	struct kmp_opened_list list;
	struct kmp_opened *opened[5];

	(void)state;
	kmp_opened_list_init(&list);
	for (int i = 0; i < 5; i++)
		opened[i] = open_one(&list);
	kmp_opened_put(opened[4]);
	kmp_opened_put(opened[2]);
	kmp_opened_put(opened[0]);
	assert_int_equal(released, 3);
	kmp_opened_list_deinit(&list);
	assert_int_equal(released, 5);
}

static void test_what_cannot_be_opened(void **state)
{
	struct kmp_opened_list list;
	struct kmp_opened *opened;

	(void)state;
	kmp_opened_list_init(&list);
	open_result = -ENOMEM;
	assert_int_equal(kmp_opened_create(&list, (struct kmp_served *)&released, &ops, &opened),
			 -ENOMEM);
	kmp_opened_list_deinit(&list);
	assert_int_equal(released, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_released_with_the_last_user, begin),
		cmocka_unit_test_setup(test_what_stays_open_goes_with_the_list, begin),
		cmocka_unit_test_setup(test_what_cannot_be_opened, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
