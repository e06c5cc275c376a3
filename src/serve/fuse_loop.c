// SPDX-License-Identifier: GPL-2.0-only
/*
 * A question to allocinfo is a dozen short requests, each sent when the one before is answered, and
 * most of their time would go into waking a server's thread on a CPU that has been halted. So the
 * thread that answers a short request becomes the keeper: it looks for the next one for a moment
 * before it sleeps, as long as that pays, and the others stay where no request wakes them.
 *
 * What takes time, as reads of several do, is answered by threads that all sleep in the kernel,
 * which wakes one for each request. A keeper that gets such a request is none any longer.
 */
#define FUSE_USE_VERSION 312
#include "serve/fuse_loop.h"

#include <errno.h>
#include <fcntl.h>
#include <fuse3/fuse_lowlevel.h>
#include <linux/fuse.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "serve/tree.h"

enum { THREADS_MAX = 10 };

enum {
	SPIN_NS = 50000,
	PUT_OFF_NS = 100000,
	PAUSE_MIN_NS = 50000,
	PAUSE_MAX_NS = 12800000,
};

struct worker {
	struct loop *loop;
	pthread_t thread;
	int epoll;
	bool keeper;
	bool waited; /* there was no request when it came to receive */
	bool slept;  /* since may_spin() looked at the clocks */
	int64_t wall;
	int64_t cpu;
	int64_t pause;
	int64_t may_spin_at;
};

struct loop {
	struct fuse_session *session;
	int fuse;
	int end;       /* an eventfd, readable from the end on */
	bool two_cpus; /* there is one for who asks while a thread spins */
	pthread_mutex_t lock;
	pthread_cond_t go;  /* there is no keeper, or the end has come */
	atomic_bool kept;   /* there is a keeper */
	unsigned listening; /* threads that receive; the keeper is not counted */
	unsigned parked;
	bool ended;
	int error; /* why it ended */
	unsigned count;
	struct worker workers[THREADS_MAX];
};

static void *serve(void *arg);

static void end(struct loop *loop, int error)
{
	static const uint64_t one = 1;

	fuse_session_exit(loop->session);
	pthread_mutex_lock(&loop->lock);
	if (!loop->ended)
		loop->error = error;
	loop->ended = true;
	pthread_cond_broadcast(&loop->go);
	pthread_mutex_unlock(&loop->lock);
	/* Nobody takes from it, and it holds more than there are threads. */
	while (write(loop->end, &one, sizeof(one)) < 0 && errno == EINTR)
		;
}

/* One more thread, which sleeps at an epoll of its own, so that a request wakes one of them. */
static int start(struct loop *loop)
{
	struct worker *worker = &loop->workers[loop->count];
	struct epoll_event request = { .events = EPOLLIN | EPOLLEXCLUSIVE };
	struct epoll_event the_end = { .events = EPOLLIN };
	int error;

	*worker = (struct worker){ .loop = loop,
				   .slept = true,
				   .epoll = epoll_create1(EPOLL_CLOEXEC) };
	if (worker->epoll < 0 || epoll_ctl(worker->epoll, EPOLL_CTL_ADD, loop->fuse, &request) ||
	    epoll_ctl(worker->epoll, EPOLL_CTL_ADD, loop->end, &the_end))
		error = errno;
	else
		error = pthread_create(&worker->thread, NULL, serve, worker);
	if (!error)
		loop->count++;
	else if (worker->epoll >= 0)
		close(worker->epoll);
	return error;
}

/* Wait until this thread may receive; false at the end. */
static bool enter(struct worker *worker)
{
	struct loop *loop = worker->loop;

	pthread_mutex_lock(&loop->lock);
	loop->parked++;
	while (loop->kept && !loop->ended)
		pthread_cond_wait(&loop->go, &loop->lock);
	loop->parked--;
	loop->listening++;
	bool ended = loop->ended;

	pthread_mutex_unlock(&loop->lock);
	return !ended;
}

/* There is a keeper, who sees to what comes. */
static void retreat(struct worker *worker)
{
	pthread_mutex_lock(&worker->loop->lock);
	worker->loop->listening--;
	pthread_mutex_unlock(&worker->loop->lock);
}

/* Who receives while this thread does something else, and is it to be the keeper? */
static void leave(struct worker *worker, bool keeper)
{
	struct loop *loop = worker->loop;

	if (worker->keeper && keeper)
		return;
	pthread_mutex_lock(&loop->lock);
	if (worker->keeper)
		loop->kept = false;
	else
		loop->listening--;
	worker->keeper = keeper && !loop->kept;
	if (worker->keeper)
		loop->kept = true;
	if (!loop->kept && !loop->listening) {
		/* If there is nobody, it is the first that is done. */
		if (loop->parked)
			pthread_cond_signal(&loop->go);
		else if (loop->count < THREADS_MAX && !loop->ended)
			start(loop);
	}
	pthread_mutex_unlock(&loop->lock);
}

static int try_receive(struct loop *loop, struct fuse_buf *buf)
{
	int got;

	do
		got = fuse_session_receive_buf(loop->session, buf);
	while (got == -EINTR);
	return got;
}

/* Spinning was no gain: leave it for a time, for longer each time. */
static void pause_spinning(struct worker *worker, int64_t wall)
{
	worker->pause = worker->pause < PAUSE_MIN_NS ? PAUSE_MIN_NS : worker->pause * 2;
	if (worker->pause > PAUSE_MAX_NS)
		worker->pause = PAUSE_MAX_NS;
	worker->may_spin_at = wall + worker->pause;
}

