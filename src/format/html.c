// SPDX-License-Identifier: GPL-2.0-only
/*
 * Groups as a page: one file that holds its script, its style and the figures, and is forbidden
 * to load anything else. The script draws all of it (web/page.js).
 */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "format/flame.h"
#include "format/html_data.h"
#include "format/utf8.h"
#include "format/views.h"
#include "format/web-css.h"
#include "format/web-js.h"

enum { SETS_MAX = 2 };

struct lines {
	FILE *out;
	size_t count;
};

/* An item of an array of texts. */
static struct kmp_error *line(struct lines *lines, const char *text)
{
	if (lines->count++)
		fputs(",\n", lines->out);
	return kmp_html_text(lines->out, text, strlen(text));
}

static struct kmp_error *linef(struct lines *lines, const char *fmt, ...) printf_like(2, 3);
static struct kmp_error *linef(struct lines *lines, const char *fmt, ...)
{
	char text[200];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return line(lines, text);
}

static struct kmp_error *put_time(struct lines *lines, const struct kmp_facts *facts)
{
	time_t seconds = (time_t)facts->time;
	char text[64];
	struct tm tm;

	if (!facts->time || facts->time > INT32_MAX * UINT64_C(64) || !gmtime_r(&seconds, &tm))
		return NULL;
	strftime(text, sizeof(text), "%Y-%m-%d %H:%M UTC", &tm);
	return line(lines, text);
}

static struct kmp_error *put_source_of(struct lines *lines, const struct kmp_facts *facts)
{
	if (facts->name && *facts->name)
		try(line(lines, facts->name));
	if (facts->kind && *facts->kind)
		try(line(lines, facts->kind));
	if (facts->kernel && *facts->kernel)
		try(linef(lines, "Linux %.100s", facts->kernel));
	return put_time(lines, facts);
}

static struct kmp_error *put_source(FILE *out, const struct kmp_groups *groups)
{
	struct lines lines = { .out = out };

	fputs("\"source\":[", out);
	if (groups->difference) {
		try(put_source_of(&lines, &groups->facts_before));
		try(line(&lines, "compared with"));
	}
	try(put_source_of(&lines, &groups->facts));
	fputs("],\n", out);
	return NULL;
}

static bool is_unknown(const struct kmp_group *group)
{
	return group->unknown;
}

static bool is_rounded(const struct kmp_group *group)
{
	return group->approximate;
}

static uint64_t count_of(const struct kmp_groups *groups, bool (*is)(const struct kmp_group *group))
{
	uint64_t count = 0;

	for (size_t i = 0; i < groups->count; i++)
		count += is(&groups->groups[i]);
	return count;
}

static struct kmp_error *put_losses(struct lines *lines, const struct kmp_losses *lost)
{
	if (lost->skipped)
		try(linef(lines,
			  "%" PRIu64 " records were skipped, the first at line %" PRIu64 ": %.100s",
			  lost->skipped, lost->first_line,
			  lost->first_reason ? lost->first_reason : ""));
	if (lost->dropped)
		try(linef(lines, "%" PRIu64 " events were lost before they were read",
			  lost->dropped));
	if (lost->cut)
		try(linef(lines, "%" PRIu64 " records were cut by the end of the file", lost->cut));
	return NULL;
}

static struct kmp_error *put_warnings_of(struct lines *lines, const struct kmp_groups *groups,
					 size_t left_out)
{
	uint64_t unknown = count_of(groups, is_unknown);

	try(put_losses(lines, &groups->losses));
	if (groups->facts.profiling_off || groups->facts_before.profiling_off)
		try(line(lines, "Allocation profiling was off: the figures stood still"));
	if (groups->facts.top_only || groups->facts_before.top_only)
		try(line(lines, "Only the largest locations are there"));
	if (groups->total.inaccurate)
		try(linef(lines, "%" PRId64 " of %" PRId64 " locations are inaccurate",
			  groups->total.inaccurate, groups->total.members));
	if (count_of(groups, is_rounded))
		try(linef(lines, "%" PRIu64 " groups have figures that are rounded or lower bounds",
			  count_of(groups, is_rounded)));
	if (unknown)
		try(linef(lines,
			  "The change of %" PRIu64 " groups is not known, since one side was cut",
			  unknown));
	if (left_out)
		try(linef(lines, "%zu smaller groups are shown as one", left_out));
	for (size_t i = 0; i < groups->warning_count; i++)
		try(line(lines, groups->warnings[i]));
	return NULL;
}

