// SPDX-License-Identifier: GPL-2.0-only
#include "serve/text_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

struct kmp_open_file {
	char *text;
	size_t len;
};

int kmp_text_file_open(struct kmp_served *served, kmp_text_print print, int which,
		       struct kmp_open_file **out)
{
	struct kmp_open_file *file = calloc(1, sizeof(*file));
	FILE *memory = file ? open_memstream(&file->text, &file->len) : NULL;

	if (!memory) {
		free(file);
		return -ENOMEM;
	}
	struct kmp_error *err = print(served, which, memory);
	int closed = fclose(memory);

	if (err && err->kind == KMP_ERROR_INPUT)
		file->len = 0;
	else if (err || closed)
		closed = -1;
	kmp_error_destroy(err);
	if (closed) {
		kmp_text_file_release(file);
		return -ENOMEM;
	}
	*out = file;
	return 0;
}

void kmp_text_file_release(struct kmp_open_file *file)
{
	free(file->text);
	free(file);
}

int kmp_text_file_read(struct kmp_open_file *file, uint64_t offset, size_t size, kmp_reply_fn reply,
		       void *arg)
{
	if (offset > file->len)
		offset = file->len;
	if (size > file->len - offset)
		size = file->len - offset;
	return reply(arg, file->text + offset, size);
}
