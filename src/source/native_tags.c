// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which criteria may reach the kernel? Those that hold for each row by itself: module, function,
 * line, and the file where its spelling is known. Not the sizes, nor accuracy: they are looked at
 * when the rows of a location have been added up, and leaving out one of them changes the others'
 * sum; but if a size is asked for at least, rows of nothing may stay away. The file is printed as
 * the compiler was told it: `mm/slab.h` may be `./mm/slab.h` or `fs/../mm/slab.h` too, and all of
 * them are meant. A path that is not normalised is meant literally, and one that ends in `.c` is
 * the name by which Kbuild compiles it; if no tag has it, the file is left to us after all.
 */
#include "source/native_tags.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/path.h"
#include "base/vec.h"
#include "format/allocinfo_uapi.h"
#include "ledger/tag_query.h"

enum { TRIES = 5, TAGS_MAX = 1 << 20 };

typedef VEC(struct kmp_allocinfo_tag_data) tag_list;

static void free_list(tag_list *list)
{
	vec_deinit(list);
}

static bool is_literal(const char *file)
{
	size_t len = strlen(file);
	auto_free char *normalised = malloc(len + 2);

	if (len > 2 && !strcmp(file + len - 2, ".c"))
		return true;
	if (!normalised)
		return false;
	kmp_path_normalise(file, len, normalised);
	return strcmp(file, normalised) != 0;
}

static bool is_served(int fd)
{
	struct kmp_allocinfo_content_id id;
	struct statfs fs;

	/* Elsewhere the number may mean something else. */
	return fd >= 0 && !fstatfs(fd, &fs) &&
	       (fs.f_type == PROC_SUPER_MAGIC || fs.f_type == FUSE_SUPER_MAGIC) &&
	       !ioctl(fd, KMP_ALLOCINFO_IOC_CONTENT_ID, &id);
}

/* What holds nothing adds nothing to a location that must hold something. */
static bool is_something(const struct kmp_tag_filter *filter)
{
	return filter->has_min_size && filter->min_size > 0;
}

bool kmp_native_tags_suit(const char *path, const struct kmp_tag_filter *filter)
{
	if (!filter || !(filter->module || filter->function || filter->line ||
			 is_something(filter) || (filter->file && is_literal(filter->file))))
		return false;
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	return is_served(fd);
}

static void set_text(char to[KMP_ALLOCINFO_TEXT], const char *text)
{
	struct kmp_tag_text end;

	kmp_tag_text_set(&end, text);
	memcpy(to, end.bytes, KMP_ALLOCINFO_TEXT);
}

static void make_filter(const struct kmp_tag_filter *filter, bool file,
			struct kmp_allocinfo_filter *out)
{
	*out = (struct kmp_allocinfo_filter){ .mask = 0 };
	if (filter->module) {
		out->mask |= KMP_ALLOCINFO_MODNAME;
		set_text(out->fields.modname, filter->module);
	}
	if (filter->function) {
		out->mask |= KMP_ALLOCINFO_FUNCTION;
		set_text(out->fields.function, filter->function);
	}
	if (file) {
		out->mask |= KMP_ALLOCINFO_FILENAME;
		set_text(out->fields.filename, filter->file);
	}
	if (filter->line) {
		out->mask |= KMP_ALLOCINFO_LINENO;
		out->fields.lineno = filter->line;
	}
	if (is_something(filter)) {
		out->mask |= KMP_ALLOCINFO_MIN_SIZE;
		out->min_size = 1;
	}
}

static struct kmp_error *ask_all(int fd, const struct kmp_allocinfo_filter *filter, tag_list *list)
{
	struct kmp_allocinfo_get_at first = { .pos = 0, .filter = *filter };
	int rc = ioctl(fd, KMP_ALLOCINFO_IOC_GET_AT, &first);

	list->len = 0;
	while (!rc) {
		if (list->len == TAGS_MAX)
			return kmp_error_new(KMP_ERROR_LIMIT, "more than %d tags", TAGS_MAX);
		try(vec_push(list, first.data));
		rc = ioctl(fd, KMP_ALLOCINFO_IOC_GET_NEXT, &first.data);
	}
	return errno == ENOENT ? NULL : kmp_error_system(errno, NULL, "cannot ask for tags");
}

/* The same, of one set of tags; *same is false if that cannot be had. */
static struct kmp_error *ask_consistently(int fd, const struct kmp_allocinfo_filter *filter,
					  tag_list *list, bool *same)
{
	struct kmp_allocinfo_content_id before, after;

	*same = false;
	for (int i = 0; i < TRIES && !*same; i++) {
		if (ioctl(fd, KMP_ALLOCINFO_IOC_CONTENT_ID, &before))
			return kmp_error_system(errno, NULL, "cannot ask for tags");
		try(ask_all(fd, filter, list));
		if (ioctl(fd, KMP_ALLOCINFO_IOC_CONTENT_ID, &after))
			return kmp_error_system(errno, NULL, "cannot ask for tags");
		*same = before.id == after.id;
	}
	return NULL;
}

/* Of longer texts the end alone is told: one that fills its place may be such. */
static bool may_be_cut(const struct kmp_allocinfo_tag *tag)
{
	enum { LONGEST = KMP_ALLOCINFO_TEXT - 1 };

	return strnlen(tag->modname, KMP_ALLOCINFO_TEXT) >= LONGEST ||
	       strnlen(tag->function, KMP_ALLOCINFO_TEXT) >= LONGEST ||
	       strnlen(tag->filename, KMP_ALLOCINFO_TEXT) >= LONGEST;
}

static struct kmp_error *keep(struct kmp_ledger *ledger, const tag_list *list)
{
	for (size_t i = 0; i < list->len; i++) {
		const struct kmp_allocinfo_tag_data *d = &list->data[i];

		try(kmp_ledger_add_tag(ledger, &(struct kmp_tag){
						       .file = d->tag.filename,
						       .function = d->tag.function,
						       .module = d->tag.modname,
						       .extra = "",
						       .line = d->tag.lineno,
						       .bytes = (int64_t)d->counter.bytes,
						       .calls = (int64_t)d->counter.calls,
						       .accurate = d->counter.accurate,
					       }));
	}
	return NULL;
}

static struct kmp_error *read_tags(int fd, const struct kmp_tag_filter *filter,
				   struct kmp_ledger *ledger, const char **why)
{
	cleanup(free_list) tag_list list = { 0 };
	struct kmp_allocinfo_filter asked;
	bool same, file = filter->file && is_literal(filter->file);

	make_filter(filter, file, &asked);
	try(ask_consistently(fd, &asked, &list, &same));
	if (!list.len && file) {
		*why = "no tag has this spelling of the file's name";
		return NULL;
	}
	for (size_t i = 0; i < list.len; i++) {
		if (may_be_cut(&list.data[i].tag)) {
			*why = "the kernel cuts off a name";
			return NULL;
		}
	}
	if (!same)
		try(kmp_ledger_warn(ledger,
				    "modules came or went while the tags were read, %d times: some "
				    "tags may be missing or come twice",
				    TRIES));
	return keep(ledger, &list);
}

struct kmp_error *kmp_native_tags_read(const char *path, const struct kmp_tag_filter *filter,
				       struct kmp_ledger *ledger, const char **why)
{
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC);

	*why = NULL;
	if (fd < 0)
		return kmp_error_system(errno, path, "cannot open");
	/* Who says so must know whether anything at all was counted. */
	if (kmp_ledger_facts(ledger)->profiling_off) {
		*why = "allocation profiling is off";
		return NULL;
	}
	return kmp_error_at(read_tags(fd, filter, ledger, why), path);
}
