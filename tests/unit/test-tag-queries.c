// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any filter finds what the text says: thousands of random ones, each against a plain walk over
 * the lines that the same descriptor prints.
 */
#include "tags-file.h"

enum { LINES_MAX = 4096, QUERIES = 3000, EXTRA = 300 };

struct line {
	int64_t bytes;
	uint64_t calls;
	uint64_t number;
	char file[128];
	char module[128];
	char function[128];
	bool accurate;
};

static struct line lines[LINES_MAX];
static size_t line_count;
static uint64_t seed = 7;

static size_t roll(size_t limit)
{
	seed = seed * 6364136223846793005 + 1442695040888963407;
	return (size_t)(seed >> 33) % limit;
}

static void parse(char *text)
{
	char *row, *rest = text;

	strsep(&rest, "\n");
	strsep(&rest, "\n");
	while ((row = strsep(&rest, "\n")) && *row) {
		struct line *l = &lines[line_count++];
		char place[256], second[128], third[128] = "", fourth[128] = "";
		int words;

		assert_true(line_count <= LINES_MAX);
		words = sscanf(row, "%" SCNd64 " %" SCNu64 " %255s %127s %127s %127s", &l->bytes,
			       &l->calls, place, second, third, fourth);
		assert_true(words >= 4);

		char *colon = strrchr(place, ':');
		bool modular = second[0] == '[';

		snprintf(l->file, sizeof(l->file), "%.*s", (int)(colon - place), place);
		l->number = strtoull(colon + 1, NULL, 10);
		snprintf(l->module, sizeof(l->module), "%.*s",
			 modular ? (int)strlen(second) - 2 : 0, second + 1);
		snprintf(l->function, sizeof(l->function), "%s", (modular ? third : second) + 5);
		l->accurate = strcmp(modular ? fourth : third, "accurate:no") != 0;
	}
}

static struct kmp_tag random_tag(char names[3][128])
{
	static const char *const modules[] = { "", "xfs", "nvme_core", "x" };
	size_t n = roll(40);

	snprintf(names[0], 128, "drivers/%.*s/m%zu.c", (int)(roll(2) * 90),
		 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		 "aaaaa",
		 n);
	snprintf(names[1], 128, "function_%zu", n);
	snprintf(names[2], 128, "%s", modules[roll(4)]);
	return (struct kmp_tag){ .file = names[0],
				 .function = names[1],
				 .module = names[2],
				 .extra = "",
				 .line = roll(9) + 1,
				 .bytes = (int64_t)roll(2000000) - 1000000,
				 .calls = (int64_t)roll(100) - 5,
				 .accurate = roll(4) };
}

static struct kmp_tags *make_tags(void)
{
	struct kmp_ledger *ledger = read_allocinfo(tags_capture);

	for (size_t i = 0; i < EXTRA; i++) {
		char names[3][128];
		const struct kmp_tag tag = random_tag(names);

		assert_null(kmp_ledger_add_tag(ledger, &tag));
	}
	return make(ledger);
}

static const char *last_63(const char *text)
{
	size_t len = strlen(text);

	return len > 63 ? text + len - 63 : text;
}

/* Mostly the values of some tag, so that something is found; sometimes of another, or nonsense. */
static struct kmp_allocinfo_filter random_filter(void)
{
	const struct line *l = &lines[roll(4) ? roll(line_count) : line_count - 1 - roll(EXTRA)];
	struct kmp_allocinfo_filter f = { .mask = roll(128) };

	strcpy(f.fields.modname, last_63(l->module));
	strcpy(f.fields.function, last_63(l->function));
	strcpy(f.fields.filename, last_63(l->file));
	f.fields.lineno = l->number;
	if (roll(3)) /* one criterion alone, or a few */
		f.mask &= roll(128);
	if (!roll(20))
		f.fields.filename[roll(64)] = 'x';
	f.inaccurate = l->accurate ? 0 : 1 + roll(9);
	f.min_size = (uint64_t)l->bytes - roll(2) * roll(5000);
	f.max_size = (uint64_t)l->bytes + roll(2) * roll(1000000);
	return f;
}

static bool passes(const struct line *l, const struct kmp_allocinfo_filter *f)
{
	uint64_t bytes = (uint64_t)l->bytes;

	return (!(f->mask & 1) || !strncmp(last_63(l->module), f->fields.modname, 64)) &&
	       (!(f->mask & 2) || !strncmp(last_63(l->function), f->fields.function, 64)) &&
	       (!(f->mask & 4) || !strncmp(last_63(l->file), f->fields.filename, 64)) &&
	       (!(f->mask & 8) || l->number == f->fields.lineno) &&
	       (!(f->mask & 16) || l->accurate == !f->inaccurate) &&
	       (!(f->mask & 32) || bytes >= f->min_size) &&
	       (!(f->mask & 64) || bytes <= f->max_size);
}

static void expect_line(const struct kmp_allocinfo_tag_data *data, const struct line *l)
{
	assert_string_equal(data->tag.filename, last_63(l->file));
	assert_string_equal(data->tag.function, last_63(l->function));
	assert_string_equal(data->tag.modname, last_63(l->module));
	assert_int_equal(data->tag.lineno, l->number);
	assert_int_equal(data->counter.bytes, l->bytes);
	assert_int_equal(data->counter.calls, l->calls);
	assert_int_equal(data->counter.accurate, l->accurate);
}

/* Walk with GET_AT and GET_NEXT from the match number pos; how many tags there were. */
static size_t expect_walk(struct kmp_tags_file *file, const struct kmp_allocinfo_filter *filter,
			  size_t pos)
{
	struct kmp_allocinfo_get_at get = { .pos = pos, .filter = *filter };
	int result = kmp_tags_ioctl(file, KMP_ALLOCINFO_IOC_GET_AT, &get);
	size_t found = 0;

	if ((filter->mask & 96) == 96 && filter->min_size > filter->max_size) {
		assert_int_equal(result, -EINVAL);
		return 0;
	}
	for (size_t i = 0; i < line_count; i++) {
		if (!passes(&lines[i], filter) || (pos && pos--))
			continue;
		assert_int_equal(result, 0);
		expect_line(&get.data, &lines[i]);
		found++;
		result = kmp_tags_ioctl(file, KMP_ALLOCINFO_IOC_GET_NEXT, &get.data);
	}
	assert_int_equal(result, -ENOENT);
	return found;
}

static void any_filter_finds_what_the_text_says(void **state)
{
	struct kmp_tags *tags = make_tags();
	struct kmp_tags_file *file = open_tags(tags);
	char *text = calloc(1, TEXT_MAX);
	size_t useful = 0;

	assert_in_range(kmp_tags_read(file, text, TEXT_MAX - 1, 0), 1, TEXT_MAX - 2);
	parse(text);
	assert_int_equal(line_count, kmp_tags_count(tags));
	for (int i = 0; i < QUERIES; i++) {
		struct kmp_allocinfo_filter filter = random_filter();

		useful += expect_walk(file, &filter, roll(3) ? 0 : roll(4)) != 0;
	}
	/* A test of filters that find nothing would be worth nothing. */
	assert_in_range(useful, QUERIES / 2, QUERIES);
	free(text);
	kmp_tags_close(file);
	kmp_tags_destroy(tags);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_filter_finds_what_the_text_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
