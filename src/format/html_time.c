// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>

#include "format/html_data.h"

static void put_list(FILE *out, const char *name, const int64_t *values, size_t count)
{
	fprintf(out, "\"%s\":[", name);
	for (size_t i = 0; i < count; i++)
		fprintf(out, "%s%" PRId64, i ? i % 32 ? "," : ",\n" : "", values[i]);
	putc(']', out);
}

static struct kmp_error *put_owner(FILE *out, const struct kmp_timeline_owner *owner, size_t count)
{
	fputs("{\"name\":", out);
	if (owner->value.kind == KMP_VALUE_NUMBER)
		fprintf(out, "%" PRId64, owner->value.number);
	else if (owner->value.kind == KMP_VALUE_TEXT)
		try(kmp_html_text(out, owner->value.text, owner->value.len));
	else
		fputs("null", out);
	putc(',', out);
	put_list(out, "bytes", owner->bytes, count);
	putc('}', out);
	return NULL;
}

static struct kmp_error *put_timeline(FILE *out, const struct kmp_timeline *timeline)
{
	size_t count = timeline->sample_count;

	fprintf(out, "{\"key\":\"%s\",\"unit\":\"%s\",\"times\":[", timeline->key,
		timeline->unit == KMP_UNIT_TAGS ? "tags" : "pages");
	for (size_t i = 0; i < count; i++)
		fprintf(out, "%s%" PRIu64, i ? "," : "", timeline->times[i] / 1000000);
	fputs("],\n", out);
	put_list(out, "total", timeline->total, count);
	fputs(",\n\"owners\":[", out);
	for (size_t i = 0; i < timeline->owner_count; i++) {
		fputs(i ? ",\n" : "", out);
		try(put_owner(out, &timeline->owners[i], count));
	}
	fputs("]}", out);
	return NULL;
}

struct kmp_error *kmp_html_timelines(FILE *out, const struct kmp_view *view)
{
	putc('[', out);
	for (size_t i = 0; i < view->timeline_count; i++) {
		fputs(i ? ",\n" : "", out);
		try(put_timeline(out, view->timelines[i]));
	}
	putc(']', out);
	return NULL;
}
