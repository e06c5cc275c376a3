// SPDX-License-Identifier: GPL-2.0-only
/* The ioctls of allocinfo: what Linux 7.3.4 was recorded to answer. */
#include "tags-file.h"

/* One call; the filter is that of a GET_AT. */
struct call {
	const char *what;
	uint32_t request;
	uint64_t pos;
	struct kmp_allocinfo_filter filter;
	int result;
	const char *tag; /* FILE:LINE of the answer */
	bool bad_pointer;
};

#define AT   KMP_ALLOCINFO_IOC_GET_AT
#define NEXT KMP_ALLOCINFO_IOC_GET_NEXT
#define NAME KMP_ALLOCINFO_FILENAME

#define SIXTY_FOUR "mm/memory.cmm/memory.cmm/memory.cmm/memory.cmm/memory.cmm/memory"
_Static_assert(sizeof(SIXTY_FOUR) == 65, "64 bytes and no room for the NUL");

static const struct call recorded[] = {
	{ "CONTENT_ID", KMP_ALLOCINFO_IOC_CONTENT_ID },
	{ "GET_NEXT first of all", NEXT, .tag = "init/main.c:1433" },
	{ "GET_NEXT second", NEXT, .tag = "init/do_mounts.c:345" },
	{ "GET_AT pos 0, mask 0", AT, .tag = "init/main.c:1433" },
	{ "GET_NEXT after", NEXT, .tag = "init/do_mounts.c:345" },
	{ "GET_AT pos 1e8", AT, 100000000, .result = -ENOENT },
	{ "GET_NEXT after a GET_AT past the end", NEXT, .tag = "init/do_mounts.c:177" },
	{ "GET_AT unknown mask bit", AT, 0, { .mask = 1 << 7 }, -EINVAL },
	{ "GET_AT high mask bit", AT, 0, { .mask = UINT64_C(1) << 40 }, -EINVAL },
	{ "GET_AT min>max", AT, 0, { .mask = 3 << 5, .min_size = 2, .max_size = 1 }, -EINVAL },
	{ "GET_AT min alone with smaller max unset bit",
	  AT,
	  0,
	  { .mask = KMP_ALLOCINFO_MIN_SIZE, .min_size = 1 },
	  .tag = "arch/x86/kernel/e820.c:744" },
	{ "GET_AT file mm/memory.c pos 0",
	  AT,
	  0,
	  { .mask = NAME, .fields.filename = "mm/memory.c" },
	  .tag = "mm/memory.c:6963" },
	{ "then", NEXT, .tag = "mm/memory.c:6939" },
	{ "then", NEXT, .tag = "mm/memory.c:6916" },
	{ "then", NEXT, .tag = "mm/memory.c:5358" },
	{ "then", NEXT, .tag = "mm/memory.c:3214" },
	{ "then", NEXT, .tag = "mm/memory.c:1291" },
	{ "then", NEXT, .tag = "mm/memory.c:1289" },
	{ "then", NEXT, .tag = "mm/memory.c:465" },
	{ "then", NEXT, .result = -ENOENT },
	{ "GET_NEXT after the end", NEXT, .tag = "mm/memory.c:6963" },
	{ "GET_AT pos 3 among matches",
	  AT,
	  3,
	  { .mask = NAME, .fields.filename = "mm/memory.c" },
	  .tag = "mm/memory.c:5358" },
	{ "GET_AT pos 1000 of 8 matches",
	  AT,
	  1000,
	  { .mask = NAME, .fields.filename = "mm/memory.c" },
	  -ENOENT },
	{ "GET_NEXT after that", NEXT, .result = -ENOENT },
	{ "GET_NEXT after that, too", NEXT, .tag = "mm/memory.c:6963" },
	{ "GET_AT suffix memory.c",
	  AT,
	  0,
	  { .mask = NAME, .fields.filename = "memory.c" },
	  -ENOENT },
	{ "GET_AT modname empty",
	  AT,
	  0,
	  { .mask = KMP_ALLOCINFO_MODNAME },
	  .tag = "init/main.c:1433" },
	{ "GET_AT modname xfs",
	  AT,
	  0,
	  { .mask = KMP_ALLOCINFO_MODNAME, .fields.modname = "xfs" },
	  -ENOENT },
	{ "GET_AT line 1433",
	  AT,
	  0,
	  { .mask = KMP_ALLOCINFO_LINENO, .fields.lineno = 1433 },
	  .tag = "init/main.c:1433" },
	{ "GET_AT line 0", AT, 0, { .mask = KMP_ALLOCINFO_LINENO }, -ENOENT },
	{ "GET_AT accurate only",
	  AT,
	  0,
	  { .mask = KMP_ALLOCINFO_INACCURATE },
	  .tag = "init/main.c:1433" },
	{ "GET_AT inaccurate only",
	  AT,
	  0,
	  { .mask = KMP_ALLOCINFO_INACCURATE, .inaccurate = UINT64_C(1) << 32 },
	  .tag = "mm/memory.c:6916" },
	{ "GET_AT unterminated string",
	  AT,
	  0,
	  { .mask = NAME, .fields.filename = SIXTY_FOUR },
	  -ENOENT },
	{ "unknown request", _IOR(0xA6, 3, struct kmp_allocinfo_tag_data), .result = -ENOTTY },
	{ "bad pointer", NEXT, .result = -ENOENT, .bad_pointer = true },
	{ "wrong size", _IOC(_IOC_READ, 0xA6, 2, 223), .result = -ENOTTY },
	{ "wrong direction", _IOC(_IOC_WRITE, 0xA6, 2, 224), .result = -ENOTTY },
	{ "GET_AT pos 0", AT, .tag = "init/main.c:1433" },
	/* Beyond the record: a bad pointer where there is a tag, which counts as read. */
	{ "bad pointer", NEXT, .result = -EFAULT, .bad_pointer = true },
	{ "then", NEXT, .tag = "init/do_mounts.c:177" },
	{ "bad pointer", AT, .result = -EFAULT, .bad_pointer = true },
	{ "bad pointer", KMP_ALLOCINFO_IOC_CONTENT_ID, .result = -EFAULT, .bad_pointer = true },
	{ "then", NEXT, .tag = "init/do_mounts.c:151" },
};

