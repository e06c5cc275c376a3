// SPDX-License-Identifier: GPL-2.0-only
#include "base/input.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/unpack.h"

enum { HEAD_SIZE = 64 << 10, PACKED_SIZE = 256 << 10, RECORD_SIZE = 64 << 10 };

struct kmp_input {
	char *path;
	int fd; /* -1: memory, or standard input was not opened by us */
	bool own_fd;
	const char *memory;
	size_t memory_len;
	uint64_t done;
	uint64_t total;
	char *head; /* unpacked bytes that kmp_input_head() read ahead */
	size_t head_len;
	size_t head_pos;
	struct kmp_unpack *unpack; /* NULL: plain */
	unsigned char *packed;
	const unsigned char *packed_pos;
	size_t packed_len;
	bool packed_end; /* no more packed bytes to read */
	bool between;	 /* a packed stream has ended, none has begun since */
	bool looked;	 /* the packing was looked for */
	char *record;	 /* what did not fit into the caller's buffer, see read_file() */
	size_t record_len;
	size_t record_pos;
};

/* An end of the record that was read apart. */
static size_t take_record(struct kmp_input *in, char *buf, size_t size)
{
	size_t n = in->record_len - in->record_pos;

	if (n > size)
		n = size;
	if (n)
		memcpy(buf, in->record + in->record_pos, n);
	in->record_pos += n;
	return n;
}

static ssize_t read_fd(const struct kmp_input *in, char *buf, size_t size)
{
	ssize_t n;

	do {
		n = read(in->fd, buf, size);
	} while (n < 0 && errno == EINTR);
	return n;
}

/*
 * A read of the running kernel's page_owner returns one record, and fails with ENOMEM where that
 * does not fit: then it is read apart, and handed out in pieces.
 */
static struct kmp_error *read_file(struct kmp_input *in, char *buf, size_t size, size_t *got)
{
	*got = take_record(in, buf, size);
	if (*got || !size)
		return NULL;
	ssize_t n = read_fd(in, buf, size);

	if (n < 0 && errno == ENOMEM && size < RECORD_SIZE) {
		if (!in->record)
			in->record = malloc(RECORD_SIZE);
		if (!in->record)
			return &kmp_error_no_memory;
		n = read_fd(in, in->record, RECORD_SIZE);
		in->record_pos = 0;
		in->record_len = n > 0 ? (size_t)n : 0;
		if (n > 0)
			n = (ssize_t)take_record(in, buf, size);
	}
	if (n < 0)
		return kmp_error_system(errno, in->path, "cannot read");
	*got = (size_t)n;
	return NULL;
}

static struct kmp_error *read_raw(struct kmp_input *in, char *buf, size_t size, size_t *got)
{
	if (in->fd < 0) {
		size_t n = in->memory_len < size ? in->memory_len : size;

		if (n)
			memcpy(buf, in->memory, n);
		in->memory += n;
		in->memory_len -= n;
		*got = n;
	} else {
		try(read_file(in, buf, size, got));
	}
	in->done += *got;
	return NULL;
}

/* Fill the packed buffer; at the end of the file packed_end is set and packed_len may be 0. */
static struct kmp_error *fill_packed(struct kmp_input *in)
{
	size_t got;

	assert(in->packed);
	try(read_raw(in, (char *)in->packed, PACKED_SIZE, &got));
	in->packed_pos = in->packed;
	in->packed_len = got;
	in->packed_end = !got;
	return NULL;
}

/* Look at the first bytes: packed or plain? Plain ones go to the head buffer. */
static struct kmp_error *look(struct kmp_input *in)
{
	in->looked = true;
	in->packed = malloc(PACKED_SIZE);
	if (!in->packed)
		return &kmp_error_no_memory;
	in->packed_pos = in->packed;
	/* A pipe may hand out a few bytes at a time. */
	while (in->packed_len < 8) {
		size_t got;

		try(read_raw(in, (char *)in->packed + in->packed_len, HEAD_SIZE - in->packed_len,
			     &got));
		if (!got)
			break;
		in->packed_len += got;
	}
	enum kmp_packing packing = kmp_unpack_detect(in->packed, in->packed_len);

	if (packing != KMP_PLAIN)
		return kmp_unpack_create(packing, &in->unpack);
	in->head = (char *)in->packed;
	in->head_len = in->packed_len;
	in->packed = NULL;
	in->packed_len = 0;
	return NULL;
}

