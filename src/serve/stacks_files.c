// SPDX-License-Identifier: GPL-2.0-only
/*
 * The files of page_owner_stacks. A descriptor has the text of the moment it was opened;
 * count_threshold holds for all that are opened after it was written.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "serve/text_file.h"

struct kmp_open_file {
	struct kmp_served *served;
	uint64_t written; /* bytes by which writes have moved FUSE's position */
};

static struct kmp_error *print(struct kmp_served *served, int which, FILE *out)
{
	return served->ops->print_stacks(served, (enum kmp_stacks_file)which, out);
}

static int open_show_stacks(struct kmp_served *served, struct kmp_open_file **file)
{
	return kmp_text_file_open(served, print, KMP_SHOW_STACKS, file);
}

static int open_show_handles(struct kmp_served *served, struct kmp_open_file **file)
{
	return kmp_text_file_open(served, print, KMP_SHOW_HANDLES, file);
}

static int open_show_stacks_handles(struct kmp_served *served, struct kmp_open_file **file)
{
	return kmp_text_file_open(served, print, KMP_SHOW_STACKS_HANDLES, file);
}

static int threshold_open(struct kmp_served *served, struct kmp_open_file **out)
{
	struct kmp_open_file *file = calloc(1, sizeof(*file));

	if (!file)
		return -ENOMEM;
	file->served = served;
	*out = file;
	return 0;
}

static void threshold_release(struct kmp_open_file *file)
{
	free(file);
}

static int threshold_read(struct kmp_open_file *file, uint64_t offset, size_t size,
			  kmp_reply_fn reply, void *arg)
{
	char text[32];
	int len = snprintf(text, sizeof(text), "%" PRIu64 "\n", file->served->threshold);
	uint64_t written = file->written;

	if (offset >= written)
		offset -= written;
	if (offset > (uint64_t)len)
		offset = (uint64_t)len;
	if (size > (uint64_t)len - offset)
		size = (size_t)((uint64_t)len - offset);
	return reply(arg, text + offset, size);
}

/* A number as the kernel takes it: decimal, 0x… or 0…, a `+` before and a newline behind allowed.
 */
static int64_t threshold_write(struct kmp_open_file *file, const char *bytes, size_t len,
			       uint64_t offset)
{
	char text[24] = { 0 };
	char *end;

	memcpy(text, bytes, len < sizeof(text) - 1 ? len : sizeof(text) - 1);
	const char *digits = *text == '+' ? text + 1 : text;

	if (*digits < '0' || *digits > '9')
		return -EINVAL;
	errno = 0;
	uint64_t value = strtoull(digits, &end, 0);
	if (errno)
		return -errno;
	if (*end == '\n')
		end++;
	if (*end)
		return -EINVAL;
	file->served->threshold = value;
	(void)offset;
	file->written += len;
	return (int64_t)len;
}

const struct kmp_file_ops kmp_show_stacks_ops = {
	.open = open_show_stacks,
	.slow_open = true,
	.release = kmp_text_file_release,
	.read = kmp_text_file_read,
};

const struct kmp_file_ops kmp_show_handles_ops = {
	.open = open_show_handles,
	.slow_open = true,
	.release = kmp_text_file_release,
	.read = kmp_text_file_read,
};

const struct kmp_file_ops kmp_show_stacks_handles_ops = {
	.open = open_show_stacks_handles,
	.slow_open = true,
	.release = kmp_text_file_release,
	.read = kmp_text_file_read,
};

const struct kmp_file_ops kmp_count_threshold_ops = {
	.open = threshold_open,
	.release = threshold_release,
	.read = threshold_read,
	.write = threshold_write,
};
