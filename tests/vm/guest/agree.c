// SPDX-License-Identifier: GPL-2.0-only
/*
 * Does a recording agree with the kernel's own page_owner? For each page that both say was
 * allocated while the recording went on: the same order, mask, task, and the same frames from the
 * caller of the page allocator on. Shares no code with kmemprof.
 *
 *     agree RECORDED KERNEL
 *
 * Prints the pages compared, those that agree, and what differs in the first that do not.
 */
#include <err.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct record {
	uint64_t pfn;
	uint64_t ts;
	unsigned order;
	const char *who; /* mask and task, up to the time */
	size_t who_len;
	const char *frames; /* from the allocator's caller on */
	size_t frames_len;
	bool recorded; /* not a page of before */
};

struct records {
	struct record *data;
	size_t count;
};

static char *read_text(const char *path)
{
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t size = 0;
	size_t cap = 0;

	if (!file)
		err(2, "%s", path);
	for (size_t got = 1; got; size += got) {
		if (cap - size < 1 << 20) {
			cap += 16 << 20;
			text = realloc(text, cap + 1);
		}
		got = fread(text + size, 1, cap - size, file);
	}
	text[size] = '\0';
	fclose(file);
	return text;
}

/* The frames below the allocator's entry; all of them where it is not among them. */
static void find_frames(struct record *r, const char *at)
{
	const char *start = at;
	const char *entry = NULL;

	for (; *at == ' '; at = strchr(at, '\n') + 1) {
		if (!entry && (!strncmp(at, " __alloc_pages", 14) ||
			       !strncmp(at, " __alloc_frozen_pages", 21)))
			entry = strchr(at, '\n') + 1;
	}
	r->frames = entry ? entry : start;
	r->frames_len = (size_t)(at - r->frames);
}

static bool parse(const char *text, struct record *r)
{
	const char *line = strstr(text, "\nPFN 0x");
	const char *mask = strstr(text, ", mask ");
	const char *ts = NULL;

	if (!line || !mask)
		return false;
	for (const char *p = strstr(text, "), ts "); p && p < line; p = strstr(p + 1, "), ts "))
		ts = p;
	if (!ts)
		return false;
	r->order = (unsigned)strtoul(text + strlen("Page allocated via order "), NULL, 10);
	r->who = mask;
	r->who_len = (size_t)(ts - mask);
	r->ts = strtoull(ts + 6, NULL, 10);
	r->pfn = strtoull(line + 7, NULL, 16);
	r->recorded = !memmem(text, (size_t)(line - text), "(unattributed)", 14);
	find_frames(r, strchr(line + 1, '\n') + 1);
	return true;
}

static struct records read_records(const char *path)
{
	char *text = read_text(path);
	struct records all = { 0 };
	size_t cap = 0;

	while ((text = strstr(text, "Page allocated via order "))) {
		if (all.count == cap)
			all.data = realloc(all.data, (cap += 65536) * sizeof(*all.data));
		if (parse(text, &all.data[all.count]))
			all.count++;
		text++;
	}
	return all;
}

/* The record that covers a page frame; records rise. */
static const struct record *find(const struct records *all, uint64_t pfn)
{
	size_t low = 0;
	size_t high = all->count;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (all->data[mid].pfn <= pfn)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low || pfn >= all->data[low - 1].pfn + (1ull << all->data[low - 1].order))
		return NULL;
	return &all->data[low - 1];
}

/* The kernel keeps 16 frames, the allocator's among them: as many as both have. */
static bool same_frames(const struct record *a, const struct record *b)
{
	size_t len = a->frames_len < b->frames_len ? a->frames_len : b->frames_len;

	return len && !memcmp(a->frames, b->frames, len);
}

static const char *difference(const struct record *a, const struct record *b)
{
	if (a->pfn != b->pfn || a->order != b->order)
		return "order";
	if (a->who_len != b->who_len || memcmp(a->who, b->who, a->who_len) != 0)
		return "mask or task";
	return same_frames(a, b) ? NULL : "stack";
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	struct records ours = read_records(argv[1]);
	struct records kernel = read_records(argv[2]);
	uint64_t first = UINT64_MAX, last = 0, compared = 0, agree = 0, changed = 0, told = 0;

	for (size_t i = 0; i < ours.count; i++) {
		const struct record *r = &ours.data[i];

		if (r->recorded) {
			first = r->ts < first ? r->ts : first;
			last = r->ts > last ? r->ts : last;
		}
	}
	for (size_t i = 0; i < ours.count; i++) {
		const struct record *r = &ours.data[i];
		const struct record *k = r->recorded ? find(&kernel, r->pfn) : NULL;
		uint64_t pages = 1ull << r->order;

		if (!r->recorded)
			continue;
		/* The kernel's text is of a little later. */
		if (!k || k->ts > last) {
			changed += pages;
			continue;
		}
		const char *why = difference(r, k);

		compared += pages;
		agree += why ? 0 : pages;
		if (why && told++ < 3)
			printf("# %s: PFN 0x%" PRIx64 ": %.*s\n# %.*s\n", why, r->pfn,
			       (int)r->who_len, r->who, (int)k->who_len, k->who);
	}
	uint64_t missed = 0;

	for (size_t i = 0; i < kernel.count; i++) {
		const struct record *k = &kernel.data[i];
		const struct record *r = find(&ours, k->pfn);

		if (k->ts > first && k->ts <= last && (!r || !r->recorded))
			missed += 1ull << k->order;
	}
	printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", compared, agree, missed,
	       changed);
	return 0;
}