static const char *title_of(const struct kmp_groups *groups, const struct kmp_view *view)
{
	if (view->title)
		return view->title;
	if (groups->unit == KMP_UNIT_TAGS)
		return groups->difference ? "Kernel memory by code: what changed"
					  : "Kernel memory by code";
	return groups->difference ? "Kernel memory: what changed" : "Kernel memory";
}

static struct kmp_error *put_data(FILE *out, const struct kmp_groups *const *sets, size_t count,
				  const struct kmp_view *view)
{
	struct lines warnings = { .out = out };
	const char *title = title_of(sets[0], view);
	size_t left_out[SETS_MAX];

	fputs("{\"title\":", out);
	try(kmp_html_text(out, title, strlen(title)));
	fputs(",\n", out);
	try(put_source(out, sets[0]));
	fputs("\"hueLabels\":[", out);
	for (int hue = 0; hue < HUES; hue++)
		fprintf(out, "%s\"%s\"", hue ? "," : "", kmp_flame_hue_label((enum flame_hue)hue));
	fputs("],\n\"sets\":[", out);
	for (size_t i = 0; i < count; i++) {
		fputs(i ? ",\n" : "", out);
		try(kmp_html_data(out, sets[i], view->limit, &left_out[i]));
	}
	fputs("],\n\"timelines\":", out);
	try(kmp_html_timelines(out, view));
	fputs(",\n\"warnings\":[", out);
	for (size_t i = 0; i < count; i++)
		try(put_warnings_of(&warnings, sets[i], left_out[i]));
	fputs("]}", out);
	return NULL;
}

/* The title as HTML: what is visible, with the two characters escaped that could act. */
static struct kmp_error *put_title(FILE *out, const struct kmp_groups *groups,
				   const struct kmp_view *view)
{
	struct kmp_buf buf = { 0 };
	const char *title = title_of(groups, view), *name = groups->facts.name;
	struct kmp_error *err = kmp_visible_append(&buf, title, strlen(title));

	if (!err && name && *name)
		err = vec_append(&buf, ": ", 2);
	if (!err && name)
		err = kmp_visible_append(&buf, name, strlen(name));
	for (size_t i = 0; !err && i < buf.len; i++) {
		if (buf.data[i] == '<')
			fputs("&lt;", out);
		else if (buf.data[i] == '&')
			fputs("&amp;", out);
		else
			putc(buf.data[i], out);
	}
	vec_deinit(&buf);
	return err;
}

struct kmp_error *kmp_groups_html(const struct kmp_groups *groups, FILE *out,
				  const struct kmp_view *view)
{
	const struct kmp_groups *sets[SETS_MAX] = { groups, view->tags };

	fputs("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	      "style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; "
	      "form-action 'none'\">\n<title>",
	      out);
	try(put_title(out, groups, view));
	fprintf(out,
		"</title>\n<style>\n%s</style>\n</head>\n<body>\n<main></main>\n"
		"<noscript>This page draws itself with the script that it holds, and needs "
		"JavaScript.</noscript>\n<script type=\"application/json\" id=\"data\">\n",
		kmp_web_css);
	try(put_data(out, sets, view->tags ? 2 : 1, view));
	fprintf(out, "\n</script>\n<script>\n%skmp.start();\n</script>\n</body>\n</html>\n",
		kmp_web_js);
	return NULL;
}
