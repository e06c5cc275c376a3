// SPDX-License-Identifier: GPL-2.0-only
#include "format/utf8.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

struct range {
	uint32_t from;
	uint32_t to;
};

static const struct range zero_width[] = {
	{ 0x0300, 0x036f }, { 0x0483, 0x0489 }, { 0x0591, 0x05bd },
	{ 0x064b, 0x065f }, { 0x1ab0, 0x1aff }, { 0x1dc0, 0x1dff },
	{ 0x20d0, 0x20ff }, { 0xfe00, 0xfe0f }, { 0xfe20, 0xfe2f },
};

static const struct range double_width[] = {
	{ 0x1100, 0x115f },   { 0x2e80, 0x303e },   { 0x3041, 0xa4cf },	  { 0xac00, 0xd7a3 },
	{ 0xf900, 0xfaff },   { 0xfe30, 0xfe6f },   { 0xff00, 0xff60 },	  { 0xffe0, 0xffe6 },
	{ 0x1f300, 0x1f64f }, { 0x1f680, 0x1f6ff }, { 0x1f900, 0x1f9ff }, { 0x20000, 0x3fffd },
};

/* Invisible, or turning the text around them: what makes a name look like another one. */
static const struct range deceptive[] = {
	{ 0x0080, 0x009f }, { 0x00ad, 0x00ad }, { 0x061c, 0x061c },
	{ 0x200b, 0x200f }, { 0x2028, 0x202e }, { 0x2060, 0x206f },
	{ 0xfeff, 0xfeff }, { 0xfff9, 0xfffb }, { 0xfffe, 0xffff },
};

#define within(cp, ranges) in_ranges(cp, ranges, sizeof(ranges) / sizeof((ranges)[0]))

static bool in_ranges(uint32_t cp, const struct range *ranges, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (cp >= ranges[i].from && cp <= ranges[i].to)
			return true;
	}
	return false;
}

unsigned kmp_utf8_decode(const char *text, size_t len, uint32_t *cp)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *p = (const unsigned char *)text;
	unsigned n = p[0] < 0x80 ? 1 : p[0] < 0xc0 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;

	if (n == 0 || n > len || p[0] > 0xf4)
		return 0;
	if (n == 1) {
		*cp = p[0];
		return 1;
	}
	uint32_t value = p[0] & (0x7fU >> n);
	for (unsigned i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		value = value << 6 | (p[i] & 0x3f);
	}
	if (value < least[n] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
		return 0;
	*cp = value;
	return n;
}

bool kmp_utf8_valid(const char *text, size_t len)
{
	uint32_t cp;

	for (size_t i = 0; i < len;) {
		unsigned n = kmp_utf8_decode(text + i, len - i, &cp);

		if (!n)
			return false;
		i += n;
	}
	return true;
}

unsigned kmp_utf8_width(uint32_t cp)
{
	if (cp < 0x300)
		return 1;
	return within(cp, zero_width) ? 0 : within(cp, double_width) ? 2 : 1;
}

size_t kmp_utf8_columns(const char *text, size_t len)
{
	size_t columns = 0;
	uint32_t cp;

	for (size_t i = 0; i < len;) {
		unsigned n = kmp_utf8_decode(text + i, len - i, &cp);

		columns += n ? kmp_utf8_width(cp) : 1;
		i += n ? n : 1;
	}
	return columns;
}

static struct kmp_error *append_escaped(struct kmp_buf *buf, uint32_t cp)
{
	switch (cp) {
	case '\n':
		return vec_append(buf, "\\n", 2);
	case '\t':
		return vec_append(buf, "\\t", 2);
	case '\r':
		return vec_append(buf, "\\r", 2);
	case '\\':
		return vec_append(buf, "\\\\", 2);
	default:
		return kmp_buf_printf(buf, cp < 0x80 ? "\\x%02x" : "\\u%04x", cp);
	}
}

struct kmp_error *kmp_visible_append(struct kmp_buf *buf, const char *text, size_t len)
{
	uint32_t cp;

	for (size_t i = 0; i < len;) {
		size_t plain = i;

		while (plain < len && text[plain] >= 0x20 && text[plain] < 0x7f &&
		       text[plain] != '\\')
			plain++;
		try(vec_append(buf, text + i, plain - i));
		i = plain;
		if (i == len)
			break;
		unsigned n = kmp_utf8_decode(text + i, len - i, &cp);
		if (!n)
			try(kmp_buf_printf(buf, "\\x%02x", (unsigned char)text[i]));
		else if (cp < 0x80 || within(cp, deceptive))
			try(append_escaped(buf, cp));
		else
			try(vec_append(buf, text + i, n));
		i += n ? n : 1;
	}
	return NULL;
}

struct kmp_error *kmp_buf_printf(struct kmp_buf *buf, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	int need = vsnprintf(NULL, 0, fmt, args);
	va_end(args);
	if (need < 0)
		return &kmp_error_no_memory;
	try(vec_reserve(buf, (size_t)need + 1));
	va_start(args, fmt);
	vsnprintf(buf->data + buf->len, (size_t)need + 1, fmt, args);
	va_end(args);
	buf->len += (size_t)need;
	return NULL;
}

const char *kmp_size_print(char buf[KMP_SIZE_TEXT], int64_t bytes, bool exact, bool sign)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	uint64_t size = bytes < 0 ? -(uint64_t)bytes : (uint64_t)bytes;
	const char *mark = bytes < 0 ? "-" : sign && bytes > 0 ? "+" : "";
	uint64_t tenths = 0;
	unsigned unit = 0;

	if (exact) {
		snprintf(buf, KMP_SIZE_TEXT, "%s%" PRIu64, mark, size);
		return buf;
	}
	while (unit < 6 && (unit ? tenths >= 10240 : size >= 1024)) {
		unit++;
		tenths = (uint64_t)(((unsigned __int128)size * 10 + (1ULL << (10 * unit - 1))) >>
				    (10 * unit));
	}
	if (unit)
		snprintf(buf, KMP_SIZE_TEXT, "%s%" PRIu64 ".%u %s", mark, tenths / 10,
			 (unsigned)(tenths % 10), units[unit]);
	else
		snprintf(buf, KMP_SIZE_TEXT, "%s%" PRIu64 " B", mark, size);
	return buf;
}
