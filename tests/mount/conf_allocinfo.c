// SPDX-License-Identifier: GPL-2.0-only
/* allocinfo: the ioctls, against the text of the same file. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/allocinfo_uapi.h"
#include "tap.h"

typedef struct kmp_allocinfo_tag_data tag_data;
typedef struct kmp_allocinfo_get_at get_at;

/* Not among the seven of the interface. */
enum { UNKNOWN_BIT = 1 << 7 };

static const char *path;

/* What the text says of the tags, in its order; texts cut as the ioctls cut them. */
static tag_data *tags;
static size_t tag_count;

static void set(char to[KMP_ALLOCINFO_TEXT], const char *from, size_t len)
{
	if (len > KMP_ALLOCINFO_TEXT - 1) {
		from += len - (KMP_ALLOCINFO_TEXT - 1);
		len = KMP_ALLOCINFO_TEXT - 1;
	}
	memset(to, 0, KMP_ALLOCINFO_TEXT);
	memcpy(to, from, len);
}

/* `SIZE CALLS FILE:LINE [MODULE] func:NAME accurate:no ` */
static bool parse_tag(char *line, tag_data *tag)
{
	char *word = line;

	memset(tag, 0, sizeof(*tag));
	tag->counter.bytes = (uint64_t)strtoll(word, &word, 10);
	tag->counter.calls = (uint64_t)strtoll(word, &word, 10);
	word += strspn(word, " ");

	size_t len = strcspn(word, " ");
	char *colon = memrchr(word, ':', len);

	if (!colon)
		return false;
	set(tag->tag.filename, word, (size_t)(colon - word));
	tag->tag.lineno = strtoull(colon + 1, NULL, 10);
	word += len + 1;
	if (*word == '[') {
		len = strcspn(word, "]");
		set(tag->tag.modname, word + 1, len - 1);
		word += len + 2;
	}
	if (strncmp(word, "func:", 5))
		return false;
	len = strcspn(word, " \n");
	set(tag->tag.function, word + 5, len - 5);
	tag->counter.accurate = !strstr(word + len, "accurate:no");
	return true;
}

static void read_text(void)
{
	FILE *in = fdopen(open_or_die(path, O_RDONLY), "r");
	char *line = NULL;
	size_t cap = 0;
	bool good = getline(&line, &cap, in) > 0 && !strcmp(line, "allocinfo - version: 2.0\n");

	check(good && getline(&line, &cap, in) > 0 && *line == '#', "the text is of version 2.0");
	for (good = true; good && getline(&line, &cap, in) > 0; tag_count += good) {
		tags = reallocarray(tags, tag_count + 1, sizeof(*tags));
		good = parse_tag(line, &tags[tag_count]);
	}
	check(good && tag_count > 500, "the text's lines");
	free(line);
	fclose(in);
	if (tag_count < 500)
		die("%s: too few tags", path);
}

static int ask_at(int fd, get_at *ask, uint64_t pos)
{
	ask->pos = pos;
	return ioctl(fd, KMP_ALLOCINFO_IOC_GET_AT, ask);
}

static bool same_tag(const tag_data *a, const tag_data *b)
{
	return !memcmp(&a->tag, &b->tag, sizeof(a->tag)) &&
	       a->counter.accurate == b->counter.accurate &&
	       (!on_fuse ||
		(a->counter.bytes == b->counter.bytes && a->counter.calls == b->counter.calls));
}

static void check_tag(const char *what, int result, const tag_data *got, size_t number)
{
	const tag_data *want = &tags[number];

	if (!check(!result && same_tag(got, want), "%s -> tag %zu, %s:%" PRIu64, what, number,
		   want->tag.filename, want->tag.lineno))
		printf("#  got %d, %s:%" PRIu64 "\n", result, got->tag.filename, got->tag.lineno);
}

static void check_next(int fd, const char *what, size_t number)
{
	tag_data data = { 0 };
	int result = ioctl(fd, KMP_ALLOCINFO_IOC_GET_NEXT, &data);

	check_tag(what, result, &data, number);
}

