// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <dirent.h>
#include <inttypes.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "store-fill.h"

static uint64_t seed_now;

static uint64_t any(void)
{
	/* xorshift64*: the same on every machine. */
	seed_now ^= seed_now >> 12;
	seed_now ^= seed_now << 25;
	seed_now ^= seed_now >> 27;
	return seed_now * 0x2545f4914f6cdd1d;
}

static uint32_t below(size_t n)
{
	return (uint32_t)(any() >> 33) % (uint32_t)n;
}

static uint32_t number_or_none(size_t n)
{
	return !n || !below(8) ? KMP_NONE : below(n);
}

/* A number of any length, or KMP_UNKNOWN. */
static uint64_t any_length(void)
{
	return below(8) ? any() >> below(64) : KMP_UNKNOWN;
}

static void add_text(struct kmp_ledger *ledger, enum kmp_dict dict, const char *text, size_t len)
{
	uint32_t number;

	assert_no_error(kmp_ledger_add_text(ledger, dict, text, len, &number));
}

static void add_frames(struct kmp_ledger *ledger)
{
	static const char *const odd[] = {
		"",
		"0xffffffff81000000",
		"(null)",
		"a+b+0x1/0x2",
		"f+0x01/0x2",
		"f+0x1",
		"f+0x1/0x2 [xfs]",
		"f+0x1/0x2 []",
		"f+0x1/0x2 [x] y",
		"f+0x0/0x0",
		"+",
		"f+0x/0x",
		"f+0x1/0x2 [a b]",
		"f+0xA/0xB",
		"f+0xffffffffffffffff/0x1",
		"f+0x7fffffffffffffff/0x11111111111111111",
		"f+0x1/0x2 ",
		"[x]",
		"f+0x1/0x2[x]",
	};
	char text[64];

	for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++)
		add_text(ledger, KMP_DICT_FRAME, odd[i], strlen(odd[i]));
	add_text(ledger, KMP_DICT_FRAME, "f\0g+0x1/0x2", 11);
	for (int i = 0; i < 300; i++) {
		int n = snprintf(text, sizeof(text), "function_%u+0x%x/0x%x%s", below(100),
				 below(4096), below(4096), below(3) ? "" : " [module]");

		add_text(ledger, KMP_DICT_FRAME, text, (size_t)n);
	}
	for (uint32_t i = 0; i < 20; i++)
		assert_no_error(kmp_ledger_set_address(
			ledger, below(kmp_ledger_dict_count(ledger, KMP_DICT_FRAME)), any()));
}

static void add_stacks(struct kmp_ledger *ledger)
{
	uint32_t frames[40], number;

	for (int i = 0; i < 100; i++) {
		uint32_t depth = below(i % 10 ? 16 : 40);

		for (uint32_t j = 0; j < depth; j++)
			frames[j] = below(kmp_ledger_dict_count(ledger, KMP_DICT_FRAME));
		assert_no_error(kmp_ledger_add_trace(ledger, frames, depth, &number));
	}
	for (int i = 0; i < 150; i++) {
		struct kmp_stack stack = {
			.trace = number_or_none(kmp_ledger_count(ledger, KMP_LIST_TRACES)),
			.handle = (uint32_t)any(),
			.has_handle = below(2),
		};

		assert_no_error(kmp_ledger_add_stack(ledger, &stack, &number));
	}
}

static void add_texts(struct kmp_ledger *ledger)
{
	static const char *const texts[] = { "",
					     "a",
					     "x), ts 5 ns",
					     "a\nb",
					     "\xff\xfe",
					     "0x40(node=1|zone=2)",
					     "caf\xc3\xa9",
					     "a long text that is the same for all" };

	for (int dict = KMP_DICT_COMM; dict <= KMP_DICT_EXTRA; dict++) {
		for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
			add_text(ledger, (enum kmp_dict)dict, texts[i], strlen(texts[i]));
		add_text(ledger, (enum kmp_dict)dict, "n\0l", 3);
	}
}

