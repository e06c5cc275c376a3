/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Numbers of tasks are used again, so that a long recording needs room for the tasks that hold
 * memory and not for all that ever did. A thread looks whether the table fills up, finds the
 * numbers that no record has, and gives them back to the BPF programs.
 */
#ifndef KMP_SOURCE_TASK_NUMBERS_H
#define KMP_SOURCE_TASK_NUMBERS_H

#include <pthread.h>
#include <sys/types.h>

#include "base/error.h"

struct kmp_recorder;

struct kmp_task_numbers {
	struct kmp_recorder *recorder;
	/* Held by who reads a record until he has read its task. */
	pthread_rwlock_t reading;
	pthread_t thread;
	pid_t pid;	/* the process that has the thread, 0: none */
	int end;	/* an eventfd that ends it */
	uint64_t freed; /* numbers that were given back */
};

/* kmp_task_numbers_deinit() also after a failure. */
void kmp_task_numbers_init(struct kmp_task_numbers *numbers, struct kmp_recorder *recorder);
void kmp_task_numbers_deinit(struct kmp_task_numbers *numbers);

/* Begin, also in a process that was forked from the one that began. */
struct kmp_error *kmp_task_numbers_start(struct kmp_task_numbers *numbers) must_check;
void kmp_task_numbers_stop(struct kmp_task_numbers *numbers);

/* Between the two the task of a record is the one that it was made for. */
void kmp_task_numbers_hold(const struct kmp_recorder *recorder);
void kmp_task_numbers_let_go(const struct kmp_recorder *recorder);

#endif