static void check_no_next(int fd, const char *what)
{
	tag_data data;

	check_call(what, ioctl(fd, KMP_ALLOCINFO_IOC_GET_NEXT, &data), -1, ENOENT);
}

static void check_at(int fd, const char *what, get_at *ask, uint64_t pos, size_t number)
{
	int result = ask_at(fd, ask, pos);

	check_tag(what, result, &ask->data, number);
}

/* Do the criteria hold for this tag? Its sizes are those of the moment it was told. */
static bool passes(const struct kmp_allocinfo_filter *f, const tag_data *data)
{
	uint64_t mask = f->mask;

	return !(
		(mask & KMP_ALLOCINFO_MODNAME && strcmp(f->fields.modname, data->tag.modname)) ||
		(mask & KMP_ALLOCINFO_FUNCTION && strcmp(f->fields.function, data->tag.function)) ||
		(mask & KMP_ALLOCINFO_FILENAME && strcmp(f->fields.filename, data->tag.filename)) ||
		(mask & KMP_ALLOCINFO_LINENO && f->fields.lineno != data->tag.lineno) ||
		(mask & KMP_ALLOCINFO_INACCURATE && !f->inaccurate != !!data->counter.accurate) ||
		(mask & KMP_ALLOCINFO_MIN_SIZE && data->counter.bytes < f->min_size) ||
		(mask & KMP_ALLOCINFO_MAX_SIZE && data->counter.bytes > f->max_size));
}

/* Every tag that passes, and none that does not, in order. */
static void check_walk(const char *what, const struct kmp_allocinfo_filter *filter)
{
	int fd = open_or_die(path, O_RDONLY);
	get_at ask = { .filter = *filter };
	bool sizes = filter->mask & (KMP_ALLOCINFO_MIN_SIZE | KMP_ALLOCINFO_MAX_SIZE);
	int result = ask_at(fd, &ask, 0);
	bool good = true;
	size_t i = 0, found = 0;

	for (; good && !result; found++) {
		/* On a running kernel any size may have come or gone since the text was read. */
		while (i < tag_count && (on_fuse || !sizes ? !passes(filter, &tags[i])
							   : !same_tag(&ask.data, &tags[i])))
			i++;
		good = i < tag_count && passes(filter, &ask.data) &&
		       same_tag(&ask.data, &tags[i++]);
		result = ioctl(fd, KMP_ALLOCINFO_IOC_GET_NEXT, &ask.data);
	}
	int error = errno;

	for (; (on_fuse || !sizes) && i < tag_count; i++)
		good = good && !passes(filter, &tags[i]);
	if (!check(good && error == ENOENT, "%s: %zu tags", what, found))
		printf("#  near tag %zu, %s\n", i, strerrorname_np(error));
	close(fd);
}

static struct kmp_allocinfo_filter by(uint64_t mask, const tag_data *tag)
{
	struct kmp_allocinfo_filter filter = {
		.mask = mask,
		.fields = tag->tag,
		.min_size = 4096,
		.max_size = 100000,
		.inaccurate = !tag->counter.accurate,
	};

	return filter;
}

static void check_walks(void)
{
	static const size_t places[] = { 0, 5, 77, 400 };
	struct kmp_allocinfo_filter filter = { 0 };
	char what[64];

	check_walk("everything", &filter);
	for (uint64_t mask = 1; mask < UNKNOWN_BIT; mask++) {
		filter = by(mask, &tags[places[mask % 4]]);
		snprintf(what, sizeof(what), "walk of criteria %#" PRIx64, mask);
		check_walk(what, &filter);
	}
	filter = by(KMP_ALLOCINFO_INACCURATE, &tags[0]);
	filter.inaccurate = !filter.inaccurate;
	check_walk("the inaccurate", &filter);
	filter.inaccurate *= UINT64_C(1) << 40;
	check_walk("the inaccurate, by a high bit", &filter);
	filter = (struct kmp_allocinfo_filter){ .mask = KMP_ALLOCINFO_MAX_SIZE, .min_size = 9999 };
	check_walk("max alone, below a min that is not asked for", &filter);
}

