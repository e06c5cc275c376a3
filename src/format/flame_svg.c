// SPDX-License-Identifier: GPL-2.0-only
/*
 * The flame graph: an SVG that needs nothing else. Boxes that can be seen are drawn here, so that
 * it shows wherever no script runs; all boxes that zooming can make visible stand in a compact
 * list in <metadata>, from which flame.js draws them anew. Every name was made visible (so it
 * holds no control character) and is escaped for XML; none is ever part of the script.
 */
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "format/flame.h"
#include "format/flame-css.h"
#include "format/flame-js.h"
#include "format/views.h"

enum {
	WIDTH = 1200,	  /* until the script knows the window's */
	MARGIN = 10,	  /* left and right of the boxes */
	TOP = 88,	  /* above the boxes: title, source, legend */
	ROW = 18,	  /* a level of boxes */
	BOTTOM = 34,	  /* beneath: what the pointer is on */
	MAX_LEVELS = 400, /* deeper frames are not drawn */
	FINEST = 200000,  /* boxes smaller than this part of all are left out */
	SEARCH_WIDTH = 260
};

#define LEAST_WIDTH  0.25 /* pixels: narrower boxes are drawn when zoomed into */
#define COLUMN_WIDTH 7.25 /* pixels of a monospaced column */

struct svg {
	FILE *out;
	const struct kmp_groups *groups;
	const struct flame *flame;
	const enum flame_hue *hues; /* of each box */
	uint32_t levels;	    /* deepest that is drawn */
	int base;		    /* y of the root's box */
};

/* Text for XML, in which a quote is an entity too; for_json: inside a JSON string as well. */
static void put_escaped(FILE *out, const char *text, size_t len, bool for_json)
{
	for (size_t i = 0; i < len; i++) {
		char c = text[i];

		if (for_json && (c == '"' || c == '\\'))
			putc('\\', out);
		if (c == '&')
			fputs("&amp;", out);
		else if (c == '<')
			fputs("&lt;", out);
		else if (c == '>')
			fputs("&gt;", out);
		else if (c == '"')
			fputs("&quot;", out);
		else if (c == '\'')
			fputs("&#39;", out);
		else
			putc(c, out);
	}
}

/* A visible text, cut to this many columns. */
static void put_cut(FILE *out, const char *text, size_t len, size_t room)
{
	size_t columns = 0, keep = 0;
	uint32_t cp;

	for (size_t i = 0; i < len;) {
		unsigned n = kmp_utf8_decode(text + i, len - i, &cp);

		columns += n ? kmp_utf8_width(cp) : 1;
		if (columns > room) {
			put_escaped(out, text, keep, false);
			fputs("…", out);
			return;
		}
		i += n ? n : 1;
		if (columns < room)
			keep = i;
	}
	put_escaped(out, text, len, false);
}

static struct kmp_error *put_visible(FILE *out, const char *text, size_t room)
{
	struct kmp_buf buf = { 0 };
	struct kmp_error *err = kmp_visible_append(&buf, text, strlen(text));

	if (!err)
		put_cut(out, buf.data, buf.len, room);
	vec_deinit(&buf);
	return err;
}

static enum flame_hue hue_of_change(const struct flame_box *box)
{
	uint64_t change = box->now > box->before ? (uint64_t)(box->now - box->before)
						 : (uint64_t)(box->before - box->now);
	bool little = change < (uint64_t)(box->now > box->before ? box->now : box->before) / 10;

	if (!change)
		return HUE_SAME;
	if (!box->before || !box->now)
		return box->before ? HUE_GONE : HUE_NEW;
	if (box->now > box->before)
		return little ? HUE_GREW_LITTLE : HUE_GREW;
	return little ? HUE_SHRANK_LITTLE : HUE_SHRANK;
}

static enum flame_hue hue_of(const struct svg *svg, const enum flame_hue *hues, size_t number)
{
	const struct flame_box *box = &svg->flame->boxes.data[number];
	const struct kmp_string *name = &svg->flame->names.strings.data[box->name];

