// SPDX-License-Identifier: GPL-2.0-only
/*
 * A number is free when no program can find it any more (it is not in the hash of tasks, nor on any
 * CPU), and no record has it then. Programs that were running when it was taken from the hash may
 * still write it: those have ended when membarrier() returns, which waits as synchronize_rcu()
 * does. Programs that move records from page to page could carry one past us: if any did, we look
 * again. A number that is free has a task of zeros; so all is in the tables, and nothing is lost if
 * this is broken off anywhere.
 */
#include "source/recorder.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/membarrier.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "source/bpf/record.skel.h"

/* How often the table is looked at; how long nothing is tried after it was in vain; tries. */
enum { LOOK_MS = 50, IN_VAIN_MS = 2000, TRIES = 4 };

struct sweep {
	struct kmp_recorder *r;
	uint32_t count; /* numbers there are */
	bool *used;	/* by number */
	bool *taken;	/* no program can find it */
	uint32_t freed;
};

static void cleanup_sweep(struct sweep *s)
{
	free(s->used);
	free(s->taken);
}

static void use(struct sweep *s, uint32_t number)
{
	if (number < s->count)
		s->used[number] = true;
}

static void find_used(struct sweep *s)
{
	size_t slots = kmp_recorder_slots(s->r);
	int fd = bpf_map__fd(s->r->skel->maps.contexts);
	struct record_context key;
	struct record_context *last = NULL;

	memset(s->used, 0, s->count * sizeof(*s->used));
	for (size_t i = 0; s->r->has_pages && i < slots; i++) {
		const struct record_page *page = &s->r->pages[i];

		if (__atomic_load_n(&page->info, __ATOMIC_ACQUIRE) & RECORD_VALID)
			use(s, __atomic_load_n(&page->task, __ATOMIC_RELAXED));
	}
	while (s->r->options.trace && !bpf_map_get_next_key(fd, last, &key)) {
		last = &key;
		use(s, key.task);
	}
}

static bool is_zero(const struct record_task *task)
{
	static const struct record_task zero;

	return !memcmp(task, &zero, sizeof(zero));
}

/* Take from the hash what no record has; what is not in it, or under another number, is taken. */
static void take(struct sweep *s)
{
	int fd = bpf_map__fd(s->r->skel->maps.tasks);

	for (uint32_t number = 1; number < s->count; number++) {
		struct record_task task = s->r->tasks[number];
		uint32_t found;

		if (s->used[number] || is_zero(&task))
			continue;
		if (!bpf_map_lookup_elem(fd, &task, &found) && found == number &&
		    bpf_map_delete_elem(fd, &task))
			continue;
		s->taken[number] = true;
	}
	/* What is kept on the CPUs is of before. */
	__atomic_add_fetch(&s->r->skel->bss->task_epoch, 1, __ATOMIC_SEQ_CST);
}

static bool wait_for_programs(void)
{
	return !syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
}

/* Records that went from page to page, so far. */
static bool count_moves(const struct sweep *s, uint64_t *moves)
{
	struct kmp_recorder_stats stats;
	struct kmp_error *err = kmp_recorder_stats(s->r, &stats);

	if (err) {
		kmp_error_destroy(err);
		return false;
	}
	*moves = stats.splits + stats.migrations;
	return true;
}

/* Which numbers do records have, now that no program can give any that was taken? */
static bool find_used_surely(struct sweep *s)
{
	uint64_t before, after;

	for (int i = 0; i < TRIES; i++) {
		if (!count_moves(s, &before) || !wait_for_programs())
			return false;
		find_used(s);
		if (!wait_for_programs() || !count_moves(s, &after))
			return false;
		if (before == after)
			return true;
	}
	return false;
}

static void give_back(struct sweep *s)
{
	static const struct record_task zero;
	int tasks = bpf_map__fd(s->r->skel->maps.task_table);
	int queue = bpf_map__fd(s->r->skel->maps.free_tasks);

	for (uint32_t number = 1; number < s->count; number++) {
		if (!s->taken[number] || s->used[number] ||
		    bpf_map_update_elem(tasks, &number, &zero, BPF_ANY))
			continue;
		s->freed += !bpf_map_update_elem(queue, NULL, &number, BPF_ANY);
	}
}

