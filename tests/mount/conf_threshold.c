// SPDX-License-Identifier: GPL-2.0-only
/* page_owner_stacks/count_threshold: which numbers it takes. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tap.h"

struct number {
	const char *text;
	const char *reads; /* what the file says then; NULL: as before */
	int error;
	size_t len; /* 0: that of the text */
};

static const struct number numbers[] = {
	{ "5", "5\n", 0, 0 },
	{ "7\n", "7\n", 0, 0 },
	{ "+8", "8\n", 0, 0 },
	{ "0x10", "16\n", 0, 0 },
	{ "0X1f", "31\n", 0, 0 },
	{ "010", "8\n", 0, 0 },
	{ "18446744073709551615", "18446744073709551615\n", 0, 0 },
	{ "-1", NULL, EINVAL, 0 },
	{ "5 x", NULL, EINVAL, 0 },
	{ "5 ", NULL, EINVAL, 0 },
	{ " 5", NULL, EINVAL, 0 },
	{ "5\n\n", NULL, EINVAL, 0 },
	{ "x", NULL, EINVAL, 0 },
	{ "0x", NULL, EINVAL, 0 },
	{ "08", NULL, EINVAL, 0 },
	{ "++5", NULL, EINVAL, 0 },
	{ "+", NULL, EINVAL, 0 },
	{ "\n", NULL, EINVAL, 0 },
	{ "\0", NULL, EINVAL, 1 },
	{ "6\0garbage", "6\n", 0, 9 },
	{ "18446744073709551616", NULL, ERANGE, 0 },
	{ "99999999999999999999", NULL, ERANGE, 0 },
	{ "99999999999999999999 x", NULL, ERANGE, 0 },
	/* Only 23 bytes are looked at. */
	{ "00000000000000000000005", "5\n", 0, 0 },
	{ "000000000000000000000012", "1\n", 0, 0 },
	{ "00000000000000000000003garbage", "3\n", 0, 0 },
	{ "0", "0\n", 0, 0 },
};

static void check_reads(int fd, const char *what, const char *want)
{
	char text[64];
	ssize_t len = read(fd, text, sizeof(text));

	if (!check(len == (ssize_t)strlen(want) && !memcmp(text, want, (size_t)len),
		   "%s reads \"%s\"", what, shown(want, strlen(want))))
		printf("#  got %zd \"%s\"\n", len, len > 0 ? shown(text, (size_t)len) : "");
}

static void check_number(const char *path, const struct number *number, const char *want)
{
	size_t len = number->len ? number->len : strlen(number->text);
	int fd = open_or_die(path, O_WRONLY);
	char what[600];

	snprintf(what, sizeof(what), "threshold \"%s\"", shown(number->text, len));
	check_call(what, write(fd, number->text, len), number->error ? -1 : (long)len,
		   number->error);
	close(fd);
	fd = open_or_die(path, O_RDONLY);
	check_reads(fd, "  it", want);
	close(fd);
}

void check_threshold(const char *path)
{
	const char *now = "0\n";

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		if (numbers[i].reads)
			now = numbers[i].reads;
		check_number(path, &numbers[i], now);
	}

	int fd = open_or_die(path, O_RDWR);

	check_call("threshold \"12\"", write(fd, "12", 2), 2, 0);
	check_reads(fd, "  the same descriptor", "12\n");
	check_reads(fd, "  and then", "");
	/* FUSE does not pass on a write of nothing. */
	check_call("threshold \"\"", write(fd, "", 0), on_fuse ? 0 : -1, on_fuse ? 0 : EINVAL);
	check_call("back to 0", write(fd, "0", 1), 1, 0);
	close(fd);
}