static struct kmp_error *read_packed(struct kmp_input *in, char *buf, size_t size, size_t *got)
{
	*got = 0;
	for (;;) {
		bool ended;

		if (!in->packed_len && !in->packed_end)
			try(fill_packed(in));
		if (in->between && !in->packed_len)
			return NULL;
		size_t left = in->packed_len;
		struct kmp_error *err = kmp_unpack_run(in->unpack, &in->packed_pos, &in->packed_len,
						       buf, size, got, &ended);
		if (err)
			return kmp_error_at(err, in->path);
		if (ended)
			in->between = true;
		else if (in->packed_len != left || *got)
			in->between = false;
		if (*got)
			return NULL;
		if (in->packed_end && !in->packed_len && !ended)
			return kmp_error_input(in->path, 0, NULL, 0,
					       "the packed data ends too early");
	}
}

static struct kmp_error *read_behind_head(struct kmp_input *in, char *buf, size_t size, size_t *got)
{
	if (in->unpack)
		return read_packed(in, buf, size, got);
	return read_raw(in, buf, size, got);
}

struct kmp_error *kmp_input_read(struct kmp_input *in, char *buf, size_t size, size_t *got)
{
	if (!in->looked)
		try(look(in));
	if (in->head_pos < in->head_len) {
		size_t n = in->head_len - in->head_pos;

		if (n > size)
			n = size;
		memcpy(buf, in->head + in->head_pos, n);
		in->head_pos += n;
		*got = n;
		return NULL;
	}
	free(no_free(in->head));
	in->head_len = in->head_pos = 0;
	return read_behind_head(in, buf, size, got);
}

struct kmp_error *kmp_input_head(struct kmp_input *in, const char **head, size_t *len)
{
	size_t got;

	if (!in->looked)
		try(look(in));
	if (!in->head) {
		in->head = malloc(PACKED_SIZE);
		if (!in->head)
			return &kmp_error_no_memory;
	}
	while (in->head_len < HEAD_SIZE) {
		try(read_behind_head(in, in->head + in->head_len, HEAD_SIZE - in->head_len, &got));
		if (!got)
			break;
		in->head_len += got;
	}
	*head = in->head;
	*len = in->head_len;
	return NULL;
}

static struct kmp_error *input_create(const char *path, struct kmp_input **out)
{
	struct kmp_input *in = calloc(1, sizeof(*in));

	if (!in)
		return &kmp_error_no_memory;
	in->fd = -1;
	in->path = strdup(path);
	if (!in->path) {
		free(in);
		return &kmp_error_no_memory;
	}
	*out = in;
	return NULL;
}

static struct kmp_error *open_file(struct kmp_input *in)
{
	struct stat st;

	if (!strcmp(in->path, "-")) {
		in->fd = STDIN_FILENO;
	} else {
		in->fd = open(in->path, O_RDONLY | O_CLOEXEC);
		if (in->fd < 0)
			return kmp_error_system(errno, in->path, "cannot open");
		in->own_fd = true;
	}
	if (fstat(in->fd, &st))
		return kmp_error_system(errno, in->path, "cannot look at");
	if (S_ISDIR(st.st_mode))
		return kmp_error_system(EISDIR, in->path, "cannot read");
	if (S_ISREG(st.st_mode))
		in->total = (uint64_t)st.st_size;
	/* Only a hint, and pipes do not take it. */
	(void)posix_fadvise(in->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	return NULL;
}

struct kmp_error *kmp_input_open(const char *path, struct kmp_input **out)
{
	struct kmp_input *in;

	try(input_create(path, &in));
	struct kmp_error *err = open_file(in);
	if (err) {
		kmp_input_destroy(in);
		return err;
	}
	*out = in;
	return NULL;
}

struct kmp_error *kmp_input_create_memory(const char *bytes, size_t len, struct kmp_input **out)
{
	struct kmp_input *in;

	try(input_create("memory", &in));
	in->memory = bytes;
	in->memory_len = len;
	in->total = len;
	*out = in;
	return NULL;
}

void kmp_input_destroy(struct kmp_input *in)
{
	if (!in)
		return;
	if (in->own_fd)
		close(in->fd);
	kmp_unpack_destroy(in->unpack);
	free(in->packed);
	free(in->head);
	free(in->record);
	free(in->path);
	free(in);
}

const char *kmp_input_path(const struct kmp_input *in)
{
	return in->path;
}

uint64_t kmp_input_done(const struct kmp_input *in)
{
	return in->done;
}

uint64_t kmp_input_total(const struct kmp_input *in)
{
	return in->total;
}
