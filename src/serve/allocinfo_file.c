// SPDX-License-Identifier: GPL-2.0-only
/* allocinfo: the text by offset, and the ioctls, which have a position of their own. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "serve/file.h"

struct kmp_open_file {
	struct kmp_served *served;
	struct kmp_tags_file *tags;
	char *text;
	size_t cap;
};

static int allocinfo_open(struct kmp_served *served, struct kmp_open_file **out)
{
	struct kmp_open_file *file = calloc(1, sizeof(*file));
	struct kmp_error *err = file ? kmp_tags_open(served->tags, &file->tags) : NULL;

	if (!file || err) {
		kmp_error_destroy(err);
		free(file);
		return -ENOMEM;
	}
	file->served = served;
	*out = file;
	return 0;
}

static void allocinfo_release(struct kmp_open_file *file)
{
	kmp_tags_close(file->tags);
	free(file->text);
	free(file);
}

static int enter(const struct kmp_open_file *file, bool text)
{
	const struct kmp_served_ops *ops = file->served->ops;

	return ops->enter_tags ? ops->enter_tags(file->served, text) : 0;
}

static void leave(const struct kmp_open_file *file)
{
	if (file->served->ops->leave_tags)
		file->served->ops->leave_tags(file->served);
}

static int allocinfo_read(struct kmp_open_file *file, uint64_t offset, size_t size,
			  kmp_reply_fn reply, void *arg)
{
	if (file->cap < size) {
		free(file->text);
		file->text = malloc(size);
		file->cap = file->text ? size : 0;
	}
	if (!file->text && size)
		return -ENOMEM;
	int ret = enter(file, offset == 0);

	if (ret)
		return ret;
	int64_t got = kmp_tags_read(file->tags, file->text, size, offset);

	leave(file);
	return got < 0 ? (int)got : reply(arg, file->text, (size_t)got);
}

/* The request tells how large its argument is; the sizes were checked where they differ. */
static int allocinfo_ioctl(struct kmp_open_file *file, unsigned request, const void *in,
			   size_t in_len, void *out, size_t out_len)
{
	if (in_len)
		memcpy(out, in, in_len < out_len ? in_len : out_len);
	int ret = enter(file, false);

	if (ret)
		return ret;
	ret = kmp_tags_ioctl(file->tags, request, out);
	leave(file);
	return ret;
}

const struct kmp_file_ops kmp_allocinfo_ops = {
	.open = allocinfo_open,
	.release = allocinfo_release,
	.read = allocinfo_read,
	.ioctl = allocinfo_ioctl,
};
