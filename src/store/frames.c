// SPDX-License-Identifier: GPL-2.0-only
#include "store/frames.h"

#include <inttypes.h>
#include <stdio.h>

enum {
	SURROGATES = 0xd800,
	SURROGATE_COUNT = 0x800,
	NONCHARACTERS = 0xfffe,
	NONCHARACTER_COUNT = 2,
	CODE_MAX = 0x10ffff
};

/* `0x` and up to 16 lower-case digits without leading zeros; the end, or NULL. */
static const char *scan_hex(const char *p, const char *end, uint64_t *value)
{
	const char *start = p + 2;
	uint64_t v = 0;

	if (end - p < 3 || p[0] != '0' || p[1] != 'x' ||
	    (p[2] == '0' && p + 3 < end && (p[3] != '/' && p[3] != ' ')))
		return NULL;
	for (p = start; p < end && p - start < 16; p++) {
		if (*p >= '0' && *p <= '9')
			v = v << 4 | (uint64_t)(*p - '0');
		else if (*p >= 'a' && *p <= 'f')
			v = v << 4 | (uint64_t)(*p - 'a' + 10);
		else
			break;
	}
	*value = v;
	/* SQLite's numbers are signed. */
	return p > start && !(v >> 63) ? p : NULL;
}

void kmp_frame_split(const char *text, size_t len, struct kmp_frame_parts *parts)
{
	const char *end = text + len;
	const char *plus = memrchr(text, '+', len);

	*parts = (struct kmp_frame_parts){ .function = text, .function_len = len };
	if (!plus)
		return;
	const char *p = scan_hex(plus + 1, end, &parts->offset);

	if (!p || p == end || *p != '/')
		return;
	p = scan_hex(p + 1, end, &parts->size);
	if (!p)
		return;
	if (p != end) {
		if (end - p < 3 || p[0] != ' ' || p[1] != '[' || end[-1] != ']')
			return;
		parts->module = p + 2;
		parts->module_len = (size_t)(end - 1 - parts->module);
	}
	parts->function_len = (size_t)(plus - text);
	parts->split = true;
}

struct kmp_error *kmp_frame_join(const struct kmp_frame_parts *parts, kmp_bytes *bytes)
{
	char numbers[64];

	bytes->len = 0;
	try(vec_append(bytes, parts->function, parts->function_len));
	if (!parts->split)
		return NULL;
	int n = snprintf(numbers, sizeof(numbers), "+0x%" PRIx64 "/0x%" PRIx64, parts->offset,
			 parts->size);

	try(vec_append(bytes, numbers, (size_t)n));
	if (!parts->module)
		return NULL;
	try(vec_append(bytes, " [", 2));
	try(vec_append(bytes, parts->module, parts->module_len));
	return vec_push(bytes, ']');
}

struct kmp_error *kmp_trace_append(kmp_bytes *trace, uint32_t id)
{
	uint32_t code = id;

	if (code >= SURROGATES)
		code += SURROGATE_COUNT;
	if (code >= NONCHARACTERS)
		code += NONCHARACTER_COUNT;
	if (code > CODE_MAX || id > CODE_MAX)
		return kmp_error_new(KMP_ERROR_LIMIT,
				     "more distinct frames than a ledger file can hold");
	if (code < 0x80)
		return vec_push(trace, (char)code);
	unsigned more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
	static const unsigned char lead[] = { 0, 0xc0, 0xe0, 0xf0 };

	try(vec_push(trace, (char)(lead[more] | code >> (6 * more))));
	while (more--)
		try(vec_push(trace, (char)(0x80 | (code >> (6 * more) & 0x3f))));
	return NULL;
}

size_t kmp_trace_next(const char *bytes, size_t len, uint32_t *id)
{
	const unsigned char *p = (const unsigned char *)bytes;
	unsigned more = !len	      ? 4
			: p[0] < 0x80 ? 0
			: p[0] < 0xc0 ? 4
			: p[0] < 0xe0 ? 1
			: p[0] < 0xf0 ? 2
			: p[0] < 0xf8 ? 3
				      : 4;

	if (more >= len || more > 3)
		return 0;
	uint32_t code = more ? p[0] & (0x3fu >> more) : p[0];

	for (unsigned i = 1; i <= more; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (p[i] & 0x3f);
	}
	if (code > NONCHARACTERS)
		code -= NONCHARACTER_COUNT;
	if (code > SURROGATES)
		code -= SURROGATE_COUNT;
	*id = code;
	return more + 1;
}
