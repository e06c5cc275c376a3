// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes a history of 40 moments, ten seconds apart: who leaks, who churns, who steps, and tasks
 * with names that a terminal must not see as they are.
 *
 *     make-history FILE
 */
#include <stdlib.h>
#include <string.h>

#include "kmemprof/kmemprof.h"

enum { MOMENTS = 40, NODES = 2 };

static const uint64_t second = UINT64_C(1000000000);
static const uint64_t first = UINT64_C(1796040000); /* 2026-11-30 12:00:00 */

static void check(struct kmp_error *err)
{
	if (!err)
		return;
	char *text = kmp_error_format(err);

	fprintf(stderr, "%s\n", text ? text : "out of memory");
	exit(1);
}

static uint32_t text(struct kmp_ledger *ledger, enum kmp_dict dict, const char *value, size_t len)
{
	uint32_t number;

	check(kmp_ledger_add_text(ledger, dict, value, len, &number));
	return number;
}

static const struct who {
	const char *frames[4];
	const char *comm;
	size_t comm_len;
	int64_t pid;
	uint8_t order;
} everyone[] = {
	{ { "__alloc_pages_noprof+0x1/0x2", "leaky_read+0x10/0x80 [leaky]", "vfs_read+0x7/0x9" },
	  "leaker",
	  6,
	  100,
	  2 },
	{ { "__alloc_pages_noprof+0x1/0x2", "churn_work+0x4/0x44", "process_one_work+0x1/0x2" },
	  "kworker/0:1",
	  11,
	  101,
	  0 },
	{ { "__alloc_pages_noprof+0x1/0x2", "step_up+0x8/0x88", "do_syscall_64+0x3/0x4" },
	  "evil\nname\x1b[2J",
	  13,
	  102,
	  0 },
	{ { "__alloc_pages_noprof+0x1/0x2", "flat_init+0x1/0x11", "start_kernel+0x5/0x6" },
	  "na\xc3\xafve-\xe6\x97\xa5\xe6\x9c\xac",
	  13,
	  103,
	  3 },
	{ { "__alloc_pages_noprof+0x1/0x2", "shrink_me+0x2/0x22", "kthread+0x5/0x6" },
	  "",
	  0,
	  104,
	  1 },
};

enum { EVERYONE = sizeof(everyone) / sizeof(*everyone) };

static uint64_t records_of(size_t who, unsigned moment)
{
	switch (who) {
	case 0:
		return 10 + 5 * moment;
	case 1:
		return 50 + (moment * 7) % 30;
	case 2:
		return moment < 20 ? 40 : 200;
	case 3:
		return 64;
	default:
		return 3 * (MOMENTS - moment);
	}
}

static struct kmp_page page_of(struct kmp_ledger *ledger, size_t who, unsigned moment)
{
	const struct who *w = &everyone[who];
	uint32_t frames[4], depth = 0;
	struct kmp_stack stack = { 0 };
	struct kmp_task task = { .pid = w->pid, .tgid = w->pid };
	struct kmp_page page = { .pfn = KMP_UNKNOWN,
				 .block = KMP_UNKNOWN,
				 .ts = KMP_UNKNOWN,
				 .free_ts = KMP_UNKNOWN,
				 .gfp = KMP_NONE,
				 .charge = KMP_NONE,
				 .type = KMP_NONE,
				 .block_type = KMP_NONE,
				 .reason = KMP_NONE,
				 .extra = KMP_NONE,
				 .order = w->order };
	char flags[64];

	for (; w->frames[depth]; depth++)
		frames[depth] =
			text(ledger, KMP_DICT_FRAME, w->frames[depth], strlen(w->frames[depth]));
	check(kmp_ledger_add_trace(ledger, frames, depth, &stack.trace));
	check(kmp_ledger_add_stack(ledger, &stack, &page.stack));
	task.comm = text(ledger, KMP_DICT_COMM, w->comm, w->comm_len);
	check(kmp_ledger_add_task(ledger, &task, &page.task));
	snprintf(flags, sizeof(flags), "0x40(head|node=%d|zone=2)", (int)(who % NODES));
	page.flags = text(ledger, KMP_DICT_FLAGS, flags, strlen(flags));
	page.records = records_of(who, moment);
	page.pages = page.records << w->order;
	return page;
}

static void add_tags(struct kmp_ledger *ledger, unsigned moment)
{
	const struct kmp_tag tags[] = {
		{ "mm/slub.c", "alloc_slab_page", "", "", 3059, 1638400, 100, true, false },
		{ "drivers/leaky.c", "leaky_read", "leaky", "", 42, 4096 * (int64_t)(moment + 1),
		  (int64_t)moment + 1, true, false },
		{ "kernel/fork.c", "dup_task_struct", "", "", 7, 65536, 16, true, false },
	};

	for (size_t i = 0; i < sizeof(tags) / sizeof(*tags); i++)
		check(kmp_ledger_add_tag(ledger, &tags[i]));
}

int main(int argc, char **argv)
{
	const struct kmp_history_options options = { .pids = true,
						     .columns =
							     KMP_COLUMN_TASK | KMP_COLUMN_FLAGS };
	struct kmp_history_writer *writer;

	if (argc != 2)
		return 2;
	check(kmp_history_create(argv[1], &options, &writer));
	struct kmp_sink sink = kmp_history_sink(writer);

	for (unsigned moment = 0; moment < MOMENTS; moment++) {
		const struct kmp_moment when = { .time = (first + 10 * moment) * second,
						 .uptime = (1000 + 10 * moment) * second,
						 .memory_total = UINT64_C(1) << 32,
						 .memory_free = UINT64_C(1) << 31,
						 .memory_available = UINT64_C(1) << 31,
						 .boot = "00000000-0000-0000-0000-000000000001",
						 .host = "example",
						 .kernel = "7.3.4" };
		struct kmp_ledger *ledger;

		check(kmp_ledger_create(&ledger));
		for (size_t who = 0; who < EVERYONE; who++) {
			const struct kmp_page page = page_of(ledger, who, moment);

			check(sink.pages(sink.arg, ledger, &page, 1));
		}
		add_tags(ledger, moment);
		check(kmp_history_add(writer, ledger, &when));
		kmp_ledger_destroy(ledger);
	}
	check(kmp_history_end(writer));
	return 0;
}
