// SPDX-License-Identifier: GPL-2.0-only
/* Recording for a time, until told to end, or while a command runs. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "cli/child.h"
#include "cli/record.h"

DEFINE_CLEANUP(recorder, struct kmp_recorder *, kmp_recorder_destroy)

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
	interrupted = number;
}

static void pass_time(double seconds)
{
	struct timespec left = { (time_t)seconds,
				 (long)((seconds - (double)(time_t)seconds) * 1e9) };

	while (!interrupted && nanosleep(&left, &left) && errno == EINTR)
		;
}

static int status_of(int wait_status)
{
	return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
}

/* Wait for the command to end, or for the duration. */
static bool wait_for(const struct cli_record *job, pid_t pid, int *wait_status)
{
	double passed = 0;

	while (waitpid(pid, wait_status, WNOHANG) == 0) {
		if (interrupted || (job->duration > 0 && passed >= job->duration))
			return false;
		usleep(10000);
		passed += 0.01;
	}
	return true;
}

/*
 * Record while the command runs, at most for the duration: then what it holds is told while it
 * still holds it, and it is asked to end.
 */
static struct kmp_error *run_command(struct cli_args *args, struct cli_record *job,
				     struct kmp_recorder *recorder, cli_record_result *result)
{
	auto_fd int go = -1;
	pid_t pid;
	int wait_status = 0;

	try(cli_child_start(job->command, false, &pid, &go));
	if (!job->options.all)
		try(kmp_recorder_follow(recorder, (uint32_t)pid));
	try(kmp_recorder_start(recorder));
	if (write(go, "", 1) != 1)
		return kmp_error_system(errno, NULL, "cannot start '%s'", job->command[0]);
	bool ended = wait_for(job, pid, &wait_status);

	kmp_recorder_stop(recorder);
	struct kmp_error *err = result(args, job, recorder);

	if (!ended) {
		kill(pid, SIGTERM);
		waitpid(pid, &wait_status, 0);
	}
	if (!err && ended && status_of(wait_status))
		args->status = status_of(wait_status);
	return err;
}

struct kmp_error *cli_record_run(struct cli_args *args, struct cli_record *job,
				 cli_record_result *result)
{
	struct kmp_recorder *recorder cleanup(cleanup_recorder) = NULL;
	const struct sigaction action = { .sa_handler = on_signal };

	try(kmp_recorder_create(&job->options, &recorder));
	if (job->check)
		try(job->check(job, recorder));
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	if (job->command)
		return run_command(args, job, recorder, result);
	try(kmp_recorder_start(recorder));
	if (isatty(STDERR_FILENO))
		fputs("kmemprof: recording; Ctrl-C ends it\n", stderr);
	pass_time(job->duration > 0 ? job->duration : 1e9);
	kmp_recorder_stop(recorder);
	return result(args, job, recorder);
}