	if (!number)
		return HUE_KEY;
	if (svg->groups->difference)
		return hue_of_change(box);
	if (box->step == STEP_KEY)
		return HUE_KEY;
	if (box->step == STEP_FRAME)
		return kmp_flame_hue_of_function(name->text, name->len);
	if (box->depth == 1)
		return kmp_flame_hue_of_directory(name->text, name->len);
	return hues[box->parent];
}

static struct kmp_error *choose_hues(const struct svg *svg, enum flame_hue **out)
{
	size_t count = svg->flame->boxes.len;
	enum flame_hue *hues = calloc(count, sizeof(*hues));

	if (!hues)
		return &kmp_error_no_memory;
	for (size_t i = 0; i < count; i++)
		hues[i] = hue_of(svg, hues, i);
	*out = hues;
	return NULL;
}

static int64_t total_of(const struct svg *svg)
{
	return svg->flame->boxes.data[0].now;
}

static void put_title_of(const struct svg *svg, const struct flame_box *box)
{
	const struct kmp_string *name = &svg->flame->names.strings.data[box->name];
	int64_t total = total_of(svg);
	char size[KMP_SIZE_TEXT];

	put_escaped(svg->out, name->text, name->len, false);
	fprintf(svg->out, ": %s (%.1f %%)", kmp_size_print(size, box->now, false, false),
		total ? (double)box->now * 100 / (double)total : 0);
	if (svg->groups->difference)
		fprintf(svg->out, ", before %s", kmp_size_print(size, box->before, false, false));
}

static void put_box(const struct svg *svg, size_t number)
{
	const struct flame_box *box = &svg->flame->boxes.data[number];
	const struct kmp_string *name = &svg->flame->names.strings.data[box->name];
	double total = (double)svg->flame->boxes.data[0].width, room = WIDTH - 2 * MARGIN;
	double width = total > 0 ? (double)box->width * room / total : room;
	double x = MARGIN + (total > 0 ? (double)box->start * room / total : 0);
	int y = svg->base - (int)box->depth * ROW;

	if (width < LEAST_WIDTH || box->depth > svg->levels)
		return;
	fputs("<g class=\"box\"><title>", svg->out);
	put_title_of(svg, box);
	fprintf(svg->out,
		"</title><rect class=\"h%d\" x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\" "
		"rx=\"1\"/>",
		(int)svg->hues[number], x, y, width > 2 ? width - 0.6 : width, ROW - 1);
	if (width > 3 * COLUMN_WIDTH) {
		fprintf(svg->out, "<text x=\"%.2f\" y=\"%d\">", x + 3, y + 13);
		put_cut(svg->out, name->text, name->len, (size_t)((width - 6) / COLUMN_WIDTH));
		fputs("</text>", svg->out);
	}
	fputs("</g>\n", svg->out);
}

static bool worth_keeping(const struct svg *svg, size_t number)
{
	const struct flame_box *box = &svg->flame->boxes.data[number];

	return !number ||
	       (box->width > 0 && box->width >= svg->flame->boxes.data[0].width / FINEST &&
		box->depth <= svg->levels);
}

/* The list for the script: each name once, then name, depth, bytes, hue (and bytes before, width).
 */
static struct kmp_error *put_data(const struct svg *svg, int height)
{
	const struct flame *flame = svg->flame;
	size_t names = flame->names.strings.len;
	uint32_t *numbers auto_free = calloc(names, sizeof(*numbers));
	uint32_t used = 0;

