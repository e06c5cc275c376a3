// SPDX-License-Identifier: GPL-2.0-only
#include "cli/serve/server.h"
#include "cli/clock.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/error.h"

static void take(struct server *server, struct serve_sample *sample)
{
	struct serve_sample *gone = server->previous;

	if (!server->first)
		server->first = serve_sample_get(sample);
	server->previous = server->last ? server->last : serve_sample_get(sample);
	server->last = sample;
	serve_sample_put(gone);
}

static double seconds_of(clockid_t clock)
{
	return (double)cli_clock_ns(clock) / 1e9;
}

/* What it took is told by the metrics themselves. */
static struct kmp_error *make_metrics(struct server *server, struct serve_sample *sample)
{
	double start = seconds_of(CLOCK_MONOTONIC);

	pthread_mutex_lock(&server->metrics_lock);
	struct kmp_error *err = serve_metrics_of(&server->metrics, sample);

	pthread_mutex_unlock(&server->metrics_lock);
	pthread_mutex_lock(&server->lock);
	server->rendering = seconds_of(CLOCK_MONOTONIC) - start;
	pthread_mutex_unlock(&server->lock);
	return err;
}

/*
 * Read once, and make the metrics, so that a scrape need but send them. The error, if any, is
 * remembered as text, and returned.
 */
static struct kmp_error *read_once(struct server *server)
{
	struct serve_sample *sample = NULL;

	pthread_mutex_lock(&server->reading);
	struct kmp_error *err = serve_reader_next(&server->reader, &sample);

	pthread_mutex_unlock(&server->reading);
	if (sample)
		err = make_metrics(server, sample);
	if (err) {
		serve_sample_put(sample);
		sample = NULL;
	}
	pthread_mutex_lock(&server->lock);
	server->readings++;
	server->failures += err != NULL;
	free(server->failure);
	server->failure = err ? kmp_error_format(err) : NULL;
	if (sample)
		take(server, sample);
	pthread_mutex_unlock(&server->lock);
	return err;
}

/* Wait for the next time; false at the end. */
static bool wait_until(struct server *server, const struct timespec *when)
{
	bool ending;

	pthread_mutex_lock(&server->lock);
	while (!server->ending && !pthread_cond_timedwait(&server->ends, &server->lock, when))
		continue;
	ending = server->ending;
	pthread_mutex_unlock(&server->lock);
	return !ending;
}

static void *run_sampler(void *arg)
{
	struct server *server = arg;
	uint64_t interval = (uint64_t)(server->options.interval * 1e9);
	struct timespec when;

	/* What takes longer than the interval leaves as much time to others. */
	do {
		clock_gettime(CLOCK_MONOTONIC, &when);
		when.tv_sec += (time_t)(interval / 1000000000);
		when.tv_nsec += (long)(interval % 1000000000);
		when.tv_sec += when.tv_nsec / 1000000000;
		when.tv_nsec %= 1000000000;
		if (!wait_until(server, &when))
			return NULL;
		kmp_error_destroy(read_once(server));
	} while (true);
}

struct kmp_error *server_start(struct server *server)
{
	pthread_condattr_t attr;

	pthread_mutex_init(&server->reading, NULL);
	pthread_mutex_init(&server->lock, NULL);
	pthread_mutex_init(&server->metrics_lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&server->ends, &attr);
	pthread_condattr_destroy(&attr);
	server->metrics.top = server->options.top;
	try(read_once(server));
	int errnum = pthread_create(&server->sampler, NULL, run_sampler, server);

	return errnum ? kmp_error_system(errnum, NULL, "cannot start a thread") : NULL;
}

void server_stop(struct server *server)
{
	if (server->sampler) {
		pthread_mutex_lock(&server->lock);
		server->ending = true;
		pthread_cond_signal(&server->ends);
		pthread_mutex_unlock(&server->lock);
		pthread_join(server->sampler, NULL);
	}
	serve_sample_put(server->first);
	serve_sample_put(server->previous);
	serve_sample_put(server->last);
	serve_metrics_deinit(&server->metrics);
	free(server->failure);
	free(server->options.token);
	serve_reader_close(&server->reader);
}

