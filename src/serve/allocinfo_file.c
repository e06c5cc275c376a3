// SPDX-License-Identifier: GPL-2.0-only
/* allocinfo: the text by offset, and the ioctls, which have a position of their own. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "serve/file.h"

struct kmp_open_file {
	pthread_mutex_t lock;
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
	pthread_mutex_init(&file->lock, NULL);
	*out = file;
	return 0;
}

/* The last read may not have let go yet: its reply is out, and the reader has closed at once. */
static void allocinfo_release(struct kmp_open_file *file)
{
	pthread_mutex_lock(&file->lock);
	pthread_mutex_unlock(&file->lock);
	kmp_tags_close(file->tags);
	pthread_mutex_destroy(&file->lock);
	free(file->text);
	free(file);
}

static int allocinfo_read(struct kmp_open_file *file, uint64_t offset, size_t size,
			  kmp_reply_fn reply, void *arg)
{
	int ret = -ENOMEM;

	pthread_mutex_lock(&file->lock);
	if (file->cap < size) {
		free(file->text);
		file->text = malloc(size);
		file->cap = file->text ? size : 0;
	}
	if (file->text || !size) {
		int64_t got = kmp_tags_read(file->tags, file->text, size, offset);

		ret = got < 0 ? (int)got : reply(arg, file->text, (size_t)got);
	}
	pthread_mutex_unlock(&file->lock);
	return ret;
}

/* The request tells how large its argument is; the sizes were checked where they differ. */
static int allocinfo_ioctl(struct kmp_open_file *file, unsigned request, const void *in,
			   size_t in_len, void *out, size_t out_len)
{
	pthread_mutex_lock(&file->lock);
	if (in_len)
		memcpy(out, in, in_len < out_len ? in_len : out_len);
	int ret = kmp_tags_ioctl(file->tags, request, out);
	pthread_mutex_unlock(&file->lock);
	return ret;
}

const struct kmp_file_ops kmp_allocinfo_ops = {
	.open = allocinfo_open,
	.release = allocinfo_release,
	.read = allocinfo_read,
	.ioctl = allocinfo_ioctl,
};