/* How many numbers became free? */
static uint32_t sweep(struct kmp_recorder *r)
{
	uint32_t count = __atomic_load_n(&r->skel->data->next_task, __ATOMIC_ACQUIRE);
	struct sweep s cleanup(cleanup_sweep) = {
		.r = r,
		.count = count < r->options.max_tasks ? count : r->options.max_tasks,
	};

	s.used = calloc(s.count, sizeof(*s.used));
	s.taken = calloc(s.count, sizeof(*s.taken));
	if (!s.used || !s.taken)
		return 0;
	find_used(&s);
	take(&s);
	if (!find_used_surely(&s))
		return 0;
	pthread_rwlock_wrlock(&r->task_numbers.reading);
	give_back(&s);
	pthread_rwlock_unlock(&r->task_numbers.reading);
	return s.freed;
}

/* Is a quarter of the table left, or less? */
static bool is_short(const struct kmp_recorder *r)
{
	uint32_t max = r->options.max_tasks;
	uint32_t next = __atomic_load_n(&r->skel->data->next_task, __ATOMIC_ACQUIRE);
	uint64_t freed = __atomic_load_n(&r->task_numbers.freed, __ATOMIC_RELAXED);
	uint64_t again = __atomic_load_n(&r->skel->bss->tasks_again, __ATOMIC_RELAXED);
	uint64_t left = (next < max ? max - next : 0) + (freed > again ? freed - again : 0);

	return left < max / 4;
}

/* True if it is time to end. */
static bool wait_ms(const struct kmp_task_numbers *n, int ms)
{
	struct pollfd fd = { .fd = n->end, .events = POLLIN };

	return poll(&fd, 1, ms) != 0;
}

static void *keep(void *arg)
{
	struct kmp_task_numbers *n = arg;
	int ms = LOOK_MS;

	while (!wait_ms(n, ms)) {
		uint32_t freed = 0;

		ms = LOOK_MS;
		if (!is_short(n->recorder))
			continue;
		freed = sweep(n->recorder);
		__atomic_add_fetch(&n->freed, freed, __ATOMIC_RELAXED);
		/* All that there are hold memory. */
		if (freed < n->recorder->options.max_tasks / 16)
			ms = IN_VAIN_MS;
	}
	return NULL;
}

void kmp_task_numbers_init(struct kmp_task_numbers *n, struct kmp_recorder *recorder)
{
	*n = (struct kmp_task_numbers){ .recorder = recorder, .end = -1 };
	pthread_rwlock_init(&n->reading, NULL);
}

static int create_thread(struct kmp_task_numbers *n)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int err = pthread_create(&n->thread, NULL, keep, n);

	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return err;
}

struct kmp_error *kmp_task_numbers_start(struct kmp_task_numbers *n)
{
	if (n->pid == getpid())
		return NULL;
	if (n->pid) {
		/* What was locked when we were forked stays so: nobody has it here. */
		pthread_rwlock_init(&n->reading, NULL);
		close(n->end);
	}
	n->pid = 0;
	n->end = eventfd(0, EFD_CLOEXEC);
	int err = n->end < 0 ? errno : create_thread(n);

	if (err)
		return kmp_error_system(err, NULL, "cannot start a thread");
	n->pid = getpid();
	return NULL;
}

void kmp_task_numbers_stop(struct kmp_task_numbers *n)
{
	uint64_t one = 1;

	if (n->pid == getpid() && write(n->end, &one, sizeof(one)) == sizeof(one)) {
		pthread_join(n->thread, NULL);
		n->pid = 0;
	}
	if (n->end >= 0)
		close(n->end);
	n->end = -1;
}

void kmp_task_numbers_deinit(struct kmp_task_numbers *n)
{
	kmp_task_numbers_stop(n);
	pthread_rwlock_destroy(&n->reading);
}

void kmp_task_numbers_hold(const struct kmp_recorder *recorder)
{
	pthread_rwlock_rdlock((pthread_rwlock_t *)&recorder->task_numbers.reading);
}

void kmp_task_numbers_let_go(const struct kmp_recorder *recorder)
{
	pthread_rwlock_unlock((pthread_rwlock_t *)&recorder->task_numbers.reading);
}
