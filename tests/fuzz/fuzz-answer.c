// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests of `kmemprof serve`, below HTTP: `path?name=value&name=value`. Whatever is asked of a
 * source that can be read, the server answers it, does not know the path, or says that the client
 * is wrong: it never fails itself. The same bytes as headers, too.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/serve/answer.h"
#include "cli/serve/guard.h"

enum { QUERY_MAX = 4000 };

static const char page_owner[] =
	"Page allocated via order 0, mask 0x400cc0(GFP_KERNEL_ACCOUNT), pid 4, tgid 3 (task), "
	"ts 1000 ns\n"
	"PFN 0x100 type Unmovable Block 0 type Unmovable Flags 0x200(workingset|node=0|zone=1)\n"
	" post_alloc_hook+0x6a/0x91\n __alloc_pages_noprof+0x187/0x266\n vfs_write+0x10/0x20\n"
	"Charged to memcg a.service\n\n"
	"Page allocated via order 3, mask 0xcc0(GFP_KERNEL), pid 5, tgid 3 (other), ts 2000 ns\n"
	"PFN 0x110 type Movable Block 0 type Movable Flags 0x200(workingset|node=1|zone=2)\n"
	" post_alloc_hook+0x6a/0x91\n __alloc_pages_noprof+0x187/0x266\n"
	" another_function+0x10/0x20 [a_module]\n";
static const char allocinfo[] =
	"allocinfo - version: 1.0\n"
	"#     <size>  <calls> <tag info>\n"
	"        4096        1 mm/a.c:10 func:f\n"
	"        8192        2 drivers/b.c:20 [a_module] func:g\n";

static struct server server;

static void must(struct kmp_error *err)
{
	char *text = err ? kmp_error_format(err) : NULL;

	if (text)
		fprintf(stderr, "%s\n", text);
	if (err)
		abort();
}

static void write_file(const char *directory, const char *name, const char *text)
{
	char path[100];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	FILE *file = fopen(path, "we");

	if (!file || fputs(text, file) < 0 || fclose(file))
		abort();
}

static void remove_file(const char *directory, const char *name)
{
	char path[100];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	unlink(path);
}

/* Once: it is read, and then nobody needs the files any more. */
static void start(void)
{
	static char directory[] = "/tmp/kmp-answer-XXXXXX";

	if (!mkdtemp(directory))
		abort();
	write_file(directory, "page_owner", page_owner);
	write_file(directory, "allocinfo", allocinfo);
	server.reader.path = directory;
	server.options.top = 1;
	server.options.interval = 86400;
	must(server_start(&server));
	remove_file(directory, "page_owner");
	remove_file(directory, "allocinfo");
	rmdir(directory);
}

static void split(char *text, struct serve_query *query)
{
	size_t max = sizeof(query->pairs) / sizeof(*query->pairs) - 1;

	for (char *pair, *rest = text; query->count < max && (pair = strsep(&rest, "&"));) {
		char *value = strchr(pair, '=');

		if (value)
			*value++ = '\0';
		query->pairs[query->count].name = pair;
		query->pairs[query->count++].value = value ? value : "";
	}
}

static void check(const struct serve_answer *answer, const char *text, size_t len)
{
	if (!answer->status)
		return;
	if (answer->status != 200 && answer->status != 304)
		abort();
	if (answer->shared) {
		text = answer->text;
		len = answer->len;
	}
	size_t blank = answer->status == 200 ? strspn(text, "\n") : 0;

	if (answer->status == 200 && answer->type && !strcmp(answer->type, "application/json") &&
	    (blank >= len || (text[blank] != '{' && text[blank] != '[')))
		abort();
}

static void ask(const char *path, const struct serve_query *query)
{
	struct serve_answer answer = { 0 };
	char *text = NULL;
	size_t len = 0;

	answer.out = open_memstream(&text, &len);
	if (!answer.out)
		abort();
	struct kmp_error *err = serve_answer(&server, path, query, &answer);

	if (fclose(answer.out))
		abort();
	if (err && err->kind != KMP_ERROR_USAGE && err->kind != KMP_ERROR_MEMORY)
		must(err);
	if (!err)
		check(&answer, text, len);
	kmp_error_destroy(err);
	serve_sample_put(answer.shared);
	free(text);
}

static void read_headers(const char *text)
{
	static const char token[] = "correct-horse-battery-staple";
	bool same = !strncasecmp(text, "Bearer ", 7) && !strcmp(text + 7, token);

	if (serve_token_fits(token, text) != same)
		abort();
	serve_host_is_here(text);
	serve_takes_gzip(text);
	serve_wants_open_metrics(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct serve_query query = { 0 };
	char text[QUERY_MAX + 1];

	if (!server.last)
		start();
	if (!size || size > QUERY_MAX || memchr(data, '\0', size))
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	read_headers(text);
	char *more = strchr(text, '?');

	if (more) {
		*more++ = '\0';
		split(more, &query);
	}
	ask(text, &query);
	return 0;
}