/*
 * Who is put off the CPU while awake stands in a queue, where who sleeps would be woken at once. So
 * there must be a CPU that nobody else needs.
 */
static bool may_spin(struct worker *worker)
{
	int64_t wall = (int64_t)clock_ns(CLOCK_MONOTONIC);

	if (wall < worker->may_spin_at)
		return false;
	int64_t cpu = (int64_t)clock_ns(CLOCK_THREAD_CPUTIME_ID);
	int64_t put_off = wall - worker->wall - (cpu - worker->cpu);

	if (!worker->slept && put_off > PUT_OFF_NS)
		pause_spinning(worker, wall);
	worker->wall = wall;
	worker->cpu = cpu;
	worker->slept = false;
	return wall >= worker->may_spin_at;
}

/* If nothing comes, who asks may wait for the CPU that this thread is spinning on. */
static int spin(struct worker *worker, struct fuse_buf *buf)
{
	int64_t until = (int64_t)clock_ns(CLOCK_MONOTONIC) + SPIN_NS;

	for (;;) {
		int got = try_receive(worker->loop, buf);

		if (got != -EAGAIN) {
			worker->pause /= 2;
			return got;
		}
		int64_t wall = (int64_t)clock_ns(CLOCK_MONOTONIC);

		if (wall >= until) {
			pause_spinning(worker, wall);
			return got;
		}
	}
}

/*
 * The next request: its size, 0 at the end, or a negative errno: EAGAIN if it was for the keeper
 * that this thread has been woken.
 */
static int receive(struct worker *worker, struct fuse_buf *buf)
{
	struct loop *loop = worker->loop;
	int got = try_receive(loop, buf);

	worker->waited = got == -EAGAIN;
	if (worker->waited && worker->keeper && loop->two_cpus && may_spin(worker))
		got = spin(worker, buf);
	while (got == -EAGAIN && (worker->keeper || !loop->kept)) {
		struct epoll_event event;

		worker->slept = true;
		if (epoll_wait(worker->epoll, &event, 1, -1) < 0 && errno != EINTR)
			return -errno;
		got = try_receive(loop, buf);
	}
	return got;
}

/* Is it answered before anyone else could be woken for what comes next? */
static bool is_short(const struct worker *worker, const struct fuse_in_header *request)
{
	struct pollfd fd = { worker->loop->fuse, POLLIN, 0 };
	const struct kmp_file *file;

	switch (request->opcode) {
	case FUSE_READ:
		/* One reader comes back at once; of several each should have a thread. */
		return worker->waited;
	case FUSE_WRITE:
		return false;
	case FUSE_OPEN:
		file = kmp_tree_file(request->nodeid);
		return !file || !file->ops->slow_open;
	case FUSE_IOCTL:
		/* It depends; if several ask, several should answer. */
		return worker->waited || poll(&fd, 1, 0) <= 0;
	default:
		return true;
	}
}

static void *serve(void *arg)
{
	struct worker *worker = arg;
	struct loop *loop = worker->loop;
	struct fuse_buf buf = { 0 };

	while (worker->keeper || enter(worker)) {
		int got = receive(worker, &buf);

		if (got == -EAGAIN) {
			retreat(worker);
			continue;
		}
		if (got <= 0) {
			end(loop, -got);
			break;
		}
		leave(worker, is_short(worker, buf.mem));
		fuse_session_process_buf(loop->session, &buf);
	}
	free(buf.mem);
	return NULL;
}

/* Signals come to this thread alone, and only while it waits, so that none is missed. */
static int run(struct loop *loop)
{
	struct pollfd fd = { loop->end, POLLIN, 0 };
	sigset_t ours, before;

	sigemptyset(&ours);
	sigaddset(&ours, SIGINT);
	sigaddset(&ours, SIGTERM);
	sigaddset(&ours, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &ours, &before);
	pthread_mutex_lock(&loop->lock);
	int error = start(loop);

	pthread_mutex_unlock(&loop->lock);
	while (!error && !fuse_session_exited(loop->session) && !fd.revents)
		ppoll(&fd, 1, NULL, &before);
	end(loop, error);
	/* Nobody starts one any more. */
	for (unsigned i = 0; i < loop->count; i++) {
		pthread_join(loop->workers[i].thread, NULL);
		close(loop->workers[i].epoll);
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return loop->error;
}

static bool have_two_cpus(void)
{
	cpu_set_t set;

	/* It fails where there are more CPUs than the set holds. */
	return sched_getaffinity(0, sizeof(set), &set) || CPU_COUNT(&set) > 1;
}

struct kmp_error *kmp_fuse_loop(struct fuse_session *session)
{
	auto_fd int end_fd = eventfd(0, EFD_CLOEXEC);
	struct loop loop = {
		.session = session,
		.fuse = fuse_session_fd(session),
		.end = end_fd,
		.two_cpus = have_two_cpus(),
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.go = PTHREAD_COND_INITIALIZER,
	};

	if (end_fd < 0 || fcntl(loop.fuse, F_SETFL, fcntl(loop.fuse, F_GETFL) | O_NONBLOCK))
		return kmp_error_system(errno, NULL, "cannot wait for requests");
	int error = run(&loop);

	return error ? kmp_error_system(error, NULL, "cannot serve") : NULL;
}
