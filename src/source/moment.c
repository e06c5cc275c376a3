// SPDX-License-Identifier: GPL-2.0-only
/* The running machine, now. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/cleanup.h"
#include "kmemprof/kmemprof.h"

static uint64_t now_ns(clockid_t clock)
{
	struct timespec now;

	if (clock_gettime(clock, &now))
		return KMP_UNKNOWN;
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static size_t read_text(const char *path, char *to, size_t size)
{
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? 0 : read(fd, to, size - 1);

	to[len > 0 ? len : 0] = '\0';
	return len > 0 ? (size_t)len : 0;
}

/* Of /proc/meminfo, in KiB. */
static uint64_t memory(const char *text, const char *name)
{
	const char *at = strstr(text, name);
	uint64_t kib;

	return at && sscanf(at + strlen(name), " %" SCNu64, &kib) == 1 ? kib * 1024 : KMP_UNKNOWN;
}

void kmp_moment_now(struct kmp_moment *moment)
{
	char text[4096];
	struct utsname name;

	*moment = (struct kmp_moment){ .time = now_ns(CLOCK_REALTIME),
				       .uptime = now_ns(CLOCK_BOOTTIME) };
	read_text("/proc/meminfo", text, sizeof(text));
	moment->memory_total = memory(text, "MemTotal:");
	moment->memory_free = memory(text, "MemFree:");
	moment->memory_available = memory(text, "MemAvailable:");
	read_text("/proc/sys/kernel/random/boot_id", moment->boot, sizeof(moment->boot));
	moment->boot[strcspn(moment->boot, "\n")] = '\0';
	if (uname(&name))
		return;
	snprintf(moment->host, sizeof(moment->host), "%s", name.nodename);
	snprintf(moment->kernel, sizeof(moment->kernel), "%s", name.release);
}
