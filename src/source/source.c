// SPDX-License-Identifier: GPL-2.0-only
/* A source is one text, a directory of texts, or a ledger file; what it is decides who reads it. */
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/cleanup.h"
#include "ledger/ledger.h"
#include "source/handles.h"
#include "source/native.h"
#include "source/native_tags.h"
#include "source/nodes.h"
#include "source/source.h"
#include "store/store.h"

struct kmp_source {
	char *path;
	struct kmp_source_options options;
	struct kmp_input *input; /* one text, or NULL */
	enum kmp_text_kind kind;
	const char *mode;
	bool is_directory;
	struct kmp_directory dir;
	struct kmp_store_reader *store; /* or NULL */
	struct kmp_history *history;	/* or NULL */
	size_t moment;			/* in it */
	bool is_native;			/* the running kernel's page_owner, by its own path */
	bool has_ioctl;			/* one allocinfo that answers questions, not opened yet */
	uint64_t time;
	uint32_t time_ns;
	uint64_t resolved; /* serial of the ledger that show_stacks_handles was read into */
	size_t unresolved; /* handles that it did not tell */
};

DEFINE_CLEANUP(source, struct kmp_source *, kmp_source_close)

static bool has_line(const char *head, size_t len, const char *start)
{
	return memmem(head, len, start, strlen(start)) != NULL;
}

/* Which mode a page_owner text was read in. */
static const char *text_mode(enum kmp_text_kind kind, const char *head, size_t len)
{
	bool handle = has_line(head, len, "\nhandle: ");
	bool stack = has_line(head, len, "\n ");

	if (kind != KMP_TEXT_PAGE_OWNER)
		return "";
	if (handle)
		return stack ? "stack_handle" : "handle";
	return stack ? "stack" : "";
}

static struct kmp_error *open_text(const char *path, struct kmp_input **input,
				   enum kmp_text_kind *kind, const char **mode)
{
	const char *head;
	size_t len;

	try(kmp_input_open(path, input));
	try(kmp_input_head(*input, &head, &len));
	*kind = kmp_text_detect(head, len);
	*mode = text_mode(*kind, head, len);
	if (*kind == KMP_TEXT_EMPTY)
		return kmp_error_input(path, 0, NULL, 0, "is empty");
	if (*kind == KMP_TEXT_UNKNOWN)
		return kmp_error_input(path, 0, NULL, 0,
				       "%s: neither page_owner nor allocinfo text of any kernel, "
				       "nor a ledger file",
				       memchr(head, '\0', len) ? "a binary file" : "unknown text");
	return NULL;
}

/* `FILE@WHEN`, if there is no file of the whole name; *when is NULL without one. */
static char *split_moment(const char *path, const char **when)
{
	const char *at = strrchr(path, '@');

	/* `@SECONDS` has one of its own. */
	if (at && at > path + 1 && at[-1] == '@')
		at--;
	*when = NULL;
	if (!at || at == path || !at[1] || access(path, F_OK) == 0)
		return strdup(path);
	auto_free char *file = strndup(path, (size_t)(at - path));

	if (!file || access(file, F_OK) != 0)
		return strdup(path);
	*when = at + 1;
	return_ptr(file);
}

static struct kmp_error *open_history(struct kmp_source *s, const char *when)
{
	try(kmp_history_open(s->path, &s->history));
	return kmp_history_find(s->history, when ? when : "last", &s->moment);
}

static struct kmp_error *open_store(struct kmp_source *s, const char *when)
{
	unsigned long number = 0;
	char *end;

	if (when) {
		number = strtoul(when, &end, 10);
		if (*end || number == 0 || number > UINT32_MAX - 1)
			return kmp_error_new(KMP_ERROR_USAGE,
					     "%s: '%.60s' is no number of a snapshot; moments are "
					     "found in a history alone",
					     s->path, when);
	}
	return kmp_store_open(s->path, (unsigned)number, &s->store);
}

/* A file that cannot be read is none; what is wrong with it will be told by who opens it. */
static bool is_ledger_file(const char *path)
{
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	char head[128];
	ssize_t len = fd < 0 ? 0 : pread(fd, head, sizeof(head), 0);

	return len > 0 && kmp_store_looks_like(head, (size_t)len);
}

static bool ends_in(const char *path, const char *end)
{
	size_t len = strlen(path);
	size_t n = strlen(end);

	return len >= n && !strcmp(path + len - n, end);
}

