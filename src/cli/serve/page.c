// SPDX-License-Identifier: GPL-2.0-only
#include "cli/serve/page.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "cli/serve-page-css.h"
#include "cli/serve-page-html.h"
#include "cli/serve-page-js.h"

const char serve_page_policy[] =
	"default-src 'none'; script-src 'self'; style-src 'self' "
	"'unsafe-inline'; connect-src 'self'; img-src data:; base-uri "
	"'none'; form-action 'self'; frame-ancestors 'none'";

const char *serve_page_file(const char *path, const char **type)
{
	const struct {
		const char *path;
		const char *type;
		const char *text;
	} files[] = {
		{ "/", "text/html; charset=utf-8", serve_page_html },
		{ "/page.css", "text/css; charset=utf-8", serve_page_css },
		{ "/page.js", "text/javascript; charset=utf-8", serve_page_js },
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		if (strcmp(files[i].path, path) != 0)
			continue;
		*type = files[i].type;
		return files[i].text;
	}
	return NULL;
}

/*
 * The figures of a page as `--format html` makes it stand in an element of their own, in which no
 * other `<` can be.
 */
static struct kmp_error *cut_data(const char *page, FILE *out)
{
	static const char mark[] = "id=\"data\">";
	const char *start = page ? strstr(page, mark) : NULL;

	if (!start)
		return kmp_error_new(KMP_ERROR_SYSTEM, "the page has no figures");
	start += sizeof(mark) - 1;
	fwrite(start, 1, strcspn(start, "<"), out);
	return NULL;
}

/* The page asks again and again, and gets the same figures once. */
static struct kmp_error *name_sample(struct server *server, char *tag, size_t size)
{
	struct serve_sample *sample;

	try(server_sample(server, NULL, &sample));
	snprintf(tag, size, "\"%" PRIu64 "-%" PRIu64 "\"", sample->number, sample->time);
	serve_sample_put(sample);
	return NULL;
}

struct kmp_error *serve_page_data(struct server *server, const struct serve_query *query,
				  struct serve_answer *answer)
{
	struct serve_query with = *query;
	struct serve_answer whole = { 0 };
	char *page auto_free = NULL;
	size_t len = 0;

	try(name_sample(server, answer->tag, sizeof(answer->tag)));
	answer->type = "application/json";
	if (query->known && !strcmp(query->known, answer->tag)) {
		answer->status = 304;
		return NULL;
	}
	if (with.count == sizeof(with.pairs) / sizeof(*with.pairs))
		return kmp_error_new(KMP_ERROR_USAGE, "too many parameters");
	with.pairs[with.count].name = "format";
	with.pairs[with.count++].value = "html";
	whole.out = open_memstream(&page, &len);
	if (!whole.out)
		return kmp_error_new(KMP_ERROR_MEMORY, "out of memory");
	struct kmp_error *err = serve_api(server, "report", &with, &whole);
	bool failed = ferror(whole.out);

	failed |= fclose(whole.out) != 0;
	if (err || failed)
		return err ? err : kmp_error_new(KMP_ERROR_MEMORY, "out of memory");
	answer->status = 200;
	return cut_data(page, answer->out);
}
