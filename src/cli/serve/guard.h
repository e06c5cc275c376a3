/* SPDX-License-Identifier: GPL-2.0-only */
/* What headers tell. Each takes NULL for a header that is not there. */
#ifndef KMP_CLI_SERVE_GUARD_H
#define KMP_CLI_SERVE_GUARD_H

#include <stdbool.h>

/* Is `Authorization` this bearer token? Takes as long for a wrong one as for the right one. */
bool serve_token_fits(const char *token, const char *authorization);

/* Is `Host` an IP address or localhost, whatever the port, or missing? */
bool serve_host_is_here(const char *host);

/* Does `Accept-Encoding` name gzip, and not to be left out? */
bool serve_takes_gzip(const char *accept);

/* Does `Accept` name OpenMetrics? */
bool serve_wants_open_metrics(const char *accept);

#endif
