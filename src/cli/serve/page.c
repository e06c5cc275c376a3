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
#include "cli/serve/zip.h"

DEFINE_CLEANUP(sample, struct serve_sample *, serve_sample_put)

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
static struct kmp_error *cut_data(const char *page, const char **data, size_t *len)
{
	static const char mark[] = "id=\"data\">";
	const char *start = page ? strstr(page, mark) : NULL;

	if (!start)
		return kmp_error_new(KMP_ERROR_SYSTEM, "the page has no figures");
	*data = start + sizeof(mark) - 1;
	*len = strcspn(*data, "<");
	return NULL;
}

static struct kmp_error *make_page(struct server *server, struct serve_sample *sample,
				   const struct serve_query *query, char **page)
{
	struct serve_query with = *query;
	struct serve_answer whole = { 0 };
	size_t len = 0;

	if (with.count == sizeof(with.pairs) / sizeof(*with.pairs))
		return kmp_error_new(KMP_ERROR_USAGE, "too many parameters");
	with.pairs[with.count].name = "format";
	with.pairs[with.count++].value = "html";
	whole.out = open_memstream(page, &len);
	if (!whole.out)
		return kmp_error_new(KMP_ERROR_MEMORY, "out of memory");
	struct kmp_error *err = serve_report(server, sample, &with, &whole);
	bool failed = ferror(whole.out);

	failed |= fclose(whole.out) != 0;
	return !err && failed ? kmp_error_new(KMP_ERROR_MEMORY, "out of memory") : err;
}

static struct kmp_error *some_data(struct server *server, struct serve_sample *sample,
				   const struct serve_query *query, FILE *out)
{
	char *page auto_free = NULL;
	const char *data;
	size_t len;

	try(make_page(server, sample, query, &page));
	try(cut_data(page, &data, &len));
	fwrite(data, 1, len, out);
	return NULL;
}

static struct kmp_error *whole_data(struct server *server, struct serve_sample *sample)
{
	static const struct serve_query all;
	char *page auto_free = NULL;
	const char *data;

	try(make_page(server, sample, &all, &page));
	try(cut_data(page, &data, &sample->page_len));
	sample->page = malloc(sample->page_len);
	if (!sample->page)
		return kmp_error_new(KMP_ERROR_MEMORY, "out of memory");
	memcpy(sample->page, data, sample->page_len);
	return NULL;
}

/* Everybody who opens the page gets the same text, which is made once for each sample. */
static struct kmp_error *share_data(struct server *server, struct serve_sample *sample, bool gzip,
				    struct serve_answer *answer)
{
	pthread_mutex_lock(&sample->page_lock);
	struct kmp_error *err = sample->page ? NULL : whole_data(server, sample);

	if (!err && gzip && !sample->zipped_page)
		sample->zipped_page =
			serve_zip(sample->page, sample->page_len, &sample->zipped_len);
	pthread_mutex_unlock(&sample->page_lock);
	if (err)
		return err;
	answer->zipped = gzip && sample->zipped_page;
	answer->shared = serve_sample_get(sample);
	answer->text = answer->zipped ? sample->zipped_page : sample->page;
	answer->len = answer->zipped ? sample->zipped_len : sample->page_len;
	return NULL;
}

struct kmp_error *serve_page_data(struct server *server, const struct serve_query *query,
				  struct serve_answer *answer)
{
	struct serve_sample *sample cleanup(cleanup_sample) = NULL;

	try(server_sample(server, NULL, &sample));
	/* The page asks again and again, and gets the same figures once. */
	snprintf(answer->tag, sizeof(answer->tag), "\"%" PRIu64 "-%" PRIu64 "\"", sample->number,
		 sample->time);
	answer->type = "application/json";
	if (query->known && !strcmp(query->known, answer->tag)) {
		answer->status = 304;
		return NULL;
	}
	answer->status = 200;
	return query->count ? some_data(server, sample, query, answer->out)
			    : share_data(server, sample, query->gzip, answer);
}
