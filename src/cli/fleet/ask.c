// SPDX-License-Identifier: GPL-2.0-only
#include "cli/fleet/ask.h"

#include <time.h>

#include "base/cleanup.h"
#include "cli/clock.h"

static const uint64_t second = 1000000000, hour = 3600 * 1000000000ULL;

static const struct {
	const char *name;
	enum fleet_question question;
	int words;		/* beside its name */
	const char *usage;	/* these words */
	const char *refused[4]; /* options that it has no use for */
} questions[] = {
	{ "top", FLEET_TOP, 0, "", { "since" } },
	{ "growers", FLEET_GROWERS, 0, "", { NULL } },
	{ "hosts", FLEET_HOSTS, 1, " FINGERPRINT|FILE:LINE|NAME", { NULL } },
	{ "compare", FLEET_COMPARE, 0, "", { "since" } },
};

enum { QUESTIONS = sizeof(questions) / sizeof(*questions) };

static struct kmp_error *read_question(const struct cli_args *args, struct fleet_ask *ask)
{
	size_t i = 0;

	while (i < QUESTIONS && strcmp(questions[i].name, args->rest[0]) != 0)
		i++;
	if (i == QUESTIONS)
		return kmp_error_new(KMP_ERROR_USAGE,
				     "'%.60s' is no question to a fleet: top, growers, hosts, "
				     "compare",
				     args->rest[0]);
	if (args->count != 1 + questions[i].words)
		return kmp_error_new(KMP_ERROR_USAGE,
				     "usage: kmemprof fleet %s%s [OPTIONS]; see 'kmemprof help "
				     "fleet'",
				     questions[i].name, questions[i].usage);
	for (const char *const *name = questions[i].refused; *name; name++) {
		if (cli_value(args, *name))
			return kmp_error_new(KMP_ERROR_USAGE, "--%s: fleet %s has no use for it",
					     *name, questions[i].name);
	}
	ask->question = questions[i].question;
	ask->owner = questions[i].words ? args->rest[1] : NULL;
	return NULL;
}

static struct kmp_error *named(const char *option, struct kmp_error *err)
{
	if (!err)
		return NULL;
	struct kmp_error *more = kmp_error_new(KMP_ERROR_USAGE, "--%s: %s", option, err->message);

	kmp_error_destroy(err);
	return more;
}

/* `1h` is an hour ago, as `-1h`. */
static struct kmp_error *read_time(const struct cli_args *args, const char *option, uint64_t now,
				   uint64_t *time)
{
	const char *text = cli_value(args, option);
	auto_free char *before = NULL;

	if (asprintf(&before, "-%s", text) < 0) {
		before = NULL;
		return kmp_error_new(KMP_ERROR_MEMORY, "out of memory");
	}
	struct kmp_error *err = kmp_time_parse(before, now, time);

	if (!err)
		return NULL;
	kmp_error_destroy(err);
	return named(option, kmp_time_parse(text, now, time));
}

static struct kmp_error *read_times(const struct cli_args *args, struct fleet_ask *ask)
{
	uint64_t clock = cli_clock_ns(CLOCK_REALTIME), then;

	ask->now = clock;
	ask->past = cli_value(args, "at") != NULL;
	if (ask->past)
		try(read_time(args, "at", clock, &ask->now));
	ask->fresh = hour;
	if (cli_value(args, "fresh")) {
		try(read_time(args, "fresh", ask->now, &then));
		ask->fresh = ask->now > then ? ask->now - then : 0;
		if (ask->fresh < second)
			return kmp_error_new(KMP_ERROR_USAGE, "--fresh: at least 1s");
	}
	if (ask->question != FLEET_GROWERS && ask->question != FLEET_HOSTS)
		return NULL;
	ask->since = ask->now - 24 * hour;
	if (cli_value(args, "since"))
		try(read_time(args, "since", ask->now, &ask->since));
	if (!ask->since || ask->since >= ask->now)
		return kmp_error_new(KMP_ERROR_USAGE, "--since: must be before %s",
				     ask->past ? "--at" : "now");
	return NULL;
}

static struct kmp_error *too_many(const char *option)
{
	return kmp_error_new(KMP_ERROR_USAGE, "--%s: at most %d of them", option, FLEET_CONDITIONS);
}

static struct kmp_error *read_labels(const struct cli_args *args, struct fleet_ask *ask)
{
	const char *text;

	for (int at = 0; (text = cli_next_value(args, "label", &at));) {
		const char *mark = strchr(text, '=');

		if (!mark || mark == text)
			return kmp_error_new(KMP_ERROR_USAGE,
					     "--label: '%.60s' is no NAME=VALUE, as kernel=6.1*",
					     text);
		if (ask->label_count == FLEET_CONDITIONS)
			return too_many("label");
		ask->labels[ask->label_count++] =
			(struct fleet_label){ text, (size_t)(mark - text), mark + 1 };
	}
	if (ask->question == FLEET_COMPARE && ask->label_count != 2)
		return kmp_error_new(KMP_ERROR_USAGE,
				     "fleet compare takes two --label: the hosts before, and those "
				     "that are compared with them");
	return NULL;
}

static struct kmp_error *read_hosts(const struct cli_args *args, struct fleet_ask *ask)
{
	const char *text;

	for (int at = 0; (text = cli_next_value(args, "host", &at));) {
		if (ask->host_count == FLEET_CONDITIONS)
			return too_many("host");
		ask->hosts[ask->host_count++] = text;
	}
	return NULL;
}

struct kmp_error *fleet_ask_read(const struct cli_args *args, struct fleet_ask *ask)
{
	const char *by = cli_value(args, "by");

	*ask = (struct fleet_ask){ .tags = cli_value(args, "tags") != NULL };
	try(read_question(args, ask));
	if (by || ask->tags || ask->question != FLEET_HOSTS)
		try(fleet_by_find(by, ask->tags, &ask->by));
	try(read_times(args, ask));
	try(read_hosts(args, ask));
	return read_labels(args, ask);
}

const char *fleet_time(char buf[FLEET_TIME], uint64_t ns)
{
	time_t seconds = (time_t)(ns / second);
	struct tm tm;

	if (!localtime_r(&seconds, &tm) || !strftime(buf, FLEET_TIME, "%Y-%m-%dT%H:%M:%S", &tm))
		snprintf(buf, FLEET_TIME, "@%llu", (unsigned long long)seconds);
	return buf;
}