static void add_tasks(struct kmp_ledger *ledger)
{
	uint32_t number;

	for (int i = 0; i < 50; i++) {
		struct kmp_task task = {
			below(4) ? (int64_t)below(5000) : -1, below(4) ? (int64_t)any() : -1,
			number_or_none(kmp_ledger_dict_count(ledger, KMP_DICT_COMM))
		};
		struct kmp_charge charge = {
			.memcg = number_or_none(kmp_ledger_dict_count(ledger, KMP_DICT_MEMCG)),
			.objcg = below(2),
			.offline = below(2),
			.old_spelling = below(2),
		};

		assert_no_error(kmp_ledger_add_task(ledger, &task, &number));
		assert_no_error(kmp_ledger_add_charge(ledger, &charge, &number));
	}
}

static void add_tags(struct kmp_ledger *ledger)
{
	for (int i = 0; i < 40; i++) {
		char file[32];
		struct kmp_tag tag = { .file = file,
				       .function = below(3) ? "alloc_it" : "",
				       .module = below(2) ? "xfs" : "",
				       .extra = below(5) ? "" : "key:value",
				       .line = below(3000),
				       .bytes = (int64_t)any(),
				       .calls = (int64_t)any_length(),
				       .accurate = below(2),
				       .approximate = below(2) };

		snprintf(file, sizeof(file), "./fs/%u.c", below(20));
		assert_no_error(kmp_ledger_add_tag(ledger, &tag));
	}
}

static void add_facts(struct kmp_ledger *ledger)
{
	assert_no_error(kmp_ledger_set_facts(ledger, &(struct kmp_facts){ .name = "/x/page_owner",
									  .kind = "page_owner",
									  .mode = "stack_handle",
									  .kernel = "7.3.4",
									  .time = any() >> 1,
									  .page_size = 65536,
									  .nodes = 9,
									  .profiling_off = below(2),
									  .top_only = below(2) }));
	assert_no_error(kmp_ledger_add_skipped(ledger, 12, "order missing"));
	assert_no_error(kmp_ledger_add_skipped(ledger, 14, "order wrong"));
	kmp_ledger_add_losses(ledger, below(9), below(9));
	assert_no_error(kmp_ledger_warn(ledger, "look at %d", 1));
	assert_no_error(kmp_ledger_warn(ledger, "look at %d", 2));
	for (int zone = 0; zone < 4; zone++)
		assert_no_error(
			kmp_ledger_set_zone(ledger, zone / 2, zone % 2, zone ? "Normal" : "DMA"));
}

static struct kmp_page wild_page(const struct kmp_ledger *l)
{
	return (struct kmp_page){
		.pfn = any_length(),
		.block = any_length(),
		.ts = any_length(),
		.free_ts = any_length(),
		.records = any_length(),
		.pages = any_length(),
		.stack = number_or_none(kmp_ledger_count(l, KMP_LIST_STACKS)),
		.task = number_or_none(kmp_ledger_count(l, KMP_LIST_TASKS)),
		.gfp = number_or_none(kmp_ledger_dict_count(l, KMP_DICT_GFP)),
		.flags = number_or_none(kmp_ledger_dict_count(l, KMP_DICT_FLAGS)),
		.charge = number_or_none(kmp_ledger_count(l, KMP_LIST_CHARGES)),
		.type = number_or_none(kmp_ledger_dict_count(l, KMP_DICT_TYPE)),
		.block_type = number_or_none(kmp_ledger_dict_count(l, KMP_DICT_TYPE)),
		.reason = number_or_none(kmp_ledger_dict_count(l, KMP_DICT_REASON)),
		.extra = number_or_none(kmp_ledger_dict_count(l, KMP_DICT_EXTRA)),
		.form = (uint32_t)any() >> below(32),
		.order = (uint8_t)below(64),
	};
}

static struct kmp_page styled_page(const struct kmp_ledger *l, enum fill_style style,
				   const struct kmp_page *before)
{
	struct kmp_page page = wild_page(l);

	page.order = (uint8_t)(below(10) ? 0 : below(11));
	page.form = 0x3ff;
	page.records = 1;
	if (style == FILL_SUMS)
		page.records = below(1000);
	page.pages = page.records << page.order;
	page.pfn = page.block = page.ts = page.free_ts = KMP_UNKNOWN;
	if (style == FILL_BARE)
		page.task = page.gfp = page.flags = page.charge = page.type = page.block_type =
			page.reason = page.extra = KMP_NONE;
	if (style != FILL_KERNEL)
		return page;
	page.pfn = before ? before->pfn + (1ull << before->order) : 256;
	if (!below(20))
		page.pfn += below(5000);
	page.pfn = (page.pfn + (1ull << page.order) - 1) >> page.order << page.order;
	page.block = page.pfn >> 9;
	page.ts = below(5) && before ? before->ts + below(30000) : any() >> 30;
	page.flags = below(6);
	if (before && below(4)) {
		page.stack = before->stack;
		page.task = before->task;
	}
	return page;
}

