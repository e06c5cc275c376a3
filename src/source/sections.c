// SPDX-License-Identifier: GPL-2.0-only
/* Where there is memory: System RAM of /proc/iomem. */
#include <inttypes.h>

#include "base/cleanup.h"
#include "base/lines.h"
#include "source/recorder.h"

DEFINE_CLEANUP(input, struct kmp_input *, kmp_input_destroy)
DEFINE_CLEANUP(lines, struct kmp_lines *, kmp_lines_destroy)

static struct kmp_error *add(struct kmp_sections *s, uint64_t first, uint64_t last)
{
	for (uint64_t n = first; n <= last; n++) {
		if (n > UINT32_MAX / 2)
			return kmp_error_new(KMP_ERROR_LIMIT, "memory at too high an address");
		if (s->numbers.len && s->numbers.data[s->numbers.len - 1] >= n)
			continue;
		try(vec_push(&s->numbers, (uint32_t)n));
		s->last = (uint32_t)n;
	}
	return NULL;
}

struct kmp_error *kmp_sections_find(struct kmp_sections *s)
{
	static const char path[] = "/proc/iomem";
	struct kmp_input *input cleanup(cleanup_input) = NULL;
	struct kmp_lines *lines cleanup(cleanup_lines) = NULL;
	const int shift = 12 + RECORD_SECTION_SHIFT;

	*s = (struct kmp_sections){ 0 };
	try(kmp_input_open(path, &input));
	try(kmp_lines_create(input, &lines));
	for (;;) {
		const char *line;
		size_t len;
		uint64_t from, to;

		try(kmp_lines_next(lines, &line, &len));
		if (!line)
			break;
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " : System RAM", &from, &to) != 2 ||
		    !strstr(line, "System RAM") || !to)
			continue;
		try(add(s, from >> shift, to >> shift));
	}
	if (s->numbers.len)
		return NULL;
	return kmp_error_input(path, 0, NULL, 0, "tells no addresses: CAP_SYS_ADMIN is missing");
}

void kmp_sections_deinit(struct kmp_sections *s)
{
	vec_deinit(&s->numbers);
}
