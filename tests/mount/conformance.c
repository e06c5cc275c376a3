// SPDX-License-Identifier: GPL-2.0-only
/*
 * Do files answer as Linux 7.3's page_owner and allocinfo do? For files of a mount and for those of
 * a running kernel alike:
 *
 *     conformance [--fuse] [--max-nodes N] PAGE_OWNER ALLOCINFO [COUNT_THRESHOLD]
 *
 * Nodes 0 and 1 must have memory, as in the machine whose answers are the tables here. What depends
 * on the content is worked out from the files' text. With --fuse the content must not change, and
 * what FUSE answers in the file's place is expected of FUSE. Prints TAP.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"

bool on_fuse;
long max_nodes = 64;
void *bad_pointer = (void *)8;

static int tests;
static int failed;

bool check(bool ok, const char *format, ...)
{
	va_list args;

	printf("%s %d - ", ok ? "ok" : "not ok", ++tests);
	failed += !ok;
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	return ok;
}

bool check_call(const char *what, long got, long want, int want_errno)
{
	int got_errno = got < 0 ? errno : 0;

	if (check(got == want && got_errno == want_errno, "%s -> %ld %s", what, want,
		  want_errno ? strerrorname_np(want_errno) : ""))
		return true;
	printf("#  got %ld %s\n", got, got_errno ? strerrorname_np(got_errno) : "");
	return false;
}

void die(const char *format, ...)
{
	va_list args;

	printf("Bail out! ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	exit(1);
}

int open_or_die(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC);

	if (fd < 0)
		die("%s: %s", path, strerror(errno));
	return fd;
}

const char *shown(const char *text, unsigned long len)
{
	static char buffers[4][512];
	static unsigned next;
	char *start = buffers[next++ % 4];
	char *p = start;

	for (; len && p < start + 500; text++, len--) {
		if (*text >= ' ' && *text < 127)
			*p++ = *text;
		else
			p += sprintf(p, "\\x%02x", (unsigned char)*text);
	}
	*p = '\0';
	return start;
}

int main(int argc, char **argv)
{
	int arg = 1;

	for (; arg < argc && argv[arg][0] == '-'; arg++) {
		if (!strcmp(argv[arg], "--fuse"))
			on_fuse = true;
		else if (!strcmp(argv[arg], "--max-nodes") && arg + 1 < argc)
			max_nodes = atol(argv[++arg]);
		else
			break;
	}
	if (argc - arg < 2 || argc - arg > 3) {
		fprintf(stderr,
			"usage: conformance [--fuse] [--max-nodes N] "
			"PAGE_OWNER ALLOCINFO [COUNT_THRESHOLD]\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	check_page_owner(argv[arg]);
	check_allocinfo(argv[arg + 1]);
	if (argv[arg + 2])
		check_threshold(argv[arg + 2]);
	printf("1..%d\n", tests);
	return failed != 0;
}
