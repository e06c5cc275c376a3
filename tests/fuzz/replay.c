// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stands in for the fuzzer in ordinary builds: hands each file named (or each file of a directory
 * named) to the target once, and prints TAP. A crash ends the run; the last line tells the file.
 */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replayed;

static void die(const char *path)
{
	fprintf(stderr, "replay: %s: %s\n", path, strerror(errno));
	exit(1);
}

static void replay_file(const char *path)
{
	FILE *in = fopen(path, "rb");
	struct stat st;

	if (!in || fstat(fileno(in), &st))
		die(path);
	/* Exactly the bytes there are, so that a read past them is seen by ASan. */
	size_t size = (size_t)st.st_size;
	uint8_t *data = malloc(size ? size : 1);

	if (!data || fread(data, 1, size, in) != size)
		die(path);
	fclose(in);
	fprintf(stderr, "replay: %s\n", path);
	LLVMFuzzerTestOneInput(data, size);
	printf("ok %d - %s\n", ++replayed, strrchr(path, '/') ? strrchr(path, '/') + 1 : path);
	fflush(stdout);
	free(data);
}

static void replay(const char *path)
{
	struct dirent **names;
	struct stat st;

	if (stat(path, &st))
		die(path);
	if (!S_ISDIR(st.st_mode)) {
		replay_file(path);
		return;
	}
	int count = scandir(path, &names, NULL, alphasort);

	if (count < 0)
		die(path);
	for (int i = 0; i < count; i++) {
		char file[4096];

		snprintf(file, sizeof(file), "%s/%s", path, names[i]->d_name);
		if (names[i]->d_name[0] != '.')
			replay(file);
		free(names[i]);
	}
	free(names);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		replay(argv[i]);
	printf("1..%d\n", replayed);
	return replayed ? 0 : 1;
}
