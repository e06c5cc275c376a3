// SPDX-License-Identifier: GPL-2.0-only
/* Records that are read at some places tell what all of them would cost. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "source/probe.h"
#include "source/zones.h"

enum { PLACES = 32, BUFFER = 64 << 10, ENOUGH = 16 << 10, FILE_BYTES_A_RECORD = 8 };

struct sample {
	uint64_t records;
	uint64_t bytes;
	double seconds;
	double all; /* records there are, about */
};

static double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* The frame of this number among those that are memory. */
static uint64_t frame_at(const struct kmp_pfn_ranges *ranges, uint64_t number)
{
	uint64_t end = 0;

	for (size_t i = 0; i < ranges->ranges.len; i++) {
		const struct kmp_pfn_range *r = &ranges->ranges.data[i];

		if (number < r->count)
			return r->first + number;
		number -= r->count;
		end = r->first + r->count;
	}
	return end;
}

/* Whole records from this place on. */
static size_t read_some(int fd, uint64_t from, char *buffer)
{
	size_t len = 0;

	if (lseek(fd, (off_t)from, SEEK_SET) < 0)
		return 0;
	while (len < ENOUGH) {
		ssize_t got = read(fd, buffer + len, BUFFER - len - 1);

		if (got <= 0)
			break;
		len += (size_t)got;
	}
	buffer[len] = '\0';
	return len;
}

/* Of the frames up to `to`, those that were read stand for the rest. */
static void take_place(int fd, uint64_t from, uint64_t to, char *buffer, struct sample *s)
{
	double start = seconds_now();
	size_t len = read_some(fd, from, buffer);
	uint64_t inside = 0, last = from;

	s->seconds += seconds_now() - start;
	s->bytes += len;
	for (const char *at = buffer; (at = strstr(at, "\nPFN ")) != NULL;) {
		uint64_t pfn = strtoull(at += 5, NULL, 0);

		s->records++;
		if (pfn < from || pfn >= to)
			continue;
		inside++;
		last = pfn;
	}
	bool more = len >= ENOUGH && inside && lseek(fd, 0, SEEK_CUR) < (off_t)to;

	s->all += more ? (double)inside * (double)(to - from) / (double)(last + 1 - from)
		       : (double)inside;
}

static void take_sample(int fd, const struct kmp_pfn_ranges *ranges, struct sample *s)
{
	auto_free char *buffer = malloc(BUFFER);

	for (uint64_t i = 0; buffer && i < PLACES; i++)
		take_place(fd, frame_at(ranges, ranges->count * i / PLACES),
			   frame_at(ranges, ranges->count * (i + 1) / PLACES), buffer, s);
}

static struct kmp_error *find_ranges(struct kmp_pfn_ranges *ranges)
{
	struct kmp_zones zones cleanup(kmp_zones_deinit) = { 0 };

	try(kmp_zones_load("/proc/zoneinfo", &zones));
	return kmp_pfn_ranges_load("/proc/iomem", &zones, (uint32_t)sysconf(_SC_PAGESIZE), ranges);
}

void kmp_probe_cost(const char *page_owner, struct kmp_probe_cost *cost)
{
	struct kmp_pfn_ranges ranges cleanup(kmp_pfn_ranges_deinit) = { 0 };
	auto_fd int fd = open(page_owner, O_RDONLY | O_CLOEXEC);
	struct sample s = { 0 };
	struct kmp_error *err = find_ranges(&ranges);

	*cost = (struct kmp_probe_cost){ 0 };
	if (!err && fd >= 0)
		take_sample(fd, &ranges, &s);
	kmp_error_destroy(err);
	if (!s.records)
		return;
	*cost = (struct kmp_probe_cost){
		.sampled = s.records,
		.records = (uint64_t)s.all,
		.text_bytes = (uint64_t)(s.all * (double)s.bytes / (double)s.records),
		.file_bytes = (uint64_t)(s.all * FILE_BYTES_A_RECORD),
		.seconds = s.all * s.seconds / (double)s.records,
	};
}
