// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a query of few tags saves, in process: the tags of an allocinfo file, repeated until there
 * are 8000, with counters on 224 CPUs. The text is read in 128 KiB reads and its lines searched,
 * the queries are made through the ioctls; each time is the median of several runs.
 *
 *     tags-query FILE [dense [changing]]
 *
 * A tag's calls are spread over the CPUs, a CPU each where they are few, as when a machine started
 * and then ran. With `dense`, every CPU counted every tag: the most that there can be to add up.
 * With `changing`, every tag is counted once more before each run, so that no sum of the last one
 * holds.
 */
#include "format/allocinfo_uapi.h"
#include "tags-common.h"

struct bench {
	struct kmp_tags *tags;
	char *buf;
	uint64_t found; /* by the last run */
	bool changing;
};

static struct kmp_tags_file *open_tags(struct bench *b)
{
	struct kmp_tags_file *file;

	must(kmp_tags_open(b->tags, &file));
	return file;
}

/* The text, and its lines of one file counted as grep -c does. */
static void text(struct bench *b, const char *word)
{
	struct kmp_tags_file *file = open_tags(b);
	uint64_t offset = 0;
	int64_t got;

	while ((got = kmp_tags_read(file, b->buf, READ, offset)) > 0) {
		const char *at = b->buf, *end = b->buf + got;

		while (word && (at = memmem(at, (size_t)(end - at), word, strlen(word)))) {
			b->found++;
			at += strlen(word);
		}
		offset += (uint64_t)got;
	}
	if (!word)
		b->found = offset;
	kmp_tags_close(file);
}

static void query(struct bench *b, const struct kmp_allocinfo_filter *filter)
{
	struct kmp_tags_file *file = open_tags(b);
	struct kmp_allocinfo_content_id before, after;
	struct kmp_allocinfo_get_at get = { .filter = *filter };
	int result;

	kmp_tags_ioctl(file, KMP_ALLOCINFO_IOC_CONTENT_ID, &before);
	result = kmp_tags_ioctl(file, KMP_ALLOCINFO_IOC_GET_AT, &get);
	for (; !result; b->found++)
		result = kmp_tags_ioctl(file, KMP_ALLOCINFO_IOC_GET_NEXT, &get.data);
	kmp_tags_ioctl(file, KMP_ALLOCINFO_IOC_CONTENT_ID, &after);
	if (before.id != after.id)
		exit(1);
	kmp_tags_close(file);
}

static double measure(struct bench *b, const char *what, const char *word,
		      const struct kmp_allocinfo_filter *filter, double text_time)
{
	double times[RUNS];

	for (int i = 0; i < RUNS; i++) {
		for (size_t tag = 0; b->changing && tag < TAGS; tag++)
			kmp_tags_charge(b->tags, tag, (unsigned)i, 0, 0);

		double start = now();

		b->found = 0;
		if (filter)
			query(b, filter);
		else
			text(b, word);
		times[i] = now() - start;
	}
	qsort(times, RUNS, sizeof(*times), by_value);
	printf("%-40s %10.1f us %8.1f times %10llu found\n", what, times[RUNS / 2],
	       text_time ? text_time / times[RUNS / 2] : 1, (unsigned long long)b->found);
	return times[RUNS / 2];
}

static void measure_all(struct bench *b)
{
	struct kmp_allocinfo_filter all = { 0 };
	struct kmp_allocinfo_filter file = { .mask = KMP_ALLOCINFO_FILENAME,
					     .fields.filename = "mm/memory.c" };
	struct kmp_allocinfo_filter size = { .mask = KMP_ALLOCINFO_MIN_SIZE, .min_size = 4 << 20 };
	struct kmp_allocinfo_filter both = file;
	double whole = measure(b, "text, bytes", NULL, NULL, 0);

	both.mask |= KMP_ALLOCINFO_MIN_SIZE;
	both.min_size = 4 << 20;
	measure(b, "text, searched for mm/memory.c", " mm/memory.c:", NULL, whole);
	measure(b, "mm/memory.c", NULL, &file, whole);
	measure(b, "mm/memory.c, 4 MiB and more", NULL, &both, whole);
	measure(b, "4 MiB and more", NULL, &size, whole);
	measure(b, "all tags", NULL, &all, whole);
}

int main(int argc, char **argv)
{
	struct bench b = { .buf = malloc(READ) };

	if (argc < 2 || argc > 4 || !b.buf) {
		fputs("usage: tags-query FILE [dense [changing]]\n", stderr);
		return 2;
	}
	b.tags = fill(argv[1], argc > 2);
	b.changing = argc > 3;
	measure_all(&b);
	kmp_tags_destroy(b.tags);
	free(b.buf);
	return 0;
}
