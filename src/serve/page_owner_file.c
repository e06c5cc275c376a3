// SPDX-License-Identifier: GPL-2.0-only
/*
 * page_owner. The kernel's file position is a PFN; FUSE counts bytes. A descriptor remembers where
 * its last reads ended, in bytes and in PFNs: a read at such an offset goes on there, any other
 * offset is a PFN. Behind a write it goes on where it was before. So sequential readers, lseek() to
 * a PFN, and a pread() elsewhere in between all get what the kernel would give them.
 *
 * After each reply the text that follows is made, while the reader is busy with what it has; not
 * of what moves, where it would be old when it is read.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "serve/file.h"

enum { ENDS = 16 };

struct end {
	uint64_t offset; /* 0: unused */
	uint64_t pfn;
};

/* Text made for a read from pfn of so many bytes. */
struct made {
	char *text;
	size_t cap;
	bool valid;
	uint64_t pfn;
	size_t size;
	int64_t len;   /* or a negative errno */
	uint64_t next; /* the PFN behind it */
};

struct kmp_open_file {
	const struct kmp_served_ops *ops;
	void *pages;
	struct end ends[ENDS];
	unsigned next_end;
	struct made now;
	struct made ahead;
};

static int page_owner_open(struct kmp_served *served, struct kmp_open_file **out)
{
	struct kmp_open_file *file = calloc(1, sizeof(*file));
	struct kmp_error *err = file ? served->ops->open(served, &file->pages) : NULL;

	if (!file || err) {
		kmp_error_destroy(err);
		free(file);
		return -ENOMEM;
	}
	file->ops = served->ops;
	*out = file;
	return 0;
}

static void page_owner_release(struct kmp_open_file *file)
{
	file->ops->close(file->pages);
	free(file->now.text);
	free(file->ahead.text);
	free(file);
}

static uint64_t pfn_at(const struct kmp_open_file *file, uint64_t offset)
{
	for (unsigned i = 0; offset && i < ENDS; i++) {
		if (file->ends[i].offset == offset)
			return file->ends[i].pfn;
	}
	return offset;
}

static void remember(struct kmp_open_file *file, uint64_t offset, uint64_t pfn)
{
	for (unsigned i = 0; i < ENDS; i++) {
		if (file->ends[i].offset == offset) {
			file->ends[i].pfn = pfn;
			return;
		}
	}
	file->ends[file->next_end++ % ENDS] = (struct end){ offset, pfn };
}

static void make(struct kmp_open_file *file, struct made *made, uint64_t pfn, size_t size)
{
	if (made->cap < size) {
		char *text = realloc(made->text, size);

		made->valid = false;
		if (!text) {
			made->len = -ENOMEM;
			return;
		}
		made->text = text;
		made->cap = size;
	}
	made->pfn = made->next = pfn;
	made->size = size;
	made->len = file->ops->read(file->pages, &made->next, made->text, size);
	made->valid = true;
}

static int page_owner_read(struct kmp_open_file *file, uint64_t offset, size_t size,
			   kmp_reply_fn reply, void *arg)
{
	int ret;

	uint64_t pfn = pfn_at(file, offset);

	if (file->ahead.valid && file->ahead.pfn == pfn && file->ahead.size == size) {
		struct made made = file->now;

		file->now = file->ahead;
		file->ahead = made;
		file->ahead.valid = false;
	} else {
		make(file, &file->now, pfn, size);
	}
	if (file->now.len < 0) {
		ret = (int)file->now.len;
	} else {
		if (file->now.len > 0)
			remember(file, offset + (uint64_t)file->now.len, file->now.next);
		ret = reply(arg, file->now.text, (size_t)file->now.len);
		if (file->now.len > 0 && !file->ops->moves)
			make(file, &file->ahead, file->now.next, size);
	}
	return ret;
}

static int64_t page_owner_write(struct kmp_open_file *file, const char *bytes, size_t len,
				uint64_t offset)
{
	int64_t ret = file->ops->write(file->pages, bytes, len);

	if (ret > 0)
		remember(file, offset + (uint64_t)ret, pfn_at(file, offset));
	/* The filter holds from the next record on. */
	file->ahead.valid = false;
	return ret;
}

const struct kmp_file_ops kmp_page_owner_ops = {
	.open = page_owner_open,
	.release = page_owner_release,
	.read = page_owner_read,
	.write = page_owner_write,
};
