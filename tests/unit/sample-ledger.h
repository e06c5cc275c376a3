/* SPDX-License-Identifier: GPL-2.0-only */
/* A small made-up machine for tests of grouping and filters; the same for the same seed. */
#ifndef KMP_TESTS_SAMPLE_LEDGER_H
#define KMP_TESTS_SAMPLE_LEDGER_H

#include <stdio.h>

#include "ledger/ledger.h"

enum { SAMPLE_TRACES = 12, SAMPLE_STACKS = 24, SAMPLE_TASKS = 20 };

struct sample {
	struct kmp_ledger *ledger;
	uint64_t random;
	uint32_t stacks[SAMPLE_STACKS];
	uint32_t tasks[SAMPLE_TASKS];
};

static inline uint32_t sample_random(struct sample *sample, uint32_t below)
{
	sample->random = sample->random * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(sample->random >> 33) % below;
}

static inline uint32_t sample_text(struct sample *sample, enum kmp_dict dict, const char *text)
{
	uint32_t number;

	assert_null(kmp_ledger_add_text(sample->ledger, dict, text, strlen(text), &number));
	return number;
}

static inline uint32_t sample_trace(struct sample *sample, const char *const *frames,
				    uint32_t depth)
{
	uint32_t numbers[16], trace;

	for (uint32_t i = 0; i < depth; i++)
		numbers[i] = sample_text(sample, KMP_DICT_FRAME, frames[i]);
	assert_null(kmp_ledger_add_trace(sample->ledger, numbers, depth, &trace));
	return trace;
}

/* Every other stack has its trace, every third has a handle, some have the handle alone. */
static inline void sample_add_stacks(struct sample *sample)
{
	for (uint32_t i = 0; i < SAMPLE_STACKS; i++) {
		char caller[64];
		const char *frames[] = { "prep_new_page+0x1/0x2",
					 i % 3 ? "get_page_from_freelist+0x1/0x2"
					       : "__vmalloc_node_range_noprof+0x1/0x2",
					 caller };
		struct kmp_stack stack = { .trace = KMP_NONE,
					   .has_handle = i % 3 == 0 || i > 20,
					   .handle = 100 + i };

		snprintf(caller, sizeof(caller), "call_%u+0x%x/0x99%s", i % SAMPLE_TRACES, i % 2,
			 i % 4 ? "" : " [xfs 12ab]");
		if (i <= 20)
			stack.trace = sample_trace(sample, frames, 3);
		assert_null(kmp_ledger_add_stack(sample->ledger, &stack, &sample->stacks[i]));
	}
}

static inline void sample_create(struct sample *sample, uint64_t seed)
{
	*sample = (struct sample){ .random = seed };
	assert_null(kmp_ledger_create(&sample->ledger));
	assert_null(kmp_ledger_set_zone(sample->ledger, 0, 1, "DMA32"));
	assert_null(kmp_ledger_set_zone(sample->ledger, 0, 2, "Normal"));
	assert_null(kmp_ledger_set_zone(sample->ledger, 1, 2, "Normal"));
	sample_add_stacks(sample);
	for (uint32_t i = 0; i < SAMPLE_TASKS; i++) {
		char comm[16];
		struct kmp_task task = { .pid = i,
					 .tgid = i % 3 ? (int64_t)i / 2 : -1,
					 .comm = KMP_NONE };

		snprintf(comm, sizeof(comm), "task %u", i % 7);
		if (i % 5)
			task.comm = sample_text(sample, KMP_DICT_COMM, comm);
		assert_null(kmp_ledger_add_task(sample->ledger, &task, &sample->tasks[i]));
	}
}

static inline uint32_t sample_pick(struct sample *sample, enum kmp_dict dict,
				   const char *const *texts, uint32_t count)
{
	uint32_t i = sample_random(sample, count + 1);

	return i == count ? KMP_NONE : sample_text(sample, dict, texts[i]);
}

static inline struct kmp_page sample_page(struct sample *sample)
{
	static const char *const masks[] = { "0xcc0(GFP_KERNEL)", "0x0()",
					     "0x140cca(GFP_HIGHUSER_MOVABLE|__GFP_COMP)" };
	static const char *const flags[] = { "0x0()",
					     "0x40(lru|dirty|node=0|zone=1)",
					     "0x41(slab|node=1|zone=2)",
					     "0x42(head|node=0|zone=2)",
					     "0x43(head|node=2|zone=7)",
					     "   UDLA   B " };
	static const char *const types[] = { "Movable", "Unmovable", "CMA" };
	static const char *const reasons[] = { "compaction", "demotion" };
	static const char *const groups[] = { "/", "db.service", "batch job" };
	struct kmp_charge charge = {
		.memcg = sample_pick(sample, KMP_DICT_MEMCG, groups, 3),
	};
	struct kmp_page page = {
		.pfn = sample_random(sample, 4) ? sample_random(sample, 5000) : KMP_UNKNOWN,
		.ts = sample_random(sample, 4) ? sample_random(sample, 4000) * UINT64_C(1000000)
					       : KMP_UNKNOWN,
		.free_ts = KMP_UNKNOWN,
		.block = KMP_UNKNOWN,
		.records = 1 + sample_random(sample, 2),
		.order = (uint8_t)sample_random(sample, 5),
		.stack = sample_random(sample, 9)
				 ? sample->stacks[sample_random(sample, SAMPLE_STACKS)]
				 : KMP_NONE,
		.task = sample_random(sample, 9)
				? sample->tasks[sample_random(sample, SAMPLE_TASKS)]
				: KMP_NONE,
		.charge = KMP_NONE,
		.extra = KMP_NONE,
		.form = sample_random(sample, 8) ? 0 : KMP_FORM_SLAB,
	};

	page.pages = page.records << page.order;
	page.gfp = sample_pick(sample, KMP_DICT_GFP, masks, 3);
	page.flags = sample_pick(sample, KMP_DICT_FLAGS, flags, 6);
	page.type = sample_pick(sample, KMP_DICT_TYPE, types, 3);
	page.block_type = sample_pick(sample, KMP_DICT_TYPE, types, 3);
	page.reason = sample_pick(sample, KMP_DICT_REASON, reasons, 2);
	if (charge.memcg != KMP_NONE)
		assert_null(kmp_ledger_add_charge(sample->ledger, &charge, &page.charge));
	return page;
}

#endif
