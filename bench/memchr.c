// SPDX-License-Identifier: GPL-2.0-only
/*
 * The limit of all readers: read() a file in pieces that fit the cache and look at each byte once,
 * with memchr() for one that is not there.
 *
 *     memchr FILE
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	static char piece[256 << 10];
	int fd = argc == 2 ? open(argv[1], O_RDONLY) : -1;
	size_t found = 0;
	ssize_t got;

	if (fd < 0) {
		fputs("usage: memchr FILE\n", stderr);
		return 2;
	}
	while ((got = read(fd, piece, sizeof(piece))) > 0)
		found += memchr(piece, 1, (size_t)got) != NULL;
	printf("%zu\n", found);
	return got < 0;
}