static struct kmp_error *open_any(struct kmp_source *s, const char *path)
{
	const char *when;
	struct stat st;

	s->path = split_moment(path, &when);
	if (!s->path)
		return &kmp_error_no_memory;
	if (strcmp(s->path, "-") != 0 && !stat(s->path, &st)) {
		s->time = S_ISREG(st.st_mode) ? (uint64_t)st.st_mtime : 0;
		if (S_ISDIR(st.st_mode)) {
			s->is_directory = true;
			return kmp_directory_scan(s->path, &s->dir);
		}
		s->is_native = ends_in(s->path, "/page_owner") && kmp_native_is(s->path);
		s->has_ioctl =
			S_ISREG(st.st_mode) && kmp_native_tags_suit(s->path, s->options.tags);
		if (s->is_native || s->has_ioctl)
			return NULL;
		if (S_ISREG(st.st_mode) && kmp_history_probe(s->path))
			return open_history(s, when);
		if (S_ISREG(st.st_mode) && is_ledger_file(s->path))
			return open_store(s, when);
	}
	if (when)
		return kmp_error_input(s->path, 0, NULL, 0,
				       "has no snapshots: it is no ledger file");
	return open_text(s->path, &s->input, &s->kind, &s->mode);
}

struct kmp_error *kmp_source_open(const char *path, const struct kmp_source_options *options,
				  struct kmp_source **out)
{
	struct kmp_source *s cleanup(cleanup_source) = calloc(1, sizeof(*s));

	if (!s)
		return &kmp_error_no_memory;
	s->mode = "";
	if (options)
		s->options = *options;
	try(open_any(s, path));
	*out = no_free(s);
	return NULL;
}

void kmp_source_close(struct kmp_source *s)
{
	if (!s)
		return;
	kmp_input_destroy(s->input);
	kmp_store_close(s->store);
	kmp_history_close(s->history);
	if (s->is_directory)
		kmp_directory_deinit(&s->dir);
	free(s->path);
	free(s);
}

uint32_t kmp_source_holds(const struct kmp_source *s)
{
	uint32_t holds = 0;

	if (s->store)
		return kmp_store_holds(s->store);
	if (s->history)
		return kmp_history_sample(s->history, s->moment)->holds;
	if (s->is_native)
		return KMP_READ_PAGES;
	if (s->has_ioctl)
		return KMP_READ_TAGS;
	if (!s->is_directory)
		return kmp_text_holds(s->kind);
	if (s->dir.page_owner || s->dir.show_stacks || s->dir.show_handles)
		holds |= KMP_READ_PAGES;
	if (s->dir.allocinfo)
		holds |= KMP_READ_TAGS;
	if (s->dir.page_owner && (s->dir.show_stacks || s->dir.show_handles))
		holds |= KMP_READ_STACKS;
	return holds;
}

static struct kmp_error *set_facts(const struct kmp_source *s, struct kmp_ledger *ledger,
				   enum kmp_text_kind kind, const char *mode)
{
	struct kmp_facts facts = *kmp_ledger_facts(ledger);

	facts.name = s->path;
	facts.kind = kmp_text_kind_name(kind);
	facts.mode = mode;
	facts.time = s->time;
	facts.time_ns = s->time_ns;
	return kmp_ledger_set_facts(ledger, &facts);
}

static void set_time(struct kmp_source *s, const struct timespec *time)
{
	s->time = (uint64_t)time->tv_sec;
	s->time_ns = (uint32_t)time->tv_nsec;
}

static void set_time_now(struct kmp_source *s)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	set_time(s, &now);
}

/* One file of a directory. */
static struct kmp_error *read_file(struct kmp_source *s, const char *path,
				   struct kmp_ledger *ledger, const struct kmp_sink *sink)
{
	struct kmp_input *input = NULL;
	enum kmp_text_kind kind;
	const char *mode;
	struct stat st;
	struct kmp_error *err = open_text(path, &input, &kind, &mode);

	if (!err && !stat(path, &st) && S_ISREG(st.st_mode) && st.st_size)
		set_time(s, &(struct timespec){ .tv_sec = st.st_mtime });
	if (!err && kind != KMP_TEXT_SHOW_STACKS_HANDLES)
		err = set_facts(s, ledger, kind, mode);
	if (!err)
		err = kmp_text_read(kind, input, ledger, sink, &s->options);
	kmp_input_destroy(input);
	return err;
}

