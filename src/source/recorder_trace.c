// SPDX-License-Identifier: GPL-2.0-only
#include "source/recorder_trace.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "source/debug_lines.h"

#define SLAB_DIRECTORY "/sys/kernel/slab"
#define SLAB_LIST      "/proc/slabinfo"

DEFINE_CLEANUP(directory, DIR *, closedir)
DEFINE_CLEANUP(lines, struct kmp_debug_lines *, kmp_debug_lines_close)

/* A tag's function and module, which point into its text. */
struct words {
	const char *function;
	size_t function_len;
	const char *module; /* NULL: any; empty: built-in code */
	size_t module_len;
};

/* `name`, `name [module]` or `[module]name`. */
static struct words split(const char *tag)
{
	const char *open = strchr(tag, '[');
	const char *close = open ? strchr(open, ']') : NULL;
	struct words w = { .function = tag, .function_len = strlen(tag) };

	if (!close)
		return w;
	w.module = open + 1;
	w.module_len = (size_t)(close - open) - 1;
	if (open == tag) {
		w.function = close + 1 + strspn(close + 1, " ");
		w.function_len = strlen(w.function);
	} else {
		w.function_len = (size_t)(open - tag);
		while (w.function_len && tag[w.function_len - 1] == ' ')
			w.function_len--;
	}
	return w;
}

/* The compiler's parts of a function (`name.cold`) are the function, too. */
static bool is_of(const struct kmp_symbol *symbol, const struct words *w)
{
	const char *module = symbol->module ? symbol->module : "";

	if (strncmp(symbol->name, w->function, w->function_len) != 0 ||
	    (symbol->name[w->function_len] && symbol->name[w->function_len] != '.'))
		return false;
	return !w->module ||
	       (strlen(module) == w->module_len && !memcmp(module, w->module, w->module_len));
}

static struct kmp_error *find_functions(const char *tag, const struct kmp_symbols *symbols,
					struct kmp_trace_target *t)
{
	const struct words w = split(tag);
	struct kmp_symbol symbol;

	for (size_t i = 0; w.function_len && i < kmp_symbols_entries(symbols); i++) {
		if (!kmp_symbols_entry(symbols, i, &symbol) || !is_of(&symbol, &w))
			continue;
		if (t->range_count == RECORD_WANTED_MAX)
			return kmp_error_new(KMP_ERROR_LIMIT,
					     "'%s' is the name of more than %d functions: "
					     "'%s [module]' names one",
					     tag, (int)RECORD_WANTED_MAX, tag);
		t->ranges[t->range_count++] =
			(struct record_range){ symbol.address, symbol.address + symbol.size };
	}
	if (t->range_count)
		t->kind = RECORD_TRACE_SITES;
	return NULL;
}

/* Where the name of a cache points to; caches that share their memory point to one place. */
static bool slab_target(const char *name, char *target, size_t size)
{
	char path[512];

	if (strchr(name, '/') || strlen(name) >= RECORD_CACHE_NAME)
		return false;
	snprintf(path, sizeof(path), SLAB_DIRECTORY "/%s", name);
	ssize_t len = readlink(path, target, size - 1);

	if (len < 0) {
		/* Its own directory, or none. */
		snprintf(target, size, "%s", name);
		return access(path, F_OK) == 0;
	}
	target[len] = '\0';
	return true;
}

static void add_cache(struct kmp_trace_target *t, const char *name)
{
	size_t len = strlen(name);

	/* The rest is 0 already. */
	if (t->cache_count < RECORD_CACHES_MAX && len < RECORD_CACHE_NAME)
		memcpy(t->caches[t->cache_count++], name, len);
}

/* Caches that share their memory cannot be told apart. */
static void note_companion(struct kmp_trace_target *t, const char *name)
{
	size_t used = strlen(t->note);

	if (used + strlen(name) + 64 < sizeof(t->note))
		snprintf(t->note + used, sizeof(t->note) - used, "%s%s",
			 used ? " " : "with it are told caches that share its memory: ", name);
}

/* Caches of the same memory bear one name of theirs inside the kernel: which, slabinfo tells. */
static void find_names(const char *tag, const char *place, struct kmp_trace_target *t)
{
	auto_file FILE *list = fopen(SLAB_LIST, "re");
	char line[512];

	while (list && fgets(line, sizeof(line), list)) {
		char target[256];

		line[strcspn(line, " \n")] = '\0';
		if (slab_target(line, target, sizeof(target)) && !strcmp(target, place))
			add_cache(t, line);
	}
	if (!t->cache_count)
		add_cache(t, tag);
}