static size_t nth_of_file(const char *file, size_t n)
{
	for (size_t i = 0; i < tag_count; i++) {
		if (!strcmp(tags[i].tag.filename, file) && !n--)
			return i;
	}
	return tag_count;
}

/* As recorded: what a position is after each answer. */
static void check_positions(void)
{
	int fd = open_or_die(path, O_RDONLY);
	get_at ask = { 0 };
	size_t matches = 0;

	check_next(fd, "GET_NEXT first of all", 0);
	check_next(fd, "GET_NEXT", 1);
	check_at(fd, "GET_AT 0", &ask, 0, 0);
	check_next(fd, "  GET_NEXT", 1);
	check_call("GET_AT 1e8", ask_at(fd, &ask, 100000000), -1, ENOENT);
	check_next(fd, "  moves nothing: GET_NEXT", 2);
	ask.filter.mask = UNKNOWN_BIT;
	check_call("GET_AT, unknown bit", ask_at(fd, &ask, 0), -1, EINVAL);
	ask.filter.mask = UINT64_C(1) << 63 | KMP_ALLOCINFO_LINENO;
	check_call("GET_AT, a high unknown bit", ask_at(fd, &ask, 0), -1, EINVAL);
	ask.filter.mask = KMP_ALLOCINFO_MIN_SIZE | KMP_ALLOCINFO_MAX_SIZE;
	ask.filter.min_size = 5;
	ask.filter.max_size = 4;
	check_call("GET_AT, min above max", ask_at(fd, &ask, 0), -1, EINVAL);
	check_next(fd, "  moves nothing: GET_NEXT", 3);

	ask.filter = by(KMP_ALLOCINFO_FILENAME, &tags[nth_of_file("mm/memory.c", 0)]);
	while (nth_of_file("mm/memory.c", matches) < tag_count)
		matches++;
	check_at(fd, "GET_AT of a file", &ask, 0, nth_of_file("mm/memory.c", 0));
	for (size_t i = 1; i < matches; i++)
		check_next(fd, "  GET_NEXT", nth_of_file("mm/memory.c", i));
	check_no_next(fd, "  then");
	check_next(fd, "  begins anew", nth_of_file("mm/memory.c", 0));
	check_at(fd, "GET_AT 3 of them", &ask, 3, nth_of_file("mm/memory.c", 3));
	check_call("GET_AT 1000 of them", ask_at(fd, &ask, 1000), -1, ENOENT);
	check_no_next(fd, "  is at the end");
	check_next(fd, "  and begins anew", nth_of_file("mm/memory.c", 0));
	check_call("GET_AT of no tag at all", ask_at(fd, &ask, tag_count), -1, ENOENT);
	check_next(fd, "  keeps filter and position", nth_of_file("mm/memory.c", 1));
	close(fd);

	fd = open_or_die(path, O_RDONLY);
	check_call("GET_AT 1000 of them, first of all", ask_at(fd, &ask, 1000), -1, ENOENT);
	check_next(fd, "  is at the start, with the filter", nth_of_file("mm/memory.c", 0));
	ask.filter.mask = 0;
	check_at(fd, "GET_AT without a filter", &ask, tag_count - 1, tag_count - 1);
	check_no_next(fd, "  then");
	check_next(fd, "  begins anew, without", 0);
	close(fd);
}

static void check_texts(void)
{
	int fd = open_or_die(path, O_RDONLY);
	get_at ask = { .filter.mask = KMP_ALLOCINFO_FILENAME };

	strcpy(ask.filter.fields.filename, "memory.c");
	check_call("GET_AT, a suffix of a path", ask_at(fd, &ask, 0), -1, ENOENT);
	ask.filter.mask = KMP_ALLOCINFO_MODNAME;
	check_at(fd, "GET_AT, no module", &ask, 0, 0);
	strcpy(ask.filter.fields.modname, "no_such_module");
	check_call("GET_AT, a module that is not there", ask_at(fd, &ask, 0), -1, ENOENT);
	/* Only what stands before the NUL counts. */
	memset(ask.filter.fields.modname, 0, sizeof(ask.filter.fields.modname));
	strcpy(ask.filter.fields.modname + 1, "behind");
	check_at(fd, "GET_AT, bytes behind a NUL", &ask, 0, 0);
	memset(ask.filter.fields.modname, 'x', sizeof(ask.filter.fields.modname));
	check_call("GET_AT, a text without an end", ask_at(fd, &ask, 0), -1, ENOENT);
	/* The last question left the position behind all tags, so that there is nothing to write.
	 */
	check_call("GET_NEXT to a bad pointer at the end",
		   ioctl(fd, KMP_ALLOCINFO_IOC_GET_NEXT, bad_pointer), -1, ENOENT);
	close(fd);
}

