// SPDX-License-Identifier: GPL-2.0-only
#include "cli/serve/answer.h"

#include <string.h>

#include "base/error.h"
#include "cli/serve/page.h"

static const char metrics_type[] = "text/plain; version=0.0.4; charset=utf-8";
static const char open_metrics_type[] =
	"application/openmetrics-text; version=1.0.0; charset=utf-8";

bool serve_is_open(const char *path)
{
	const char *type;

	return !strcmp(path, "/healthz") || serve_page_file(path, &type);
}

struct kmp_error *serve_answer(struct server *server, const char *path,
			       const struct serve_query *query, struct serve_answer *answer)
{
	const char *type, *file = serve_page_file(path, &type);

	if (file) {
		answer->status = 200;
		answer->type = type;
		answer->policy = serve_page_policy;
		fputs(file, answer->out);
		return NULL;
	}
	if (!strcmp(path, "/page/data"))
		return serve_page_data(server, query, answer);
	if (!strcmp(path, "/healthz")) {
		answer->status = server_health(server, answer->out) ? 200 : 503;
		return NULL;
	}
	if (!strcmp(path, "/metrics")) {
		answer->status = 200;
		answer->type = query->open_metrics ? open_metrics_type : metrics_type;
		server_metrics(server, query->open_metrics, answer->out);
		return NULL;
	}
	if (!strcmp(path, "/pprof/pages"))
		return serve_pprof(server, query, answer);
	if (!strncmp(path, "/api/v1/", 8))
		return serve_api(server, path + 8, query, answer);
	return NULL;
}
