// SPDX-License-Identifier: GPL-2.0-only
#include "serve/opened.h"

#include <errno.h>
#include <stdlib.h>

void kmp_opened_list_init(struct kmp_opened_list *list)
{
	pthread_mutex_init(&list->lock, NULL);
	list->first = NULL;
}

void kmp_opened_list_deinit(struct kmp_opened_list *list)
{
	while (list->first) {
		atomic_store(&list->first->users, 1);
		kmp_opened_put(list->first);
	}
	pthread_mutex_destroy(&list->lock);
}

static void link_in(struct kmp_opened_list *list, struct kmp_opened *opened)
{
	pthread_mutex_lock(&list->lock);
	opened->list = list;
	opened->from = &list->first;
	opened->next = list->first;
	if (opened->next)
		opened->next->from = &opened->next;
	list->first = opened;
	pthread_mutex_unlock(&list->lock);
}

static void unlink_it(struct kmp_opened *opened)
{
	pthread_mutex_lock(&opened->list->lock);
	*opened->from = opened->next;
	if (opened->next)
		opened->next->from = opened->from;
	pthread_mutex_unlock(&opened->list->lock);
}

int kmp_opened_create(struct kmp_opened_list *list, struct kmp_served *served,
		      const struct kmp_file_ops *ops, struct kmp_opened **out)
{
	struct kmp_opened *opened = calloc(1, sizeof(*opened));

	if (!opened)
		return -ENOMEM;
	int ret = ops->open(served, &opened->file);

	if (ret) {
		free(opened);
		return ret;
	}
	opened->ops = ops;
	pthread_mutex_init(&opened->lock, NULL);
	atomic_init(&opened->users, 1);
	link_in(list, opened);
	*out = opened;
	return 0;
}

void kmp_opened_put(struct kmp_opened *opened)
{
	if (atomic_fetch_sub(&opened->users, 1) != 1)
		return;
	unlink_it(opened);
	opened->ops->release(opened->file);
	pthread_mutex_destroy(&opened->lock);
	free(opened);
}

void kmp_opened_enter(struct kmp_opened *opened)
{
	atomic_fetch_add(&opened->users, 1);
	pthread_mutex_lock(&opened->lock);
}

void kmp_opened_leave(struct kmp_opened *opened)
{
	pthread_mutex_unlock(&opened->lock);
	kmp_opened_put(opened);
}