/* The argument in just as many bytes as the request tells, for ASan to watch, and unaligned. */
static int call(struct kmp_tags_file *file, const struct call *c, struct kmp_allocinfo_get_at *get)
{
	size_t size = _IOC_SIZE(c->request);
	char *room = malloc(size + 1), *arg = room + 1;

	*get = (struct kmp_allocinfo_get_at){ .pos = c->pos, .filter = c->filter };
	memcpy(arg, get, size < sizeof(*get) ? size : sizeof(*get));

	int result = kmp_tags_ioctl(file, c->request, c->bad_pointer ? NULL : arg);

	if (c->request == AT)
		memcpy(get, arg, sizeof(*get));
	else if (c->request == NEXT)
		memcpy(&get->data, arg, sizeof(get->data));
	else
		get->pos = size >= sizeof(get->pos) ? *(uint8_t *)arg : 0;
	free(room);
	return result;
}

static void expect_call(struct kmp_tags_file *file, const struct call *c)
{
	struct kmp_allocinfo_get_at get;
	char tag[128];

	print_message("# %s\n", c->what);
	assert_int_equal(call(file, c, &get), c->result);
	if (!c->tag)
		return;
	snprintf(tag, sizeof(tag), "%s:%" PRIu64, get.data.tag.filename, get.data.tag.lineno);
	assert_string_equal(tag, c->tag);
}

static void the_record_is_answered_alike(void **state)
{
	struct kmp_tags_file *file = open_tags(fix->tags);

	for (size_t i = 0; i < sizeof(recorded) / sizeof(*recorded); i++)
		expect_call(file, &recorded[i]);
	kmp_tags_close(file);
}

static void text_and_ioctls_do_not_meet(void **state)
{
	static const struct call first = { "GET_AT", AT, .tag = "init/main.c:1433" };
	static const struct call second = { "GET_NEXT", NEXT, .tag = "init/do_mounts.c:345" };
	struct kmp_tags_file *file = open_tags(fix->tags);
	char buf[200];

	assert_int_equal(kmp_tags_read(file, buf, 99, 0), 99);
	expect_call(file, &first);
	assert_int_equal(kmp_tags_read(file, buf + 99, 99, 99), 99);
	assert_memory_equal(buf, fix->text, 198);
	expect_call(file, &second);
	kmp_tags_close(file);
}

