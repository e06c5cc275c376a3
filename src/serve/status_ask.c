// SPDX-License-Identifier: GPL-2.0-only
/* What the server of a mount has lost, asked by another process. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"

enum { PATIENCE_MS = 3000, TEXT_MAX = 64 << 10 };

static _Noreturn void copy(const char *path, int to)
{
	char bytes[4096];
	int from = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len = from < 0 ? -1 : 0;

	while (from >= 0 && (len = read(from, bytes, sizeof(bytes))) > 0) {
		if (write(to, bytes, (size_t)len) != len)
			_exit(EIO);
	}
	_exit(len ? errno : 0);
}

/* All that comes before the end. False if it does not end in time. */
static bool collect(int from, char text[TEXT_MAX])
{
	struct pollfd ready = { .fd = from, .events = POLLIN };
	size_t len = 0;

	for (;;) {
		if (poll(&ready, 1, PATIENCE_MS) <= 0)
			return false;
		ssize_t got = read(from, text + len, TEXT_MAX - 1 - len);

		if (got <= 0)
			break;
		len += (size_t)got;
	}
	text[len] = '\0';
	return true;
}

/* A server that hangs makes whoever reads hang: a child does, which can be left behind. */
static struct kmp_error *read_status(const char *path, char text[TEXT_MAX])
{
	int ends[2], status = 0;

	if (pipe2(ends, O_CLOEXEC))
		return kmp_error_system(errno, NULL, "cannot make a pipe");
	pid_t pid = fork();

	if (!pid)
		copy(path, ends[1]);
	close(ends[1]);
	auto_fd int from = ends[0];

	if (pid < 0)
		return kmp_error_system(errno, NULL, "cannot start a process");
	if (!collect(from, text)) {
		kill(pid, SIGKILL);
		return kmp_error_system(0, path, "its server does not answer");
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		return kmp_error_system(WIFEXITED(status) ? WEXITSTATUS(status) : 0, path,
					"cannot read");
	return NULL;
}

struct kmp_error *kmp_mount_ask(const char *dir, struct kmp_ledger *ledger)
{
	static const char dropped[] = "dropped: ", loss[] = "loss: ";
	auto_free char *path = NULL;
	auto_free char *text = malloc(TEXT_MAX);
	char *save;

	if (asprintf(&path, "%s/kmemprof_status", dir) < 0) {
		path = NULL;
		return &kmp_error_no_memory;
	}
	if (!text)
		return &kmp_error_no_memory;
	try(read_status(path, text));
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (!strncmp(line, dropped, strlen(dropped)))
			kmp_ledger_add_losses(ledger, strtoull(line + strlen(dropped), NULL, 10),
					      0);
		else if (!strncmp(line, loss, strlen(loss)))
			try(kmp_ledger_warn(ledger, "%s", line + strlen(loss)));
	}
	return NULL;
}