static void find_companions(const char *tag, const char *place, struct kmp_trace_target *t)
{
	DIR *directory cleanup(cleanup_directory) = opendir(SLAB_DIRECTORY);
	const struct dirent *entry;

	while (directory && (entry = readdir(directory))) {
		char target[256];

		if (entry->d_name[0] != ':' && strcmp(entry->d_name, tag) != 0 &&
		    slab_target(entry->d_name, target, sizeof(target)) && !strcmp(target, place))
			note_companion(t, entry->d_name);
	}
}

/* `kmalloc-64`, `kmalloc-2k`, `kmalloc-cg-8k`: the bytes at the end; 0 for another cache. */
static uint32_t kmalloc_bytes(const char *name)
{
	const char *last = strrchr(name, '-');
	char *end;

	if (strncmp(name, "kmalloc-", 8) != 0 && strncmp(name, "dma-kmalloc-", 12) != 0)
		return 0;
	unsigned long bytes = strtoul(last + 1, &end, 10);

	if (*end == 'k')
		bytes *= 1024;
	return bytes <= UINT32_MAX ? (uint32_t)bytes : 0;
}

/* Small kernels have no directory of their caches, or no list either: then a name is believed. */
static bool is_listed(const char *tag, struct kmp_trace_target *t)
{
	auto_file FILE *list = fopen(SLAB_LIST, "re");
	char line[512];

	if (!list)
		snprintf(t->note, sizeof(t->note),
			 "this kernel does not list its caches: the tag is taken for the name of "
			 "one");
	while (list && fgets(line, sizeof(line), list)) {
		line[strcspn(line, " \n")] = '\0';
		if (!strcmp(line, tag))
			return true;
	}
	return !list;
}

static void find_cache(const char *tag, struct kmp_trace_target *t)
{
	bool directory = access(SLAB_DIRECTORY, F_OK) == 0;
	char place[256];

	if (!*tag || (directory ? !slab_target(tag, place, sizeof(place)) : !is_listed(tag, t)))
		return;
	t->kind = RECORD_TRACE_CACHES;
	t->kmalloc = kmalloc_bytes(tag);
	if (directory)
		find_names(tag, place, t);
	else
		add_cache(t, tag);
	if (t->kmalloc)
		snprintf(t->note, sizeof(t->note),
			 "all caches of kmalloc() with objects of this size are told together");
	else if (directory)
		find_companions(tag, place, t);
}

/* `mm/slub.c:2186`: where the line begins; NULL for another tag. */
static const char *line_of(const char *tag)
{
	const char *colon = strrchr(tag, ':');

	if (!colon || colon == tag || !colon[1] ||
	    strspn(colon + 1, "0123456789") != strlen(colon + 1))
		return NULL;
	return colon + 1;
}

static struct kmp_error *find_line(const char *tag, const char *line, struct kmp_trace_target *t)
{
	struct kmp_debug_lines *lines cleanup(cleanup_lines) = NULL;
	struct kmp_debug_range ranges[RECORD_WANTED_MAX];
	size_t count = 0;
	auto_free char *file = strndup(tag, (size_t)(line - tag) - 1);

	if (!file)
		return &kmp_error_no_memory;
	try(kmp_debug_lines_open_kernel(&lines));
	if (!lines)
		return kmp_error_new(KMP_ERROR_INPUT,
				     "'%s': for lines it takes the debug information of this "
				     "kernel, as /usr/lib/debug/boot/vmlinux-*; a function's name "
				     "does without",
				     tag);
	try(kmp_debug_lines_ranges(lines, file, strtoull(line, NULL, 10), ranges, RECORD_WANTED_MAX,
				   &count));
	if (!count)
		return kmp_error_new(KMP_ERROR_USAGE, "'%s' is no line that has code", tag);
	/* What is compared is the address behind the call. */
	for (size_t i = 0; i < count; i++)
		t->ranges[i] = (struct record_range){ ranges[i].start + 1, ranges[i].end + 1 };
	t->range_count = (uint32_t)count;
	t->kind = RECORD_TRACE_SITES;
	return NULL;
}

struct kmp_error *kmp_trace_resolve(const char *tag, const struct kmp_symbols *symbols,
				    struct kmp_trace_target *t)
{
	const char *line = line_of(tag);

	*t = (struct kmp_trace_target){ .kind = RECORD_TRACE_NONE };
	if (line)
		return find_line(tag, line, t);
	try(find_functions(tag, symbols, t));
	if (t->kind == RECORD_TRACE_NONE)
		find_cache(tag, t);
	if (t->kind == RECORD_TRACE_NONE)
		return kmp_error_new(KMP_ERROR_USAGE,
				     "this kernel has no function and no cache of objects that is "
				     "called '%s'; the compiler may have put the function into its "
				     "callers",
				     tag);
	return NULL;
}

bool kmp_trace_wants(const struct kmp_trace_target *t, uint64_t ip)
{
	for (uint32_t i = 0; i < t->range_count; i++) {
		if (ip >= t->ranges[i].start && ip < t->ranges[i].end)
			return true;
	}
	return false;
}
