// SPDX-License-Identifier: GPL-2.0-only
/*
 * A history of made-up samples, as a machine at work would give them: a quarter of the stacks and
 * tags change from one to the next. Prints what a sample takes: CPU in ms and bytes of file, the
 * first one and the making of the file left aside.
 *
 *     history FILE STACKS TAGS SAMPLES
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "kmemprof/kmemprof.h"

enum { DEPTH = 14, FRAMES = 3000 };

static uint32_t state = 1;

static uint32_t number(uint32_t below)
{
	state = state * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)(state >> 4) * below >> 28);
}

static void check(struct kmp_error *error)
{
	if (error)
		errx(1, "%s", kmp_error_format(error));
}

static double cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void add_stacks(struct kmp_ledger *ledger, uint32_t stacks)
{
	for (uint32_t i = 0; i < stacks; i++) {
		struct kmp_stack stack = { .handle = i + 1, .has_handle = true };
		uint32_t frames[DEPTH], stack_number;
		char text[64];

		for (int f = 0; f < DEPTH; f++) {
			uint32_t frame = f < 4 ? (uint32_t)f : number(FRAMES);
			int len = snprintf(text, sizeof(text), "some_function_%u+0x%x/0x%x", frame,
					   frame * 7 % 4096, frame * 7 % 4096 + 300);

			check(kmp_ledger_add_text(ledger, KMP_DICT_FRAME, text, (size_t)len,
						  &frames[f]));
		}
		check(kmp_ledger_add_trace(ledger, frames, DEPTH, &stack.trace));
		check(kmp_ledger_add_stack(ledger, &stack, &stack_number));
	}
}

static uint64_t *make_pages(uint32_t stacks)
{
	uint64_t *pages = calloc(stacks + 1, sizeof(*pages));

	for (uint32_t i = 0; i < stacks; i++)
		pages[i] = 1 + number(1u << number(16));
	return pages;
}

static struct kmp_tag *make_tags(uint32_t tags)
{
	struct kmp_tag *list = calloc(tags + 1, sizeof(*list));

	for (uint32_t i = 0; i < tags; i++) {
		char *file = NULL, *function = NULL;
		int64_t size = 8 << number(10);

		if (asprintf(&file, "drivers/some/place/file%u.c", i / 7) < 0 ||
		    asprintf(&function, "some_function_%u", i) < 0)
			errx(1, "out of memory");
		list[i] = (struct kmp_tag){ .file = file,
					    .function = function,
					    .module = i % 3 ? "" : "some_module",
					    .extra = "",
					    .line = i % 900 + 1,
					    .calls = 1 + number(3000),
					    .accurate = true };
		list[i].bytes = list[i].calls * size;
	}
	return list;
}

/* A few more or a few less, of a quarter of them. */
static void change(uint64_t *pages, uint32_t stacks, struct kmp_tag *tags, uint32_t count)
{
	for (uint32_t i = 0; i < stacks; i++) {
		if (!number(4))
			pages[i] = pages[i] + number(64) - (pages[i] > 40 ? 32 : 0);
	}
	for (uint32_t i = 0; i < count; i++) {
		if (number(4))
			continue;
		int64_t size = tags[i].calls ? tags[i].bytes / tags[i].calls : 64;
		int64_t more = (int64_t)number(20) - (tags[i].calls > 20 ? 10 : 0);

		tags[i].calls += more;
		tags[i].bytes += more * size;
	}
}

static void add_sample(struct kmp_history_writer *writer, struct kmp_ledger *ledger,
		       const uint64_t *pages, uint32_t stacks, const struct kmp_tag *tags,
		       uint32_t count, uint64_t second)
{
	struct kmp_moment moment = { .time = (1700000000 + second) * 1000000000, .boot = "bench" };
	struct kmp_sink sink = kmp_history_sink(writer);

	for (uint32_t i = 0; i < stacks; i++) {
		struct kmp_page page = { .pages = pages[i],
					 .stack = i,
					 .task = KMP_NONE,
					 .gfp = KMP_NONE,
					 .flags = KMP_NONE,
					 .charge = KMP_NONE,
					 .type = KMP_NONE };

		check(sink.pages(sink.arg, ledger, &page, 1));
	}
	kmp_ledger_clear(ledger);
	for (uint32_t i = 0; i < count; i++)
		check(kmp_ledger_add_tag(ledger, &tags[i]));
	check(kmp_history_add(writer, ledger, &moment));
}

static double file_bytes(const char *path)
{
	struct stat st;

	return stat(path, &st) ? 0 : (double)st.st_size;
}

int main(int argc, char **argv)
{
	struct kmp_history_writer *writer;
	struct kmp_ledger *ledger;

	if (argc != 5)
		errx(2, "usage: history FILE STACKS TAGS SAMPLES");
	uint32_t stacks = (uint32_t)atoi(argv[2]), count = (uint32_t)atoi(argv[3]);
	uint64_t samples = (uint64_t)atoll(argv[4]);
	uint64_t *pages = make_pages(stacks);
	struct kmp_tag *tags = make_tags(count);

	remove(argv[1]);
	check(kmp_ledger_create(&ledger));
	add_stacks(ledger, stacks);
	check(kmp_history_create(argv[1], NULL, &writer));
	add_sample(writer, ledger, pages, stacks, tags, count, 0);
	check(kmp_history_end(writer));
	double before = file_bytes(argv[1]);

	check(kmp_history_create(argv[1], NULL, &writer));
	double start = cpu_ms();

	for (uint64_t i = 1; i <= samples; i++) {
		change(pages, stacks, tags, count);
		add_sample(writer, ledger, pages, stacks, tags, count, i);
	}
	double cpu = cpu_ms() - start;

	check(kmp_history_end(writer));
	printf("%.3f %.0f\n", cpu / (double)samples,
	       (file_bytes(argv[1]) - before) / (double)samples);
	kmp_ledger_destroy(ledger);
	return 0;
}
