// SPDX-License-Identifier: GPL-2.0-only
/* What a server gives up before it answers: each case in a process of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/serve/confine.h"

static char scratch[] = "/tmp/kmp-confine-XXXXXX";
static char in_scratch[3][100];

enum { SOURCE, HISTORY, OTHER };

/* What a case does in its process: 0 if all was as it should be, or the step that was not. */
typedef int steps(void);

static void in_child(steps *case_of)
{
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (!child)
		_exit(case_of());
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static bool has_landlock(void)
{
	return syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION) > 0;
}

static bool opens(const char *directory, const char *name, int flags)
{
	char path[600];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	fd = open(path, flags | O_CLOEXEC, 0600);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static bool removes(const char *directory, const char *name)
{
	char path[600];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return !unlink(path);
}

static int nothing_is_started(void)
{
	char name[] = "true", *words[] = { name, NULL };

	serve_confine(&(struct serve_needs){ .recorder = false });
	if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
		return 1;
	if (execv("/bin/true", words) != -1 || (errno != EPERM && errno != EACCES))
		return 2;
	if (prctl(PR_GET_SECCOMP, 0, 0, 0, 0) != 2)
		return 0; /* not on this architecture */
	if (socket(AF_INET, SOCK_STREAM, 0) != -1 || errno != EPERM)
		return 3;
	if (syscall(SYS_bpf, 0, NULL, 0) != -1 || errno != EPERM)
		return 4;
	return 0;
}

static void *run(void *arg)
{
	return arg;
}

static int what_a_server_does_is_possible(void)
{
	pthread_t thread;

	serve_confine(&(struct serve_needs){ .recorder = true });
	/* The kernel's own word on a map that is none. */
	if (syscall(SYS_bpf, 1, NULL, 0) != -1)
		return 1;
	if (eventfd(0, EFD_CLOEXEC) < 0 || pthread_create(&thread, NULL, run, NULL))
		return 2;
	if (pthread_join(thread, NULL) || !opens("/proc/self", "statm", O_RDONLY))
		return 3;
	return opens(in_scratch[OTHER], "file", O_RDONLY) ? 0 : 4;
}

static int files_are_not_written(void)
{
	const char *other = in_scratch[OTHER];
	const struct serve_needs needs = { .source = in_scratch[SOURCE] };

	serve_confine(&needs);
	if (opens(other, "new", O_WRONLY | O_CREAT) || opens(other, "file", O_RDWR))
		return 1;
	if (removes(other, "file"))
		return 2;
	/* The kernel's filters are written to the file that is read. */
	if (!opens(in_scratch[SOURCE], "file", O_RDWR))
		return 3;
	return opens(in_scratch[SOURCE], "new", O_WRONLY | O_CREAT) ? 4 : 0;
}

static int what_is_needed_is_written(void)
{
	char history[200], made_socket[200];

	snprintf(history, sizeof(history), "%s/file", in_scratch[HISTORY]);
	snprintf(made_socket, sizeof(made_socket), "%s/socket", in_scratch[SOURCE]);
	serve_confine(&(struct serve_needs){ .history = history, .socket = made_socket });
	if (!opens(in_scratch[HISTORY], "file-wal", O_RDWR | O_CREAT) ||
	    !removes(in_scratch[HISTORY], "file-wal"))
		return 1;
	if (!removes(in_scratch[SOURCE], "socket"))
		return 2;
	return opens(in_scratch[SOURCE], "new", O_WRONLY | O_CREAT) ? 3 : 0;
}

static int capabilities_are_few(void)
{
	char line[200];
	FILE *status;

	serve_confine(&(struct serve_needs){ .recorder = false });
	status = fopen("/proc/thread-self/status", "re");
	while (status && fgets(line, sizeof(line), status)) {
		unsigned long long caps;

		/* Reading what is others', and the kernel's symbols. */
		if ((sscanf(line, "CapEff: %llx", &caps) == 1 ||
		     sscanf(line, "CapPrm: %llx", &caps) == 1) &&
		    (caps & ~(1ULL << 2 | 1ULL << 34)))
			return 1;
	}
	return status ? fclose(status) : 2;
}

static void test_nothing_is_started(void **state)
{
	in_child(nothing_is_started);
}

static void test_what_a_server_does_is_possible(void **state)
{
	in_child(what_a_server_does_is_possible);
}

static void test_capabilities_are_few(void **state)
{
	in_child(capabilities_are_few);
}

static void test_files(void **state)
{
	if (!has_landlock())
		skip();
	in_child(files_are_not_written);
	in_child(what_is_needed_is_written);
}

static int make_files(void **state)
{
	static const char *const names[] = { "source", "history", "other" };

	if (!mkdtemp(scratch))
		return -1;
	for (int i = 0; i < 3; i++) {
		snprintf(in_scratch[i], sizeof(in_scratch[i]), "%s/%s", scratch, names[i]);
		if (mkdir(in_scratch[i], 0700) || !opens(in_scratch[i], "file", O_RDWR | O_CREAT))
			return -1;
	}
	return opens(in_scratch[SOURCE], "socket", O_RDWR | O_CREAT) ? 0 : -1;
}

static int remove_files(void **state)
{
	removes(in_scratch[SOURCE], "socket");
	for (int i = 0; i < 3; i++) {
		removes(in_scratch[i], "file");
		rmdir(in_scratch[i]);
	}
	return rmdir(scratch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_is_started),
		cmocka_unit_test(test_what_a_server_does_is_possible),
		cmocka_unit_test(test_capabilities_are_few),
		cmocka_unit_test(test_files),
	};

	return cmocka_run_group_tests(tests, make_files, remove_files);
}
