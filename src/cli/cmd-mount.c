// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "cli/commands.h"
#include "cli/common.h"
#include "cli/kernel.h"
#include "cli/record.h"

DEFINE_CLEANUP(ledger, struct kmp_ledger *, kmp_ledger_destroy)
DEFINE_CLEANUP(mount, struct kmp_mount *, kmp_mount_destroy)
DEFINE_CLEANUP(recorder, struct kmp_recorder *, kmp_recorder_destroy)

static void report(struct cli_args *args, const struct kmp_ledger *ledger)
{
	for (size_t i = 0; i < kmp_ledger_count(ledger, KMP_LIST_WARNINGS); i++) {
		const char *warning = kmp_ledger_warning(ledger, i);

		cli_report_losses(args, &(struct kmp_losses){ .first_reason = "" }, &warning, 1);
	}
	cli_report_losses(args, kmp_ledger_losses(ledger), NULL, 0);
}

/* The mount is there: let go of the terminal and go on as a process of its own. */
static struct kmp_error *leave_terminal(bool *parent)
{
	pid_t pid = fork();

	if (pid < 0)
		return kmp_error_system(errno, NULL, "cannot go to the background");
	*parent = pid > 0;
	if (*parent)
		return NULL;
	setsid();
	auto_fd int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0 || chdir("/"))
		return kmp_error_system(errno, NULL, "cannot go to the background");
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	return NULL;
}

/* Who has no terminal tells the system's log. */
static void log_loss(void *arg, const char *line)
{
	syslog(LOG_WARNING, "%s: %s", (const char *)arg, line);
}

static void print_loss(void *arg, const char *line)
{
	fprintf(stderr, "kmemprof: warning: %s: %s\n", (const char *)arg, line);
}

/* What a recording has lost in all. */
static struct kmp_error *tell_losses(struct cli_args *args, struct kmp_mount *mount, bool here)
{
	struct kmp_ledger *ledger cleanup(cleanup_ledger) = NULL;
	try(kmp_ledger_create(&ledger));
	try(kmp_mount_losses(mount, ledger));
	if (here) {
		report(args, ledger);
		return NULL;
	}
	if (kmp_ledger_count(ledger, KMP_LIST_WARNINGS))
		log_loss(args->rest[0], "the mount has ended; lost in all:");
	for (size_t i = 0; i < kmp_ledger_count(ledger, KMP_LIST_WARNINGS); i++)
		log_loss(args->rest[0], kmp_ledger_warning(ledger, i));
	return NULL;
}

/* Serve what is mounted, here or in the background. */
static struct kmp_error *serve(struct cli_args *args, struct kmp_mount *mount)
{
	bool here = cli_value(args, "foreground");
	bool parent = false;

	report(args, kmp_mount_ledger(mount));
	if (!here)
		try(leave_terminal(&parent));
	if (parent) {
		/* The child has the mount now. */
		fflush(NULL);
		_exit(args->status);
	}
	if (!here)
		openlog("kmemprof", LOG_PID, LOG_DAEMON);
	kmp_mount_on_loss(mount, here ? print_loss : log_loss, args->rest[0]);
	try(kmp_mount_serve(mount));
	return tell_losses(args, mount, here);
}

static struct kmp_error *mount_live(struct cli_args *args)
{
	struct kmp_recorder *recorder cleanup(cleanup_recorder) = NULL;
	struct kmp_mount *mount cleanup(cleanup_mount) = NULL;
	struct cli_record job cleanup(cli_record_deinit) = { 0 };

	try(cli_record_live(args, &job));
	job.options.what = cli_record_what(args);
	try(kmp_recorder_create(&job.options, &recorder));
	try(kmp_mount_create_live(args->rest[0], recorder, &mount));
	try(kmp_recorder_start(recorder));
	return serve(args, mount);
}

static struct kmp_error *run_mount(struct cli_args *args)
{
	struct kmp_mount *mount cleanup(cleanup_mount) = NULL;
	const char *source = cli_value(args, "source");
	struct kmp_source_options options = { 0 };
	const char *missing = NULL;

	if (source && !strcmp(source, "live"))
		return mount_live(args);
	try(cli_record_refuse(args));
	if (!source || !strcmp(source, "kernel"))
		try(cli_kernel_choose(&source, &missing));
	try(kmp_mount_create(args->rest[0], source, &options, &mount));
	try(cli_kernel_check_read(kmp_mount_ledger(mount), missing));
	if (missing)
		fprintf(stderr, "kmemprof: warning: no page owners: %s\n", missing);
	return serve(args, mount);
}

const struct cli_command cmd_mount = {
	.name = "mount",
	.summary = "serves the kernel's page_owner and allocinfo files from any source",
	.synopsis = "DIR",
	.details =
		"DIR then holds page_owner, page_owner_stacks/ and allocinfo, which are read,\n"
		"written and asked as those of Linux 7.3: filters, handles, positions and\n"
		"ioctls. 'kmemprof umount DIR', SIGINT or SIGTERM end it. With --source live\n"
		"they show what is being recorded, as record does, while it changes: page_owner,\n"
		"or allocinfo with --tags, or both with --pages --tags.\n",
	.options =
		(const struct cli_option[]){
			{ "source", 's', "FILE",
			  "text dump, directory or ledger file; the running kernel if not told; "
			  "live: record" },
			{ "foreground", 'F', NULL, "stay, do not go to the background" },
			{ "pages", 'P', NULL, "live: page owners: what is recorded unless told" },
			{ "tags", 't', NULL,
			  "live: allocinfo; page_owner is then empty without --pages" },
			{ "all", 'a', NULL, "live: the whole machine" },
			{ "pid", 'p', "LIST", "live: only these processes: 1,200" },
			{ "cgroup", 'c', "DIR",
			  "live: only tasks below this directory of cgroup 2" },
			{ "stack-depth", 'D', "N", "live: frames kept of a stack, at most 32; 16" },
			{ "max-stacks", 0, "N", "live: different stacks there is room for; 65536" },
			{ "max-tasks", 0, "N",
			  "live: tasks that hold memory there is room for; 12288" },
			{ "max-tags", 0, "N",
			  "live: different call sites there is room for; 16384" },
			{ "max-objects", 0, "N",
			  "live: kernel objects there is room for; 1048576" },
			{ 0 },
		},
	.min_args = 1,
	.max_args = 1,
	.run = run_mount,
};

static struct kmp_error *run_umount(struct cli_args *args)
{
	struct kmp_ledger *ledger cleanup(cleanup_ledger) = NULL;

	try(kmp_ledger_create(&ledger));
	struct kmp_error *unknown = kmp_mount_ask(args->rest[0], ledger);
	struct kmp_error *err = kmp_unmount(args->rest[0]);

	if (!err) {
		if (unknown)
			fprintf(stderr, "kmemprof: warning: %s: its server %s\n", args->rest[0],
				unknown->errnum == ENOTCONN ? "had ended"
							    : "did not tell what was lost");
		report(args, ledger);
	}
	kmp_error_destroy(unknown);
	return err;
}

const struct cli_command cmd_umount = {
	.name = "umount",
	.summary = "ends a mount, also one whose server has crashed",
	.synopsis = "DIR",
	.details =
		"If a recording was mounted that has lost something, that is said and the exit\n"
		"status is 3, as record has it.\n",
	.options = (const struct cli_option[]){ { 0 } },
	.min_args = 1,
	.max_args = 1,
	.run = run_umount,
};