void fill_style(struct filled *f, unsigned seed, size_t count, enum fill_style style)
{
	*f = (struct filled){ .count = count };
	seed_now = seed * 0x9e3779b97f4a7c15 + 1;
	assert_no_error(kmp_ledger_create(&f->ledger));
	f->pages = calloc(count, sizeof(*f->pages));
	assert_non_null(f->pages);
	add_facts(f->ledger);
	add_texts(f->ledger);
	add_frames(f->ledger);
	add_stacks(f->ledger);
	add_tasks(f->ledger);
	add_tags(f->ledger);
	for (size_t i = 0; i < count; i++)
		f->pages[i] = style == FILL_WILD
				      ? wild_page(f->ledger)
				      : styled_page(f->ledger, style, i ? &f->pages[i - 1] : NULL);
}

void fill(struct filled *f, unsigned seed, size_t count)
{
	fill_style(f, seed, count, FILL_WILD);
}

void filled_deinit(struct filled *f)
{
	kmp_ledger_destroy(f->ledger);
	free(f->pages);
	*f = (struct filled){ 0 };
}

struct kmp_error *save(struct filled *f, const char *path, bool append)
{
	struct kmp_store *store;

	try(kmp_store_create(path, append, &store));
	struct kmp_sink sink = kmp_store_sink(store);

	/* In pieces of changing length, as a reader delivers them. */
	for (size_t at = 0, n = 1; at < f->count; at += n, n = n * 3 % 1009) {
		if (n > f->count - at)
			n = f->count - at;
		struct kmp_error *err = sink.pages(sink.arg, f->ledger, f->pages + at, n);

		if (err) {
			kmp_store_abort(store);
			return err;
		}
	}
	return kmp_store_commit(store, f->ledger);
}

static struct kmp_error *collect(void *arg, struct kmp_ledger *ledger, const struct kmp_page *pages,
				 size_t count)
{
	struct filled *f = arg;

	try(kmp_vec_grow((void **)&f->pages, &f->cap, f->count + count, sizeof(*pages)));
	memcpy(f->pages + f->count, pages, count * sizeof(*pages));
	f->count += count;
	return NULL;
}

struct kmp_sink collect_sink(struct filled *f, uint32_t columns)
{
	return (struct kmp_sink){ collect, f, columns };
}

struct kmp_error *load(struct filled *f, const char *path, unsigned snapshot, uint32_t columns)
{
	struct kmp_store_reader *reader;
	struct kmp_sink sink = collect_sink(f, columns);

	*f = (struct filled){ 0 };
	try(kmp_store_open(path, snapshot, &reader));
	assert_no_error(kmp_ledger_create(&f->ledger));
	struct kmp_error *err =
		kmp_store_read(reader, f->ledger, KMP_READ_PAGES | KMP_READ_TAGS, &sink);

	kmp_store_close(reader);
	if (err)
		filled_deinit(f);
	return err;
}

/* ---- Files ---- */

static char directory[64];

int make_directory(void **state)
{
	strcpy(directory, "/tmp/test-store.XXXXXX");
	return mkdtemp(directory) ? 0 : -1;
}

const char *test_path(const char *name)
{
	static char paths[4][512];
	static unsigned next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", directory, name);
	return path;
}

/* How many files there are; removes them if told so. */
static int each_file(bool remove)
{
	DIR *d = opendir(directory);
	struct dirent *e;
	int count = 0;

	assert_non_null(d);
	while ((e = readdir(d))) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		count++;
		if (remove)
			unlink(test_path(e->d_name));
	}
	closedir(d);
	return count;
}

int files_in_test_directory(void)
{
	return each_file(false);
}

int remove_directory(void **state)
{
	each_file(true);
	return rmdir(directory);
}
