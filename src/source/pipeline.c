// SPDX-License-Identifier: GPL-2.0-only
/*
 * page_owner text in blocks, parsed side by side, consumed in order.
 *
 * The thread that calls takes blocks of whole records from a feed and files them in a ring. Parsers
 * take them from there, each with a ledger of its own; the calling thread parses too while it
 * waits. What a block held is carried into the caller's ledger in the order of the file, so that
 * the outcome is the same for any number of parsers. With one there are no threads at all.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "base/cleanup.h"
#include "base/scan.h"
#include "ledger/merge.h"
#include "source/feed.h"

enum { THREADS_MAX = 64 };

enum job_state { JOB_FREE, JOB_READY, JOB_TAKEN, JOB_DONE };

struct job {
	struct kmp_po_block block;
	_Atomic(enum job_state) state; /* changed under the lock, but to JOB_FREE */
	unsigned worker;	       /* who parsed it */
	struct kmp_po_result result;
	struct kmp_error *err;
};

struct worker {
	struct pipeline *pipeline;
	pthread_t thread;
	bool running;
	pthread_mutex_t busy; /* held while the worker's ledger grows */
	struct kmp_ledger *ledger;
	struct kmp_po_parser *parser;
	struct kmp_merge merge;
	void *feed_state;
};

struct pipeline {
	const struct kmp_po_feed *feed;
	struct kmp_ledger *ledger;
	const struct kmp_sink *sink;
	const struct kmp_source_options *options;
	struct worker *workers;
	unsigned worker_count; /* the calling thread is the first */
	struct job *jobs;
	unsigned job_count;
	unsigned next_read; /* jobs are used round and round */
	unsigned next_take;
	unsigned next_consume;
	pthread_mutex_t lock;
	pthread_cond_t ready;
	pthread_cond_t done;
	bool stop;
	bool feed_end;
	uint64_t line; /* lines before the block that is consumed next */
	uint64_t stray, foreign, extra, no_unit;
	uint64_t first_stray; /* line of the first block that has any */
};

static void parse_job(struct worker *w, struct job *job)
{
	const struct kmp_po_feed *feed = w->pipeline->feed;
	struct kmp_po_block *block = &job->block;

	if (feed->fill)
		job->err = feed->fill(feed->arg, w->feed_state, block);
	if (!job->err) {
		memset(block->text + block->len, 0, SCAN_PAD);
		pthread_mutex_lock(&w->busy);
		job->err = kmp_po_parse(w->parser, block->text, block->len, block->at_end,
					&job->result);
		pthread_mutex_unlock(&w->busy);
	}
	job->worker = (unsigned)(w - w->pipeline->workers);
}

/* The next block to parse, or NULL. The lock is held. */
static struct job *take_job(struct pipeline *pl)
{
	struct job *job = &pl->jobs[pl->next_take];

	if (job->state != JOB_READY)
		return NULL;
	job->state = JOB_TAKEN;
	pl->next_take = (pl->next_take + 1) % pl->job_count;
	return job;
}

static void *worker_main(void *arg)
{
	struct worker *w = arg;
	struct pipeline *pl = w->pipeline;

	pthread_mutex_lock(&pl->lock);
	while (!pl->stop) {
		struct job *job = take_job(pl);

		if (!job) {
			pthread_cond_wait(&pl->ready, &pl->lock);
			continue;
		}
		pthread_mutex_unlock(&pl->lock);
		parse_job(w, job);
		pthread_mutex_lock(&pl->lock);
		job->state = JOB_DONE;
		pthread_cond_signal(&pl->done);
	}
	pthread_mutex_unlock(&pl->lock);
	return NULL;
}

static void lock_worker(void *arg)
{
	pthread_mutex_lock(&((struct worker *)arg)->busy);
}

static void unlock_worker(void *arg)
{
	pthread_mutex_unlock(&((struct worker *)arg)->busy);
}

static struct kmp_error *worker_start(struct pipeline *pl, unsigned number)
{
	struct worker *w = &pl->workers[number];

	w->pipeline = pl;
	pthread_mutex_init(&w->busy, NULL);
	try(kmp_ledger_create(&w->ledger));
	try(kmp_po_parser_create(w->ledger, &w->parser));
	w->merge.from = w->ledger;
	w->merge.to = pl->ledger;
	if (pl->feed->open)
		try(pl->feed->open(pl->feed->arg, &w->feed_state));
	if (number == 0)
		return NULL;
	w->merge.lock = lock_worker;
	w->merge.unlock = unlock_worker;
	w->merge.lock_arg = w;
	int ret = pthread_create(&w->thread, NULL, worker_main, w);
	if (ret)
		return kmp_error_system(ret, NULL, "cannot start a thread");
	w->running = true;
	return NULL;
}

static struct kmp_error *consume(struct pipeline *pl, struct job *job)
{
	struct kmp_po_result *r = &job->result;

	if (job->err)
		return no_free(job->err);
	for (size_t i = 0; i < r->skips.len; i++)
		try(kmp_ledger_add_skipped(pl->ledger, pl->line + r->skips.data[i].line + 1,
					   r->skips.data[i].reason));
	kmp_ledger_add_losses(pl->ledger, job->block.lost, r->cut);
	if (r->stray && !pl->stray)
		pl->first_stray = pl->line + 1;
	pl->stray += r->stray;
	pl->foreign += r->foreign;
	pl->extra += r->extra;
	pl->no_unit += r->no_unit;
	pl->line += r->lines;
	if (!r->pages.len)
		return NULL;
	try(kmp_merge_pages(&pl->workers[job->worker].merge, r->pages.data, r->pages.len));
	return pl->sink->pages(pl->sink->arg, pl->ledger, r->pages.data, r->pages.len);
}