	if (!numbers)
		return &kmp_error_no_memory;
	fprintf(svg->out,
		"<metadata "
		"class=\"data\">{\"width\":%d,\"height\":%d,\"base\":%d,\"levels\":%u,\"diff\":%s,"
		"\n\"names\":[",
		WIDTH, height, svg->base, svg->levels, svg->groups->difference ? "true" : "false");
	for (size_t i = 0; i < flame->boxes.len; i++) {
		uint32_t name = flame->boxes.data[i].name;
		const struct kmp_string *string = &flame->names.strings.data[name];

		if (numbers[name] || !worth_keeping(svg, i))
			continue;
		fputs(used ? ",\n\"" : "\"", svg->out);
		put_escaped(svg->out, string->text, string->len, true);
		putc('"', svg->out);
		numbers[name] = ++used;
	}
	fputs("],\n\"boxes\":[", svg->out);
	for (size_t i = 0; i < flame->boxes.len; i++) {
		const struct flame_box *box = &flame->boxes.data[i];

		if (!worth_keeping(svg, i))
			continue;
		fprintf(svg->out, "%s%u,%u,%" PRId64 ",%d", i ? ",\n" : "", numbers[box->name] - 1,
			box->depth, box->now, (int)svg->hues[i]);
		if (svg->groups->difference)
			fprintf(svg->out, ",%" PRId64 ",%" PRId64, box->before, box->width);
	}
	fputs("]}</metadata>\n", svg->out);
	return NULL;
}

/* What the boxes between the root and the stacks stand for. */
static void put_keys(const struct svg *svg, int *x)
{
	const char *gap = "";

	for (size_t i = 0; i < svg->groups->key_count; i++) {
		const char *key = svg->groups->keys[i];

		if (strcmp(key, "stack") == 0)
			continue;
		fputs(gap, svg->out);
		put_escaped(svg->out, key, strlen(key), false);
		gap = ", ";
		*x += 6 * (int)strlen(key) + 12;
	}
}

static void put_legend(const struct svg *svg)
{
	bool used[HUES] = { false };
	int x = MARGIN;

	for (size_t i = 1; i < svg->flame->boxes.len; i++) {
		enum flame_hue hue = svg->hues[i];
		bool module = hue >= HUE_MODULE && hue < HUE_MODULE + HUE_MODULES;

		used[module ? HUE_MODULE : hue] = true;
	}
	fputs("<g class=\"soft said\" font-size=\"11\">", svg->out);
	for (int hue = 0; hue < HUES; hue++) {
		const char *label = kmp_flame_hue_label((enum flame_hue)hue);

		if (!used[hue])
			continue;
		fprintf(svg->out,
			"<rect class=\"h%d\" x=\"%d\" y=\"60\" width=\"10\" height=\"10\" "
			"rx=\"2\"/><text x=\"%d\" y=\"69\">%s",
			hue, x, x + 14, label);
		x += 28 + (int)strlen(label) * 6;
		if (hue == HUE_KEY)
			put_keys(svg, &x);
		fputs("</text>", svg->out);
	}
	fputs("</g>\n", svg->out);
}

static struct kmp_error *put_source(const struct svg *svg, const struct kmp_view *view)
{
	const struct kmp_groups *groups = svg->groups;
	size_t shown = view_shown(groups, view);
	char size[KMP_SIZE_TEXT];

	fprintf(svg->out, "<text class=\"soft said\" x=\"%d\" y=\"48\">", MARGIN);
	fprintf(svg->out, "%s in %" PRIu64 " %s", kmp_size_print(size, total_of(svg), false, false),
		svg->flame->drawn, groups->unit == KMP_UNIT_TAGS ? "places" : "stacks");
	if (groups->difference)
		fprintf(svg->out, " now, %s before; as wide as the larger of both",
			kmp_size_print(size, groups->total_before.bytes, false, false));
	if (groups->facts.kind && *groups->facts.kind) {
		fputs(" · ", svg->out);
		try(put_visible(svg->out, groups->facts.kind, 40));
	}
	if (groups->facts.kernel && *groups->facts.kernel) {
		fputs(" · Linux ", svg->out);
		try(put_visible(svg->out, groups->facts.kernel, 40));
	}
	if (shown < groups->count)
		fprintf(svg->out, " · %zu smaller ones left out", groups->count - shown);
	if (svg->flame->omitted)
		fprintf(svg->out, " · %" PRIu64 " without bytes to draw", svg->flame->omitted);
	if (svg->levels < svg->flame->depth)
		fprintf(svg->out, " · frames beyond level %u not drawn", svg->levels);
	fputs("</text>\n", svg->out);
	return NULL;
}

