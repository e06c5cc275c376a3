/* SPDX-License-Identifier: GPL-2.0-only */
/* Conditions on samples, as SQL. */
#ifndef KMP_CLI_FLEET_MATCH_H
#define KMP_CLI_FLEET_MATCH_H

#include "cli/fleet/ask.h"

/* `COLUMN = 'text'`, or LIKE where the text has `*` or `?`. */
struct kmp_error *match_text(struct sql *sql, const char *column, const char *pattern);

/* Is this label what it shall be? A machine's kernel and host are labels, too. */
struct kmp_error *match_label(struct sql *sql, const struct fleet_label *label);

/* Is it one of the hosts that were asked for? */
struct kmp_error *match_hosts(struct sql *sql, const struct fleet_ask *ask);

#endif