static void note(const struct kmp_source *s, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void note(const struct kmp_source *s, const char *fmt, ...)
{
	char line[256];
	va_list args;

	if (!s->options.note)
		return;
	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	s->options.note(s->options.note_arg, line);
}

/* allocinfo, by the way that suits. */
static struct kmp_error *read_allocinfo(struct kmp_source *s, const char *path,
					struct kmp_ledger *ledger, const struct kmp_sink *sink)
{
	const char *why = "nothing is asked for that the kernel could look for, or it cannot";

	if (s->has_ioctl || kmp_native_tags_suit(path, s->options.tags)) {
		set_time_now(s);
		try(set_facts(s, ledger, KMP_TEXT_ALLOCINFO, ""));
		try(kmp_native_tags_read(path, s->options.tags, ledger, &why));
	}
	if (!why) {
		note(s, "%s: tags by ioctl, looked for by the kernel", path);
		return NULL;
	}
	note(s, "%s: tags from the text: %s", path, why);
	return read_file(s, path, ledger, sink);
}

/* The running kernel's page_owner; handles: the file that resolves them, or NULL. */
static struct kmp_error *read_native(struct kmp_source *s, const char *path, const char *handles,
				     struct kmp_ledger *ledger, const struct kmp_sink *sink)
{
	struct kmp_native native cleanup(kmp_native_deinit) = { 0 };
	struct kmp_unresolved unresolved cleanup(kmp_unresolved_deinit) = { .fd = -1 };
	struct kmp_node_sink wanted;

	try(kmp_native_init(&native, path, handles != NULL, &s->options));
	set_time_now(s);
	try(set_facts(s, ledger, KMP_TEXT_PAGE_OWNER, native.mode));
	if (s->options.nodes && !native.nodes) {
		try(kmp_node_sink_init(&wanted, s->options.nodes, sink));
		sink = &wanted.sink;
	}
	try(kmp_unresolved_init(&unresolved, &native, ledger, sink));
	try(kmp_native_read(&native, ledger, &unresolved.sink, &s->options));
	/* Stacks that came to be meanwhile are listed now. */
	if (handles && kmp_ledger_unresolved(ledger))
		try(read_file(s, handles, ledger, sink));
	return kmp_unresolved_ask(&unresolved, ledger);
}

/*
 * Handles need their stacks once; stacks that come later are asked for when they are seen. Some are
 * never told.
 */
static struct kmp_error *resolve(struct kmp_source *s, struct kmp_ledger *ledger)
{
	size_t before = s->resolved == ledger->serial ? s->unresolved : 0;

	if (!s->dir.show_stacks_handles || kmp_ledger_unresolved(ledger) <= before)
		return NULL;
	try(kmp_handles_resolve(s->dir.show_stacks_handles, ledger));
	s->resolved = ledger->serial;
	s->unresolved = kmp_ledger_unresolved(ledger);
	return NULL;
}

/* The counts by stack and nothing else, again and again. */
static struct kmp_error *read_counts(struct kmp_source *s, struct kmp_ledger *ledger,
				     const struct kmp_sink *sink)
{
	const struct kmp_directory *dir = &s->dir;

	if (dir->version && !*kmp_ledger_facts(ledger)->kernel)
		try(kmp_version_read(dir->version, ledger));
	set_time_now(s);
	if (!dir->show_handles)
		return dir->show_stacks ? read_file(s, dir->show_stacks, ledger, sink) : NULL;
	try(read_file(s, dir->show_handles, ledger, sink));
	return resolve(s, ledger);
}

/*
 * What the kernel counted by stack, beside its page owners, whose the facts are. Handles are the
 * better figures, since show_stacks_handles tells their stacks, and one reading then serves all
 * three files.
 */
static struct kmp_error *read_stacks(struct kmp_source *s, struct kmp_ledger *ledger,
				     const struct kmp_sink *sink)
{
	const struct kmp_directory *dir = &s->dir;
	const struct kmp_facts facts = *kmp_ledger_facts(ledger);

	if (dir->show_stacks_handles)
		try(read_file(s, dir->show_stacks_handles, ledger, sink));
	if (dir->show_handles)
		try(read_file(s, dir->show_handles, ledger, sink));
	else if (dir->show_stacks)
		try(read_file(s, dir->show_stacks, ledger, sink));
	return kmp_ledger_set_facts(ledger, &facts);
}

static struct kmp_error *read_directory(struct kmp_source *s, struct kmp_ledger *ledger,
					uint32_t what, const struct kmp_sink *sink)
{
	const struct kmp_directory *dir = &s->dir;
	const char *pages = dir->page_owner;

	if (dir->version && !*kmp_ledger_facts(ledger)->kernel)
		try(kmp_version_read(dir->version, ledger));
	if (dir->zoneinfo && !ledger->zones.len)
		try(kmp_zoneinfo_read(dir->zoneinfo, ledger));
	if (what & KMP_READ_TAGS && dir->mem_profiling)
		try(kmp_profiling_read(dir->mem_profiling, ledger));
	if (what & KMP_READ_TAGS && dir->allocinfo)
		try(read_allocinfo(s, dir->allocinfo, ledger, sink));
	if (!(what & KMP_READ_PAGES))
		return NULL;
	for (size_t i = 0; i < dir->left_out.len; i++)
		try(kmp_ledger_warn(ledger, "%s was used, %s was left out", dir->page_owner,
				    dir->left_out.data[i]));
	if (!pages)
		pages = dir->show_stacks ? dir->show_stacks : dir->show_handles;
	if (!pages)
		return NULL;
	/* The stacks first, so that each page finds its trace. */
	if (dir->show_stacks_handles)
		try(read_file(s, dir->show_stacks_handles, ledger, sink));
	if (pages != dir->page_owner || !kmp_native_is(pages))
		return read_file(s, pages, ledger, sink);
	return read_native(s, pages, dir->show_stacks_handles, ledger, sink);
}

/* The running kernel's allocinfo does not tell whether it still counts. */
static struct kmp_error *read_live_facts(const struct kmp_source *s, struct kmp_ledger *ledger)
{
	static const char profiling[] = "/proc/sys/vm/mem_profiling";

	if (strcmp(s->path, "/proc/allocinfo") != 0)
		return NULL;
	try(kmp_version_read("/proc/version", ledger));
	struct kmp_error *err = kmp_profiling_read(profiling, ledger);

	/* Who may not read it, or has none, is not told. */
	if (!err || err->kind != KMP_ERROR_SYSTEM)
		return err;
	kmp_error_destroy(err);
	return NULL;
}

/* Its page_owner applies the wanted nodes, or read_native() does. */
static bool is_running_kernel(const struct kmp_source *s)
{
	return s->is_directory && s->dir.page_owner && kmp_native_is(s->dir.page_owner);
}

struct kmp_error *kmp_source_read(struct kmp_source *s, struct kmp_ledger *ledger, uint32_t what,
				  const struct kmp_sink *sink)
{
	struct kmp_node_sink wanted;

	if (!sink)
		sink = &kmp_keep_pages;
	if (s->is_native)
		return read_native(s, s->path, NULL, ledger, sink);
	if (s->options.nodes && !is_running_kernel(s)) {
		try(kmp_node_sink_init(&wanted, s->options.nodes, sink));
		sink = &wanted.sink;
	}
	if (s->store)
		return kmp_store_read(s->store, ledger, what, sink);
	if (s->history)
		return kmp_history_read(s->history, s->moment, what, ledger, sink);
	if (s->is_directory && what == KMP_READ_STACKS)
		return read_stacks(s, ledger, sink);
	if (what == KMP_READ_COUNTS)
		return s->is_directory ? read_counts(s, ledger, sink) : NULL;
	if (s->is_directory)
		return read_directory(s, ledger, what, sink);
	if (s->has_ioctl) {
		try(read_live_facts(s, ledger));
		return what & KMP_READ_TAGS ? read_allocinfo(s, s->path, ledger, sink) : NULL;
	}
	/* What only resolves handles does so for whoever wants page owners. */
	if (!(kmp_text_holds(s->kind) & what) &&
	    !(s->kind == KMP_TEXT_SHOW_STACKS_HANDLES && what & KMP_READ_PAGES))
		return NULL;
	try(set_facts(s, ledger, s->kind, s->mode));
	try(read_live_facts(s, ledger));
	if (s->kind == KMP_TEXT_ALLOCINFO)
		note(s, "%s: tags from the text", s->path);
	return kmp_text_read(s->kind, s->input, ledger, sink, &s->options);
}