static struct kmp_error *put_name(const struct svg *svg, const struct kmp_view *view)
{
	const char *name = svg->groups->facts.name;

	if (view->title)
		return put_visible(svg->out, view->title, 90);
	fputs(svg->groups->unit == KMP_UNIT_TAGS ? "Kernel memory by code location"
						 : "Kernel memory by allocating stack",
	      svg->out);
	if (!name || !*name)
		return NULL;
	fputs(": ", svg->out);
	return put_visible(svg->out, name, 60);
}

static struct kmp_error *put_head(const struct svg *svg, const struct kmp_view *view, int height)
{
	fprintf(svg->out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"kmp-flame\" width=\"%d\" "
		"height=\"%d\" viewBox=\"0 0 %d %d\" font-family=\"ui-monospace, 'DejaVu Sans "
		"Mono', Menlo, Consolas, monospace\" font-size=\"12\">\n<title>",
		WIDTH, height, WIDTH, height);
	try(put_name(svg, view));
	fprintf(svg->out,
		"</title>\n<style><![CDATA[\n%s]]></style>\n<rect class=\"page\" width=\"100%%\" "
		"height=\"100%%\"/>\n<text class=\"name\" x=\"%d\" y=\"27\">",
		kmp_flame_css, MARGIN);
	try(put_name(svg, view));
	fputs("</text>\n", svg->out);
	try(put_source(svg, view));
	put_legend(svg);
	fprintf(svg->out,
		"<g class=\"right\"><foreignObject x=\"%d\" y=\"12\" width=\"%d\" "
		"height=\"26\"><input xmlns=\"http://www.w3.org/1999/xhtml\" type=\"search\" "
		"placeholder=\"Search (/ or Ctrl-F)\" aria-label=\"Search "
		"names\"/></foreignObject>\n<text class=\"matched said\" x=\"%d\" y=\"54\" "
		"text-anchor=\"end\" role=\"status\"/>\n<text class=\"reset said hide\" x=\"%d\" "
		"y=\"74\" text-anchor=\"end\" role=\"button\" tabindex=\"0\">Reset zoom "
		"(Esc)</text></g>\n",
		WIDTH - MARGIN - SEARCH_WIDTH, SEARCH_WIDTH, WIDTH - MARGIN, WIDTH - MARGIN);
	return NULL;
}

static struct kmp_error *draw(const struct svg *svg, const struct kmp_view *view)
{
	int height = svg->base + ROW + BOTTOM;

	try(put_head(svg, view, height));
	fputs("<g class=\"boxes\">\n", svg->out);
	for (size_t i = 0; i < svg->flame->boxes.len; i++)
		put_box(svg, i);
	fprintf(svg->out, "</g>\n<text class=\"detail\" x=\"%d\" y=\"%d\" role=\"status\">", MARGIN,
		height - 14);
	put_title_of(svg, svg->flame->boxes.data);
	fputs("</text>\n", svg->out);
	try(put_data(svg, height));
	fprintf(svg->out, "<script><![CDATA[\n%s]]></script>\n</svg>\n", kmp_flame_js);
	return NULL;
}

struct kmp_error *kmp_groups_svg(const struct kmp_groups *groups, FILE *out,
				 const struct kmp_view *view)
{
	struct flame flame cleanup(kmp_flame_deinit) = { 0 };
	enum flame_hue *hues auto_free = NULL;

	try(kmp_flame_build(&flame, groups, view));
	uint32_t levels = flame.depth < MAX_LEVELS ? flame.depth : MAX_LEVELS;
	struct svg svg = { .out = out,
			   .groups = groups,
			   .flame = &flame,
			   .levels = levels,
			   .base = TOP + (int)levels * ROW };
	try(choose_hues(&svg, &hues));
	svg.hues = hues;
	return draw(&svg, view);
}