static struct serve_sample *get(struct server *server, struct serve_sample *const *which)
{
	pthread_mutex_lock(&server->lock);
	struct serve_sample *sample = serve_sample_get(*which);

	pthread_mutex_unlock(&server->lock);
	return sample;
}

/* One of those that are kept, or NULL. */
static struct serve_sample *kept(struct server *server, const char *when)
{
	if (!strcmp(when, "last") || !strcmp(when, "now"))
		return get(server, &server->last);
	if (!strcmp(when, "previous"))
		return get(server, &server->previous);
	/* The first one of a history is what it says. */
	if (!strcmp(when, "first") && !server->reader.history)
		return get(server, &server->first);
	return NULL;
}

struct kmp_error *server_sample(struct server *server, const char *when,
				struct serve_sample **sample)
{
	struct serve_sample *found = kept(server, when ? when : "last");

	if (found) {
		*sample = found;
		return NULL;
	}
	if (!server->reader.history)
		return kmp_error_new(KMP_ERROR_USAGE,
				     "'%s' is none of first, previous, last; other moments are "
				     "those of a history",
				     when);
	pthread_mutex_lock(&server->reading);
	struct kmp_error *err = serve_reader_at(&server->reader, when, sample);

	pthread_mutex_unlock(&server->reading);
	return err;
}

static double resident_bytes(void)
{
	auto_file FILE *file = fopen("/proc/self/statm", "re");
	unsigned long pages = 0;

	if (!file || fscanf(file, "%*u %lu", &pages) != 1)
		return 0;
	return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

/* What we are and what we cost. */
static void put_own(struct server *server, bool open, FILE *out)
{
	fprintf(out,
		"# HELP kmemprof_build_info What serves this.\n# TYPE kmemprof_build_info gauge\n"
		"kmemprof_build_info{version=\"%s\"} 1\n",
		kmp_version());
	pthread_mutex_lock(&server->lock);
	serve_metric(out, open, "kmemprof_source_up",
		     "Could the source be read the last time? 1: yes.", !server->failure);
	serve_metric(out, open, "kmemprof_readings_total", "Times the source was read.",
		     (double)server->readings);
	serve_metric(out, open, "kmemprof_reading_failures_total", "Times it could not be.",
		     (double)server->failures);
	serve_metric(out, open, "kmemprof_http_requests_total", "Requests.",
		     (double)server->requests);
	serve_metric(out, open, "kmemprof_http_refused_total",
		     "Requests that did not get what they asked for.", (double)server->refused);
	serve_metric(out, open, "kmemprof_http_connections", "Connections that are open.",
		     (double)server->connections);
	serve_metric(out, open, "kmemprof_metrics_duration_seconds",
		     "What it took to make the metrics of the sample.", server->rendering);
	pthread_mutex_unlock(&server->lock);
	serve_metric(out, open, "process_cpu_seconds_total",
		     "Processor time that this process took.",
		     seconds_of(CLOCK_PROCESS_CPUTIME_ID));
	serve_metric(out, open, "process_resident_memory_bytes", "Memory that this process has.",
		     resident_bytes());
}

void server_metrics(struct server *server, bool open, FILE *out)
{
	pthread_mutex_lock(&server->metrics_lock);
	fwrite(server->metrics.text.data, 1, server->metrics.text.len, out);
	pthread_mutex_unlock(&server->metrics_lock);
	put_own(server, open, out);
	if (open)
		fputs("# EOF\n", out);
}

bool server_health(struct server *server, FILE *out)
{
	double now = seconds_of(CLOCK_REALTIME);

	pthread_mutex_lock(&server->lock);
	const char *failure = server->failure;
	bool well = !failure;

	if (failure && server->reader.redact)
		failure = "it cannot be read";
	if (well)
		fprintf(out, "ok: sample %" PRIu64 ", %.1f s old\n", server->last->number,
			now - (double)server->last->time / 1e9);
	else
		fprintf(out, "the source fails: %s\n", failure);
	pthread_mutex_unlock(&server->lock);
	return well;
}
