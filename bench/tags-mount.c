// SPDX-License-Identifier: GPL-2.0-only
/*
 * The same through a mount: 8000 tags on 224 CPUs, every CPU having counted every tag, are served
 * at DIR, and a client asks by ioctl, reads the text and looks for lines in it, and runs grep and
 * awk. Prints the medians in microseconds, a line each: what, time, found.
 *
 *     tags-mount FILE DIR
 */
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "format/allocinfo_uapi.h"
#include "serve/fuse.h"
#include "tags-common.h"

static char path[4096];
static char buf[READ];

static int open_file(void)
{
	int fd = open(path, O_RDONLY);

	if (fd < 0) {
		perror(path);
		exit(1);
	}
	return fd;
}

static uint64_t read_text(const char *word, const struct kmp_allocinfo_filter *filter)
{
	int fd = open_file();
	uint64_t found = 0;
	ssize_t got;

	(void)filter;
	while ((got = read(fd, buf, sizeof(buf))) > 0) {
		const char *at = buf, *end = buf + got;

		while ((at = memmem(at, (size_t)(end - at), word, strlen(word)))) {
			found++;
			at += strlen(word);
		}
	}
	close(fd);
	return found;
}

static uint64_t run_command(const char *program, const struct kmp_allocinfo_filter *filter)
{
	char command[5000];
	char line[64] = "";

	(void)filter;
	snprintf(command, sizeof(command), "exec %s %s", program, path);
	FILE *out = popen(command, "r");

	if (!out || !fgets(line, sizeof(line), out))
		exit(1);
	pclose(out);
	return strtoull(line, NULL, 10);
}

static uint64_t ask(const char *word, const struct kmp_allocinfo_filter *filter)
{
	struct kmp_allocinfo_content_id before, after;
	struct kmp_allocinfo_get_at get = { .filter = *filter };
	uint64_t found = 0;
	int fd = open_file();

	(void)word;
	ioctl(fd, KMP_ALLOCINFO_IOC_CONTENT_ID, &before);
	int result = ioctl(fd, KMP_ALLOCINFO_IOC_GET_AT, &get);

	for (; !result; found++)
		result = ioctl(fd, KMP_ALLOCINFO_IOC_GET_NEXT, &get.data);
	ioctl(fd, KMP_ALLOCINFO_IOC_CONTENT_ID, &after);
	close(fd);
	return found;
}

static void measure(const char *what,
		    uint64_t (*run)(const char *, const struct kmp_allocinfo_filter *),
		    const char *word, const struct kmp_allocinfo_filter *filter)
{
	double times[RUNS];
	uint64_t found = 0;

	for (int i = 0; i < RUNS; i++) {
		double start = now();

		found = run(word, filter);
		times[i] = now() - start;
	}
	qsort(times, RUNS, sizeof(*times), by_value);
	printf("%s %.1f %llu\n", what, times[RUNS / 2], (unsigned long long)found);
}

static void measure_all(void)
{
	struct kmp_allocinfo_filter one = { .mask = KMP_ALLOCINFO_FILENAME,
					    .fields.filename = "mm/mincore.c" };
	struct kmp_allocinfo_filter eight = { .mask = KMP_ALLOCINFO_FILENAME,
					      .fields.filename = "mm/memory.c" };
	struct kmp_allocinfo_filter size = { .mask = KMP_ALLOCINFO_MIN_SIZE, .min_size = 64 << 20 };

	measure("grep", run_command, "grep -c ' mm/memory.c:'", NULL);
	measure("awk", run_command, "awk '$1 + 0 >= 67108864 { n++ } END { print n }'", NULL);
	measure("text", read_text, " mm/memory.c:", NULL);
	measure("one", ask, NULL, &one);
	measure("eight", ask, NULL, &eight);
	measure("size", ask, NULL, &size);
}

int main(int argc, char **argv)
{
	static const struct kmp_served_ops ops; /* nothing moves */
	struct kmp_served served = { .ops = &ops };
	struct kmp_fuse *fuse;
	int status;

	if (argc != 3)
		return 2;
	snprintf(path, sizeof(path), "%s/allocinfo", argv[2]);
	served.tags = fill(argv[1], true);
	must(kmp_fuse_create(&served, argv[2], "bench", &fuse));
	pid_t client = fork();

	if (client == 0) {
		measure_all();
		fflush(stdout);
		kmp_error_destroy(kmp_unmount(argv[2]));
		_exit(0);
	}
	must(kmp_fuse_serve(fuse));
	waitpid(client, &status, 0);
	kmp_fuse_destroy(fuse);
	kmp_tags_destroy(served.tags);
	return status != 0;
}