static void check_requests(void)
{
	int fd = open_or_die(path, O_RDONLY);
	struct kmp_allocinfo_content_id content = { 0 };
	char room[1 << 14] = { 0 };
	get_at ask = { 0 };

	check(KMP_ALLOCINFO_IOC_CONTENT_ID == 0x8008a600 &&
		      KMP_ALLOCINFO_IOC_GET_AT == 0xc1d0a601 &&
		      KMP_ALLOCINFO_IOC_GET_NEXT == 0x80e0a602 && sizeof(ask.filter) == 232 &&
		      sizeof(ask.filter.fields) == 200 && sizeof(ask.data.counter) == 24,
	      "sizes and numbers of the requests");
	check_call("CONTENT_ID", ioctl(fd, KMP_ALLOCINFO_IOC_CONTENT_ID, &content), 0, 0);
	check(content.id > 0, "  is above 0");
	check_call("unknown request", ioctl(fd, _IOR(0xA6, 3, uint64_t), room), -1, ENOTTY);
	check_call("  without an argument", ioctl(fd, _IO(0xA6, 1), room), -1, ENOTTY);
	check_call("  of another type", ioctl(fd, _IOR(0xA7, 0, uint64_t), room), -1, ENOTTY);
	check_call("wrong size", ioctl(fd, _IOWR(0xA6, 1, char[100]), room), -1, ENOTTY);
	check_call("the largest size", ioctl(fd, _IOC(3u, 0xA6, 1, 16383), room), -1, ENOTTY);
	check_call("wrong direction", ioctl(fd, _IOW(0xA6, 2, tag_data), room), -1, ENOTTY);
	check(!isatty(fd) && errno == ENOTTY, "no terminal");
	check_call("CONTENT_ID to a bad pointer",
		   ioctl(fd, KMP_ALLOCINFO_IOC_CONTENT_ID, bad_pointer), -1, EFAULT);
	check_call("GET_AT from a bad pointer", ioctl(fd, KMP_ALLOCINFO_IOC_GET_AT, bad_pointer),
		   -1, EFAULT);
	check_call("GET_NEXT to a bad pointer", ioctl(fd, KMP_ALLOCINFO_IOC_GET_NEXT, bad_pointer),
		   -1, EFAULT);
	check_next(fd, "  which is past that tag", 1);
	close(fd);
}

static void check_text_apart(void)
{
	char text[4096], again[4096];
	int fd = open_or_die(path, O_RDONLY);
	get_at ask = { 0 };
	struct stat st;

	check(!fstat(fd, &st) && S_ISREG(st.st_mode) && (st.st_mode & 07777) == 0400 && !st.st_size,
	      "mode 0400, size 0");
	check_at(fd, "GET_AT 0", &ask, 0, 0);
	check(read(fd, text, 99) == 99 && !strncmp(text, "allocinfo - version: 2.0\n", 25),
	      "99 bytes of the text in between");
	check_next(fd, "  GET_NEXT", 1);

	ssize_t len = read(fd, text, sizeof(text));

	check(len > 0, "the text goes on");
	check(pread(fd, again, (size_t)len, 99) == len &&
		      (!on_fuse || !memcmp(text, again, (size_t)len)),
	      "pread says the same");
	close(fd);
}

void check_allocinfo(const char *file)
{
	path = file;
	read_text();
	check_requests();
	check_positions();
	check_texts();
	check_walks();
	check_text_apart();
}
