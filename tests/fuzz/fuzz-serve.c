// SPDX-License-Identifier: GPL-2.0-only
/*
 * The served files below FUSE: any sequence of opens, reads, writes and ioctls. Reads of page_owner
 * are whole records, writes take all or nothing, a request gets as much memory as its number says.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "format/allocinfo_uapi.h"
#include "serve/file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SLOTS = 4, READ_MAX = 1 << 16, RECORDS = 40 };

static const struct kmp_file_ops *const kinds[] = {
	&kmp_page_owner_ops,  &kmp_allocinfo_ops,	    &kmp_page_owner_ops,
	&kmp_show_stacks_ops, &kmp_show_handles_ops,	    &kmp_allocinfo_ops,
	&kmp_page_owner_ops,  &kmp_show_stacks_handles_ops, &kmp_count_threshold_ops,
};

static struct kmp_served served;

struct slot {
	const struct kmp_file_ops *ops;
	struct kmp_open_file *file;
	uint64_t next; /* where the last read ended */
};

struct input {
	const uint8_t *at;
	const uint8_t *end;
};

static uint8_t take(struct input *in)
{
	return in->at < in->end ? *in->at++ : 0;
}

static uint64_t take_number(struct input *in)
{
	uint64_t number = 0;

	for (unsigned bytes = take(in) % 9; bytes; bytes--)
		number = number << 8 | take(in);
	return number;
}

static void write_page_owner(FILE *out)
{
	for (unsigned i = 0; i < RECORDS; i++) {
		fprintf(out,
			"Page allocated via order %u, mask 0x0(), pid %u, tgid 2 (a b), ts %u ns\n"
			"PFN 0x%x type Movable Block 1 type Movable Flags "
			"0x4(lru|node=%u|zone=0)\n",
			i % 3, i, i * 7, 64 * (i + 1), i % 2);
		for (unsigned frame = 0; frame < i % 5; frame++)
			fprintf(out, " function_%u+0x1/0x2\n", frame);
		fprintf(out, "handle: %u\n%s\n", i % 5 + 1,
			i % 4 ? "" : "Charged to memcg a name\n");
	}
}

static void write_allocinfo(FILE *out)
{
	fputs("allocinfo - version: 2.0\n#     <size>  <calls> <tag info>\n", out);
	for (unsigned i = 0; i < RECORDS; i++)
		fprintf(out, "%12d %8u dir/file%u.c:%u %sfunc:f%u %s\n", (int)(i - 2) * 1000, i,
			i % 7, i, i % 6 ? "" : "[module] ", i % 9, i % 5 ? "" : "accurate:no ");
}

static void write_file(const char *dir, const char *name, void (*fill)(FILE *))
{
	char path[64];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	FILE *out = fopen(path, "w");

	if (!out)
		abort();
	fill(out);
	fclose(out);
}

/* Made once, read into memory and removed. */
static void start(void)
{
	char dir[] = "/tmp/fuzz-serve-XXXXXX";
	const struct kmp_source_options options = { .threads = 1 };

	if (!mkdtemp(dir))
		abort();
	write_file(dir, "page_owner", write_page_owner);
	write_file(dir, "allocinfo", write_allocinfo);
	if (kmp_served_init(&served, dir, &options))
		abort();

	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	unlinkat(fd, "page_owner", 0);
	unlinkat(fd, "allocinfo", 0);
	close(fd);
	rmdir(dir);
}

struct reply {
	char *bytes;
	size_t len;
	unsigned count;
};

static int reply(void *arg, const char *bytes, size_t len)
{
	struct reply *r = arg;

	r->count++;
	r->bytes = malloc(len + 1);
	r->len = len;
	if (len)
		memcpy(r->bytes, bytes, len);
	r->bytes[len] = '\0';
	return 0;
}

static void check_records(const char *text, size_t len, size_t size)
{
	static const char begin[] = "Page allocated via order ";

	assert(len < size);
	assert(!strncmp(text, begin, strlen(begin)));
	assert(len > 2 && text[len - 1] == '\n' && text[len - 2] == '\n');
}

