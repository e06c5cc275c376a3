// SPDX-License-Identifier: GPL-2.0-only
#include "format/frame.h"

#include <ctype.h>
#include <string.h>

static void trim(const char **line, size_t *len)
{
	while (*len && isspace((unsigned char)**line)) {
		(*line)++;
		(*len)--;
	}
	while (*len && isspace((unsigned char)(*line)[*len - 1]))
		(*len)--;
}

/* Hexadecimal digits at p, at most 16; how many. */
static size_t scan_hex(const char *p, size_t len, uint64_t *value)
{
	size_t n = 0;

	*value = 0;
	for (; n < len && n < 16 && isxdigit((unsigned char)p[n]); n++) {
		int c = tolower((unsigned char)p[n]);

		*value = *value << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
	}
	return n;
}

/* `[<hex>] ` or `[0xhex] ` at the start; how many bytes. */
static size_t scan_address(const char *line, size_t len, uint64_t *address)
{
	size_t start;
	const char *close;

	if (len > 3 && !memcmp(line, "[<", 2)) {
		start = 2;
		close = ">]";
	} else if (len > 4 && !memcmp(line, "[0x", 3)) {
		start = 3;
		close = "]";
	} else {
		return 0;
	}
	size_t digits = scan_hex(line + start, len - start, address);
	size_t end = start + digits;

	if (!digits || len - end < strlen(close) || memcmp(line + end, close, strlen(close)) != 0)
		return 0;
	end += strlen(close);
	while (end < len && line[end] == ' ')
		end++;
	return end;
}

struct kmp_error *kmp_frame_add(struct kmp_ledger *ledger, const char *line, size_t len,
				uint32_t *number, bool *has_address)
{
	uint64_t address = 0;

	trim(&line, &len);
	size_t skip = scan_address(line, len, &address);

	*has_address = skip != 0;
	if (skip && address == UINT64_MAX) {
		*number = KMP_NONE;
		return NULL;
	}
	try(kmp_ledger_add_text(ledger, KMP_DICT_FRAME, line + skip, len - skip, number));
	if (skip && !kmp_ledger_frame_address(ledger, *number))
		try(kmp_ledger_set_address(ledger, *number, address));
	return NULL;
}

/* `name (file.c:12`, as decode_stacktrace.sh has it; the name is line[0..word). */
static bool has_place(const char *line, size_t word, size_t len)
{
	if (!word || len - word < 3 || line[word + 1] != '(')
		return false;
	const char *file = line + word + 2, *end = line + len;
	const char *stop = memchr(file, ' ', (size_t)(end - file));
	const char *colon = memchr(file, ':', (size_t)((stop ? stop : end) - file));

	return colon && colon > file && colon + 1 < end && isdigit((unsigned char)colon[1]);
}

bool kmp_frame_looks_like(const char *line, size_t len)
{
	uint64_t address;

	trim(&line, &len);
	size_t skip = scan_address(line, len, &address);

	line += skip;
	len -= skip;
	if (!len)
		return false;
	if (skip || !memcmp(line, "(null)", len < 6 ? len : 6))
		return true;
	if (len > 2 && !memcmp(line, "0x", 2))
		return scan_hex(line + 2, len - 2, &address) > 0;

	const char *end = memchr(line, ' ', len);
	size_t word = end ? (size_t)(end - line) : len;
	const char *plus = memrchr(line, '+', word);

	if (end && has_place(line, word, len))
		return true;
	return plus && plus > line && plus + 1 < line + word && isdigit((unsigned char)plus[1]);
}
