/* SPDX-License-Identifier: GPL-2.0-only */
/* A sample as metrics: Prometheus's text, and OpenMetrics, which differ in headings alone. */
#ifndef KMP_CLI_SERVE_METRICS_H
#define KMP_CLI_SERVE_METRICS_H

#include "cli/serve/sample.h"
#include "cli/serve/series.h"

enum serve_class { SERVE_PLACES, SERVE_STACKS, SERVE_TAGS, SERVE_TASKS, SERVE_CLASSES };

struct serve_metrics {
	size_t top;
	struct serve_series series[SERVE_CLASSES];
	uint64_t number; /* of the sample that the text is of, 0: none */
	uint64_t time;	 /* its time */
	VEC(char) text;
};

/* The part that a sample tells; made once for each. */
struct kmp_error *serve_metrics_of(struct serve_metrics *metrics, struct serve_sample *sample);

/* One figure of our own with its heading. A counter's name ends in `_total`. */
void serve_metric(FILE *out, bool open, const char *name, const char *help, double value);

void serve_metrics_deinit(struct serve_metrics *metrics);

#endif