static void do_read(struct slot *slot, struct input *in)
{
	uint8_t how = take(in);
	uint64_t offset = how & 1 ? take_number(in) : slot->next;
	size_t size = how & 2 ? take_number(in) % READ_MAX : 512u << (how >> 4) % 8;
	struct reply r = { 0 };

	offset &= INT64_MAX;
	int ret = slot->ops->read(slot->file, offset, size, reply, &r);

	assert(r.count == (ret >= 0));
	assert(ret == 0 || ret == -ENOMEM);
	assert(r.len <= size);
	if (r.len && slot->ops == &kmp_page_owner_ops)
		check_records(r.bytes, r.len, size);
	if (r.count)
		slot->next = offset + r.len;
	free(r.bytes);
}

static void do_write(struct slot *slot, struct input *in)
{
	static const char *const words[] = { "mode=handle", "mode=stack_handle",
					     "mode=stack",  "nid=0",
					     "nid=1",	    "nid=0-1:1/2",
					     "5\n",	    "0x10" };
	uint8_t how = take(in);
	size_t len = how & 0x80 ? how & 0x7f : strlen(words[how % 8]);
	char *bytes = malloc(len + 1);

	if (how & 0x80) {
		for (size_t i = 0; i < len; i++)
			bytes[i] = (char)take(in);
	} else {
		memcpy(bytes, words[how % 8], len);
	}
	if (slot->ops->write) {
		/* Exactly what is written, so that a look behind it is seen. */
		char *exact = realloc(bytes, len ? len : 1);
		int64_t ret = slot->ops->write(slot->file, exact, len, slot->next);

		bytes = exact;
		assert(ret == (int64_t)len || ret == -EINVAL || ret == -EOVERFLOW ||
		       ret == -ERANGE);
		if (ret > 0)
			slot->next += (uint64_t)ret;
	}
	free(bytes);
}

/* What FUSE hands over is as large as the request's number says, in the directions it says. */
static void do_ioctl(struct slot *slot, struct input *in)
{
	static const unsigned known[] = { KMP_ALLOCINFO_IOC_CONTENT_ID, KMP_ALLOCINFO_IOC_GET_AT,
					  KMP_ALLOCINFO_IOC_GET_NEXT };
	uint8_t how = take(in);
	unsigned request = how & 0x80 ? (unsigned)take_number(in) : known[how % 3];
	size_t size = _IOC_SIZE(request);
	size_t in_len = _IOC_DIR(request) & _IOC_WRITE ? size : 0;
	size_t out_len = _IOC_DIR(request) & _IOC_READ ? size : 0;

	if (!slot->ops->ioctl || size > 512)
		return;
	unsigned char *asked = calloc(1, in_len + 1), *answer = calloc(1, out_len + 1);

	/* A position, a mask, and a byte here and there. */
	if (in_len >= 16) {
		asked[0] = take(in);
		asked[8] = take(in);
	}
	for (unsigned i = how >> 2 & 31; i && in_len; i--)
		asked[take_number(in) % in_len] = take(in);
	asked = realloc(asked, in_len ? in_len : 1);
	answer = realloc(answer, out_len ? out_len : 1);
	int ret = slot->ops->ioctl(slot->file, request, asked, in_len, answer, out_len);

	assert(ret == 0 || ret == -EINVAL || ret == -ENOENT || ret == -ENOTTY || ret == -EFAULT);
	if (!ret && request == KMP_ALLOCINFO_IOC_GET_NEXT)
		assert(memchr(answer, '\0', KMP_ALLOCINFO_TEXT));
	free(asked);
	free(answer);
}

static void do_open(struct slot *slot, struct input *in)
{
	if (slot->ops)
		slot->ops->release(slot->file);
	slot->ops = kinds[take(in) % (sizeof(kinds) / sizeof(*kinds))];
	slot->next = 0;
	if (slot->ops->open(&served, &slot->file))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, data + size };
	struct slot slots[SLOTS] = { 0 };

	if (!served.ledger)
		start();
	while (in.at < in.end) {
		uint8_t op = take(&in);
		struct slot *slot = &slots[op >> 6];

		if (!slot->ops || op % 8 == 0)
			do_open(slot, &in);
		else if (op % 8 < 4)
			do_read(slot, &in);
		else if (op % 8 < 6)
			do_write(slot, &in);
		else
			do_ioctl(slot, &in);
	}
	for (unsigned i = 0; i < SLOTS; i++) {
		if (slots[i].ops)
			slots[i].ops->release(slots[i].file);
	}
	return 0;
}