/* Wait until the oldest block is parsed, helping meanwhile. */
static void wait_for(struct pipeline *pl, struct job *oldest)
{
	pthread_mutex_lock(&pl->lock);
	while (oldest->state != JOB_DONE) {
		struct job *job = take_job(pl);

		if (!job) {
			pthread_cond_wait(&pl->done, &pl->lock);
			continue;
		}
		pthread_mutex_unlock(&pl->lock);
		parse_job(&pl->workers[0], job);
		pthread_mutex_lock(&pl->lock);
		job->state = JOB_DONE;
	}
	pthread_mutex_unlock(&pl->lock);
}

static struct kmp_error *consume_oldest(struct pipeline *pl)
{
	struct job *job = &pl->jobs[pl->next_consume];

	wait_for(pl, job);
	struct kmp_error *err = consume(pl, job);
	job->state = JOB_FREE;
	pl->next_consume = (pl->next_consume + 1) % pl->job_count;
	return err;
}

static struct kmp_error *run(struct pipeline *pl)
{
	while (!pl->feed_end) {
		struct job *job = &pl->jobs[pl->next_read];

		if (job->state != JOB_FREE) {
			try(consume_oldest(pl));
			continue;
		}
		try(pl->feed->next(pl->feed->arg, &job->block, &pl->feed_end));
		pthread_mutex_lock(&pl->lock);
		job->state = JOB_READY;
		pl->next_read = (pl->next_read + 1) % pl->job_count;
		pthread_cond_signal(&pl->ready);
		pthread_mutex_unlock(&pl->lock);
		if (pl->options->progress)
			pl->options->progress(pl->options->progress_arg,
					      pl->feed->done(pl->feed->arg),
					      pl->feed->total(pl->feed->arg));
	}
	while (pl->jobs[pl->next_consume].state != JOB_FREE)
		try(consume_oldest(pl));
	return NULL;
}

static struct kmp_error *warn(struct pipeline *pl)
{
	struct kmp_ledger *l = pl->ledger;

	if (pl->stray)
		try(kmp_ledger_warn(
			l, "%llu lines belong to no record (the first at line %llu or after)",
			(unsigned long long)pl->stray, (unsigned long long)pl->first_stray));
	if (pl->foreign)
		try(kmp_ledger_warn(l, "%llu log lines stood within records",
				    (unsigned long long)pl->foreign));
	if (pl->extra)
		try(kmp_ledger_warn(l, "%llu lines of unknown kinds were kept with their records",
				    (unsigned long long)pl->extra));
	if (pl->no_unit)
		try(kmp_ledger_warn(l, "%llu times without 'ns' were taken for nanoseconds",
				    (unsigned long long)pl->no_unit));
	return NULL;
}

static void stop(struct pipeline *pl)
{
	pthread_mutex_lock(&pl->lock);
	pl->stop = true;
	pthread_cond_broadcast(&pl->ready);
	pthread_mutex_unlock(&pl->lock);
	for (unsigned i = 0; pl->workers && i < pl->worker_count; i++) {
		struct worker *w = &pl->workers[i];

		if (w->running)
			pthread_join(w->thread, NULL);
		if (w->feed_state)
			pl->feed->close(w->feed_state);
		kmp_merge_deinit(&w->merge);
		kmp_po_parser_destroy(w->parser);
		kmp_ledger_destroy(w->ledger);
	}
	for (unsigned i = 0; pl->jobs && i < pl->job_count; i++) {
		kmp_error_destroy(pl->jobs[i].err);
		vec_deinit(&pl->jobs[i].result.pages);
		vec_deinit(&pl->jobs[i].result.skips);
		free(pl->jobs[i].block.text);
	}
	free(pl->workers);
	free(pl->jobs);
}

static unsigned thread_count(unsigned asked)
{
	cpu_set_t set;

	if (!asked) {
		asked = sched_getaffinity(0, sizeof(set), &set) ? 1 : (unsigned)CPU_COUNT(&set);
		asked = asked > 8 ? 8 : asked;
	}
	return asked > THREADS_MAX ? THREADS_MAX : asked;
}

static struct kmp_error *start(struct pipeline *pl)
{
	pl->worker_count = thread_count(pl->options->threads);
	pl->job_count = pl->worker_count == 1 ? 1 : pl->worker_count * 2 + 1;
	pl->workers = calloc(pl->worker_count, sizeof(*pl->workers));
	pl->jobs = calloc(pl->job_count, sizeof(*pl->jobs));
	if (!pl->workers || !pl->jobs)
		return &kmp_error_no_memory;
	for (unsigned i = 0; i < pl->worker_count; i++)
		try(worker_start(pl, i));
	return NULL;
}

struct kmp_error *kmp_po_run(const struct kmp_po_feed *feed, struct kmp_ledger *ledger,
			     const struct kmp_sink *sink, const struct kmp_source_options *options)
{
	struct pipeline pl = {
		.feed = feed,
		.ledger = ledger,
		.sink = sink,
		.options = options,
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.ready = PTHREAD_COND_INITIALIZER,
		.done = PTHREAD_COND_INITIALIZER,
	};
	struct kmp_error *err = start(&pl);

	if (!err)
		err = run(&pl);
	if (!err)
		err = warn(&pl);
	stop(&pl);
	return err;
}
