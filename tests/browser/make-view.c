// SPDX-License-Identifier: GPL-2.0-only
/*
 * Prints a flame graph, or a page, whose names would do harm if any could: the browser test opens
 * it. The stacks: entry→files (60 %), entry→network (30 %), and 300 of 1000 pages each.
 *
 *     make-view svg|html
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kmemprof/kmemprof.h"

enum { MANY = 300, LARGE = 2, SAMPLES = 21 };

static char names[MANY][32];
static const char *small_frames[MANY][2];
static struct kmp_value keys[LARGE + MANY][4];
static struct kmp_group groups[LARGE + MANY];

static void set_group(size_t i, const char *comm, const char *const *frames, size_t depth,
		      int64_t pages)
{
	keys[i][0] =
		(struct kmp_value){ .kind = KMP_VALUE_TEXT, .text = comm, .len = strlen(comm) };
	keys[i][1] =
		(struct kmp_value){ .kind = KMP_VALUE_STACK, .frames = frames, .depth = depth };
	keys[i][2] = (struct kmp_value){ .kind = KMP_VALUE_NUMBER, .number = (int64_t)i & 1 };
	keys[i][3] = (struct kmp_value){ .kind = KMP_VALUE_NUMBER, .number = i ? 0 : 3 };
	groups[i] = (struct kmp_group){
		.key = keys[i],
		.now = { .records = 1, .pages = pages, .bytes = pages * 4096, .members = 1 },
		.ts_first = KMP_UNKNOWN,
		.ts_last = KMP_UNKNOWN,
	};
}

/* Two owners, one of which grows, and others; a sample each ten seconds. */
static struct kmp_timeline *make_timeline(void)
{
	static const char hostile[] = "</script><img src=x>";
	static uint64_t times[SAMPLES];
	static int64_t total[SAMPLES], grows[SAMPLES], stands[SAMPLES];
	static struct kmp_timeline_owner owners[] = {
		{ { .kind = KMP_VALUE_TEXT, .text = "grows", .len = 5 }, grows },
		{ { .kind = KMP_VALUE_TEXT, .text = hostile, .len = sizeof(hostile) - 1 }, stands },
	};
	static struct kmp_timeline timeline = { .key = "function",
						.times = times,
						.total = total,
						.sample_count = SAMPLES,
						.owners = owners,
						.owner_count = 2 };

	for (int i = 0; i < SAMPLES; i++) {
		times[i] = UINT64_C(1800000000000000000) + (uint64_t)i * 10000000000;
		grows[i] = i * (INT64_C(1) << 20);
		stands[i] = INT64_C(8) << 20;
		total[i] = grows[i] + stands[i] + (INT64_C(2) << 20);
	}
	return &timeline;
}

int main(int argc, char **argv)
{
	static const char *const names_of_keys[] = { "comm", "stack", "node", "order" };
	bool html = argc > 1 && strcmp(argv[1], "html") == 0;
	static const char *const files[] = { "alloc_pages+0x1/0x2", "xfs_write+0x1/0x2 [xfs]",
					     "entry+0x1/0x2" };
	static const char *const network[] = { "alloc_pages+0x3/0x4",
					       "<script>window.harmed=1</script>+0x1/0x2",
					       "entry+0x1/0x2" };

	set_group(0, "\"><img src=x onerror=\"window.harmed=1\">\n\x01\xff", files, 3, 6000000);
	set_group(1, "nginx", network, 3, 3000000);
	for (size_t i = 0; i < MANY; i++) {
		snprintf(names[i], sizeof(names[i]), "small_%03zu+0x1/0x2", i);
		small_frames[i][0] = names[i];
		small_frames[i][1] = "boot+0x1/0x2";
		set_group(LARGE + i, "swapper", small_frames[i], 2, 1000);
	}

	struct kmp_groups all = {
		.keys = names_of_keys,
		.key_count = html ? 4 : 2,
		.groups = groups,
		.count = LARGE + MANY,
		.total = { .records = LARGE + MANY, .pages = 9300000, .bytes = 9300000LL * 4096 },
		.facts = { .name = "test", .kind = "page_owner", .kernel = "7.3.4" }
	};
	struct kmp_timeline *timelines[] = { make_timeline() };
	struct kmp_view view = { .format = html ? KMP_FORMAT_HTML : KMP_FORMAT_SVG,
				 .timelines = timelines,
				 .timeline_count = 1 };
	struct kmp_error *err = kmp_groups_write(&all, stdout, &view);

	if (err) {
		fprintf(stderr, "%s\n", err->message);
		kmp_error_destroy(err);
		return EXIT_FAILURE;
	}
	return EXIT_SUCCESS;
}
