// SPDX-License-Identifier: GPL-2.0-only
/* Records that are read at some places tell what all of them would cost. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "source/probe.h"

enum { PLACES = 16, READS = 8, BUFFER = 64 << 10, FILE_BYTES_A_RECORD = 8 };

struct sample {
	uint64_t records;
	uint64_t pages;
	uint64_t bytes;
	double seconds;
};

static double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void count_records(char *text, size_t len, struct sample *s)
{
	static const char word[] = "Page allocated via order ";

	text[len] = '\0';
	for (char *at = text; (at = strstr(at, word)) != NULL;) {
		at += sizeof(word) - 1;
		unsigned long order = strtoul(at, NULL, 10);

		s->records++;
		s->pages += UINT64_C(1) << (order < 32 ? order : 0);
	}
	s->bytes += len;
}

/* Of this line of meminfo, in bytes. */
static uint64_t meminfo(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	return at ? strtoull(at + strlen(name), NULL, 10) * 1024 : 0;
}

static bool read_meminfo(uint64_t *total, uint64_t *used)
{
	char text[4096];
	auto_fd int fd = open("/proc/meminfo", O_RDONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (len <= 0)
		return false;
	text[len] = '\0';
	*total = meminfo(text, "MemTotal:");
	*used = *total - meminfo(text, "MemFree:");
	return *used <= *total;
}

/* A place that lies in a hole is passed over to what comes behind it. */
static void take_sample(int fd, uint64_t pages, char *buffer, struct sample *s)
{
	for (unsigned place = 0; place < PLACES; place++) {
		lseek(fd, (off_t)(pages / PLACES * place), SEEK_SET);
		double start = seconds_now();
		size_t len = 0;

		for (int i = 0; i < READS && len < BUFFER / 2; i++) {
			ssize_t got = read(fd, buffer + len, BUFFER - len - 1);

			if (got <= 0)
				break;
			len += (size_t)got;
		}
		s->seconds += seconds_now() - start;
		count_records(buffer, len, s);
	}
}

void kmp_probe_cost(const char *page_owner, struct kmp_probe_cost *cost)
{
	uint64_t page_size = (uint64_t)sysconf(_SC_PAGESIZE);
	auto_fd int fd = open(page_owner, O_RDONLY | O_CLOEXEC);
	auto_free char *buffer = malloc(BUFFER);
	struct sample s = { 0 };
	uint64_t total, used;

	*cost = (struct kmp_probe_cost){ 0 };
	if (fd < 0 || !buffer || !read_meminfo(&total, &used))
		return;
	take_sample(fd, total / page_size, buffer, &s);
	if (!s.records || !s.pages)
		return;
	double records = (double)(used / page_size) * (double)s.records / (double)s.pages;

	*cost = (struct kmp_probe_cost){
		.sampled = s.records,
		.records = (uint64_t)records,
		.text_bytes = (uint64_t)(records * (double)s.bytes / (double)s.records),
		.file_bytes = (uint64_t)(records * FILE_BYTES_A_RECORD),
		.seconds = records * s.seconds / (double)s.records,
	};
}