static void descriptors_are_independent(void **state)
{
	static const struct call of_memory = { "GET_AT",
					       AT,
					       3,
					       { .mask = NAME, .fields.filename = "mm/memory.c" },
					       .tag = "mm/memory.c:5358" };
	static const struct call first = { "GET_NEXT", NEXT, .tag = "init/main.c:1433" };
	static const struct call second = { "GET_NEXT", NEXT, .tag = "init/do_mounts.c:345" };
	static const struct call third = { "GET_NEXT", NEXT, .tag = "mm/memory.c:3214" };
	struct kmp_tags_file *a = open_tags(fix->tags), *b = open_tags(fix->tags);

	expect_call(a, &first);
	expect_call(b, &of_memory);
	expect_call(a, &second);
	expect_call(b, &third);
	kmp_tags_close(a);
	kmp_tags_close(b);
}

/* A descriptor that was never placed stays so when a GET_AT finds nothing. */
static void a_failed_search_does_not_place(void **state)
{
	static const struct call none = {
		"GET_AT", AT, 9, { .mask = NAME, .fields.filename = "mm/memory.c" }, -ENOENT
	};
	static const struct call first = { "GET_NEXT", NEXT, .tag = "mm/memory.c:6963" };
	struct kmp_tags_file *file = open_tags(fix->tags);

	expect_call(file, &none);
	expect_call(file, &first);
	kmp_tags_close(file);
}

static void answers_are_whole(void **state)
{
	static const struct call at = { "GET_AT",
					AT,
					0,
					{ .mask = KMP_ALLOCINFO_FUNCTION | KMP_ALLOCINFO_MIN_SIZE,
					  .fields.function = "alloc_slab_page",
					  .min_size = 2240513 } };
	struct kmp_tags_file *file = open_tags(fix->tags);
	struct kmp_allocinfo_get_at get;

	assert_int_equal(call(file, &at, &get), 0);
	assert_int_equal(get.filter.min_size, 2240513);
	assert_string_equal(get.data.tag.function, "alloc_slab_page");
	assert_string_equal(get.data.tag.modname, "");
	assert_int_equal(get.data.counter.bytes, 12046336);
	assert_int_equal(get.data.counter.calls, 2343);
	assert_int_equal(get.data.counter.accurate, 0);
	kmp_tags_close(file);
}

static void long_texts_end_in_their_last_bytes(void **state)
{
	char name[200], line[300];

	for (size_t i = 0; i < sizeof(name) - 1; i++)
		name[i] = (char)('a' + i % 26);
	name[sizeof(name) - 1] = '\0';
	snprintf(line, sizeof(line), "-1 -1 %s:1 func:f\n", name);

	struct kmp_tags *tags = make(read_string(line));
	struct kmp_tags_file *file = open_tags(tags);
	struct call at = { "GET_AT", AT, 0, { .mask = NAME | KMP_ALLOCINFO_MIN_SIZE } };
	struct kmp_allocinfo_get_at get;

	memcpy(at.filter.fields.filename, name + sizeof(name) - 64, 64);
	at.filter.min_size = INT64_MAX; /* sizes have no sign here */
	assert_int_equal(call(file, &at, &get), 0);
	assert_string_equal(get.data.tag.filename, name + sizeof(name) - 64);
	assert_true(get.data.counter.bytes == UINT64_MAX);
	at.filter.fields.filename[0] ^= 1;
	assert_int_equal(call(file, &at, &get), -ENOENT);
	kmp_tags_close(file);
	kmp_tags_destroy(tags);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_record_is_answered_alike),
		cmocka_unit_test(text_and_ioctls_do_not_meet),
		cmocka_unit_test(descriptors_are_independent),
		cmocka_unit_test(a_failed_search_does_not_place),
		cmocka_unit_test(answers_are_whole),
		cmocka_unit_test(long_texts_end_in_their_last_bytes),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
