// SPDX-License-Identifier: GPL-2.0-only
#include "format/json.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "format/utf8.h"

void kmp_json_init(struct kmp_json *json, FILE *out)
{
	*json = (struct kmp_json){ .out = out };
}

static void new_line(struct kmp_json *json)
{
	putc('\n', json->out);
	for (unsigned i = 0; i < json->depth; i++)
		fputs("  ", json->out);
}

static void quote(FILE *out, const char *text, size_t len, bool escape_high)
{
	size_t start = 0;

	putc('"', out);
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c >= 0x20 && c != '"' && c != '\\' && c != 0x7f && !(escape_high && c >= 0x80))
			continue;
		fwrite(text + start, 1, i - start, out);
		start = i + 1;
		if (c == '"' || c == '\\')
			fprintf(out, "\\%c", c);
		else if (c == '\n')
			fputs("\\n", out);
		else if (c == '\t')
			fputs("\\t", out);
		else
			fprintf(out, "\\u%04x", c);
	}
	fwrite(text + start, 1, len - start, out);
	putc('"', out);
}

/* Whatever comes before a value: a comma, a new line, the member's name. */
static void begin(struct kmp_json *json, const char *name)
{
	uint64_t bit = UINT64_C(1) << json->depth;

	if (json->depth) {
		if (json->has_item & bit)
			putc(',', json->out);
		new_line(json);
	}
	json->has_item |= bit;
	if (name) {
		quote(json->out, name, strlen(name), false);
		fputs(": ", json->out);
	}
}

static void end(struct kmp_json *json)
{
	if (!json->depth)
		putc('\n', json->out);
}

void kmp_json_open(struct kmp_json *json, const char *name, char bracket)
{
	assert(json->depth < 63);
	begin(json, name);
	putc(bracket, json->out);
	json->depth++;
	json->has_item &= ~(UINT64_C(1) << json->depth);
}

void kmp_json_close(struct kmp_json *json, char bracket)
{
	assert(json->depth);
	bool empty = !(json->has_item & (UINT64_C(1) << json->depth));
	json->depth--;
	if (!empty)
		new_line(json);
	putc(bracket, json->out);
	end(json);
}

void kmp_json_text(struct kmp_json *json, const char *name, const char *text, size_t len)
{
	if (!text) {
		kmp_json_null(json, name);
		return;
	}
	bool latin1 = !kmp_utf8_valid(text, len);
	begin(json, name);
	quote(json->out, text, len, latin1);
	json->latin1 |= latin1;
	end(json);
}

void kmp_json_bytes(struct kmp_json *json, const char *name, const char *text, size_t len)
{
	begin(json, name);
	quote(json->out, text, len, true);
	end(json);
}

void kmp_json_null(struct kmp_json *json, const char *name)
{
	begin(json, name);
	fputs("null", json->out);
	end(json);
}

void kmp_json_number(struct kmp_json *json, const char *name, int64_t value)
{
	begin(json, name);
	fprintf(json->out, "%" PRId64, value);
	end(json);
}

/* Not by printf("%.4f"): that prints the decimal point of the locale. */
void kmp_json_real(struct kmp_json *json, const char *name, double value)
{
	if (!(fabs(value) < 9e14)) {
		kmp_json_null(json, name);
		return;
	}
	int64_t scaled = (int64_t)(value * 10000 + (value < 0 ? -0.5 : 0.5));
	uint64_t size = scaled < 0 ? -(uint64_t)scaled : (uint64_t)scaled;
	begin(json, name);
	fprintf(json->out, "%s%" PRIu64 ".%04u", scaled < 0 ? "-" : "", size / 10000,
		(unsigned)(size % 10000));
	end(json);
}

void kmp_json_bool(struct kmp_json *json, const char *name, bool value)
{
	begin(json, name);
	fputs(value ? "true" : "false", json->out);
	end(json);
}
