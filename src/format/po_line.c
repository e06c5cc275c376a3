// SPDX-License-Identifier: GPL-2.0-only
#include "format/po_line.h"

#include <ctype.h>

#include "base/scan.h"
#include "format/log_prefix.h"

static struct kmp_error *without_nuls(struct po_line_buffer *clean, struct po_line *line)
{
	clean->len = 0;
	for (size_t i = 0; i < line->len; i++) {
		if (line->text[i])
			try(vec_push(clean, line->text[i]));
	}
	line->len = clean->len;
	try(vec_push(clean, '\0'));
	line->text = clean->data;
	return NULL;
}

struct kmp_error *kmp_po_line(const char *at, const char *end, struct po_line_buffer *clean,
			      struct po_line *line)
{
	size_t left = (size_t)(end - at);
	const char *nl = memchr(at, '\n', left);

	*line = (struct po_line){
		.text = at,
		.len = nl ? (size_t)(nl - at) : left,
		.next = nl ? nl + 1 : end,
		.ended = nl != NULL,
	};
	if (memchr(line->text, '\0', line->len))
		try(without_nuls(clean, line));
	if (line->len && line->text[line->len - 1] == '\r')
		line->len--;
	size_t prefix = kmp_log_prefix(line->text, line->len, &line->prefixed);

	if (line->prefixed) {
		line->text += prefix;
		line->len -= prefix;
	}
	return NULL;
}

bool po_is_blank(const struct po_line *line)
{
	for (size_t i = 0; i < line->len; i++) {
		if (!isspace((unsigned char)line->text[i]))
			return false;
	}
	return true;
}

bool po_line_begins(const struct po_line *line, const char *word)
{
	size_t n = strlen(word);

	return line->len >= n && !memcmp(line->text, word, n);
}

struct po_line po_dedented(struct po_line line)
{
	while (line.len && isblank((unsigned char)*line.text)) {
		line.text++;
		line.len--;
	}
	return line;
}

bool po_is_header(const struct po_line *line)
{
	struct po_line l = po_dedented(*line);

	return po_line_begins(&l, "Page allocated via order") ||
	       po_line_begins(&l, "page last allocated via order");
}

bool po_is_pfn(const struct po_line *line)
{
	struct po_line l = po_dedented(*line);

	return po_line_begins(&l, "PFN ") && l.len > 4 && scan_is_digit(l.text[4]);
}

bool po_is_sorted(const struct po_line *line, uint64_t *times, uint64_t *pages, uint32_t *labels)
{
	struct po_line l = po_dedented(*line);
	char text[SCAN_PAD] = { 0 };
	const char *p = text;

	if (!l.len || !scan_is_digit(*l.text) || l.len > 200)
		return false;
	memcpy(text, l.text, l.len);
	*pages = 0;
	if (!scan_decimal(&p, times) || !scan_word(&p, " times"))
		return false;
	*labels = (strstr(p, "SLAB ") ? PO_LABEL_SLAB : 0) | (strstr(p, "CMA ") ? PO_LABEL_CMA : 0);
	if (scan_word(&p, ", "))
		return scan_decimal(&p, pages) && scan_word(&p, " pages");
	return *p == ':';
}
