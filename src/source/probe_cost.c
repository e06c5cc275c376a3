// SPDX-License-Identifier: GPL-2.0-only
/* Records that are read at some places tell what all of them would cost. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "source/probe.h"
#include "source/zones.h"

enum { PLACES = 32, BUFFER = 64 << 10, ENOUGH = 16 << 10 };

/*
 * A ledger file holds tables (stacks, tags, texts), however few the records, and of each record
 * hardly more than its time as the difference from its neighbour's, of whose bits some are told by
 * others like it. Measured on a 7.3 with 20 000 to 300 000 records: 8 % too little at most.
 */
enum { TABLE_BYTES = 192 << 10, BITS_A_BYTE = 9 };

struct sample {
	uint64_t records;
	uint64_t bytes;
	double seconds;
	uint64_t time_bits; /* of the differences between neighbours' times */
	uint64_t times;
	/* What all places hold, if each goes on as it begins. */
	double all_records;
	double all_pages;
};

static double seconds_now(void)
{
	return (double)clock_ns(CLOCK_MONOTONIC) / 1e9;
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

static void take_time(const char *header, const char *line, uint64_t *before, struct sample *s)
{
	const char *ts = memmem(header, (size_t)(line - header), "), ts ", 6);
	uint64_t time = ts ? strtoull(ts + 6, NULL, 10) : 0;

	if (*before) {
		uint64_t apart = time > *before ? time - *before : *before - time;

		s->time_bits += apart ? 64 - (uint64_t)__builtin_clzll(apart) : 0;
		s->times++;
	}
	*before = time;
}

/* Of the frames up to `to`, those that were read stand for the rest. */
static void take_place(int fd, uint64_t from, uint64_t to, char *buffer, struct sample *s)
{
	static const char header[] = "Page allocated via order ";
	double start = seconds_now();
	size_t len = read_some(fd, from, buffer);
	uint64_t inside = 0, pages = 0, end = from, time = 0;

	s->seconds += seconds_now() - start;
	s->bytes += len;
	for (const char *at = buffer; (at = strstr(at, header)) != NULL;) {
		uint64_t order = strtoull(at += sizeof(header) - 1, NULL, 10);
		const char *line = strstr(at, "\nPFN ");
		uint64_t pfn = line ? strtoull(line + 5, NULL, 0) : to;

		s->records++;
		if (line)
			take_time(at, line, &time, s);
		if (pfn < from || pfn >= to || order >= 32)
			continue;
		inside++;
		pages += 1ULL << order;
		end = pfn + (1ULL << order);
	}
	bool more = len >= ENOUGH && inside && end < to && lseek(fd, 0, SEEK_CUR) < (off_t)to;
	double times = more ? (double)(to - from) / (double)(end - from) : 1;

	s->all_records += times * (double)inside;
	s->all_pages += times * (double)pages;
}

static void take_sample(int fd, const struct kmp_pfn_ranges *ranges, struct sample *s)
{
	auto_free char *buffer = malloc(BUFFER);

	for (uint64_t i = 0; buffer && i < PLACES; i++)
		take_place(fd, frame_at(ranges, ranges->count * i / PLACES),
			   frame_at(ranges, ranges->count * (i + 1) / PLACES), buffer, s);
}

static struct kmp_error *find_ranges(struct kmp_pfn_ranges *ranges, uint64_t *used)
{
	struct kmp_zones zones cleanup(kmp_zones_deinit) = { 0 };

	try(kmp_zones_load("/proc/zoneinfo", &zones));
	*used = zones.used;
	return kmp_pfn_ranges_load("/proc/iomem", &zones, (uint32_t)sysconf(_SC_PAGESIZE), ranges);
}

/*
 * The kernel tells how many pages are in use, the places how many of them a record has. (The
 * places alone count too many where used pages lie together.)
 */
static double records_in_use(const struct sample *s, uint64_t used)
{
	return used && s->all_pages > 0 ? (double)used * s->all_records / s->all_pages
					: s->all_records;
}

void kmp_probe_cost(const char *page_owner, struct kmp_probe_cost *cost)
{
	struct kmp_pfn_ranges ranges cleanup(kmp_pfn_ranges_deinit) = { 0 };
	auto_fd int fd = open(page_owner, O_RDONLY | O_CLOEXEC);
	struct sample s = { 0 };
	uint64_t used = 0;
	struct kmp_error *err = find_ranges(&ranges, &used);

	*cost = (struct kmp_probe_cost){ 0 };
	if (!err && fd >= 0)
		take_sample(fd, &ranges, &s);
	kmp_error_destroy(err);
	if (!s.records)
		return;
	double records = records_in_use(&s, used);
	double bits = s.times ? (double)s.time_bits / (double)s.times : 0;

	*cost = (struct kmp_probe_cost){
		.sampled = s.records,
		.records = (uint64_t)records,
		.text_bytes = (uint64_t)(records * (double)s.bytes / (double)s.records),
		.file_bytes = TABLE_BYTES + (uint64_t)(records * bits / BITS_A_BYTE),
		.seconds = records * s.seconds / (double)s.records,
	};
}
