/* SPDX-License-Identifier: GPL-2.0-only */
/* What is asked of a fleet: the words of the command line, understood. */
#ifndef KMP_CLI_FLEET_ASK_H
#define KMP_CLI_FLEET_ASK_H

#include "cli/cli.h"
#include "cli/fleet/by.h"

enum fleet_question { FLEET_TOP, FLEET_GROWERS, FLEET_HOSTS, FLEET_COMPARE };

/* `kernel=6.1*`; the value can be a pattern. */
struct fleet_label {
	const char *text; /* all of it, as typed */
	size_t name_len;
	const char *value;
};

enum { FLEET_CONDITIONS = 16 };

/* Times are ns since 1970. */
struct fleet_ask {
	enum fleet_question question;
	const struct fleet_by *by; /* of hosts: NULL if --by was not given */
	bool tags;
	const char *owner; /* of hosts: whose */
	uint64_t now;	   /* what is newest then; ages count from it */
	bool past;	   /* there are samples after now, which are left out */
	uint64_t since;	   /* 0: of no concern */
	uint64_t fresh;	   /* a sample that is older by so much tells nothing of a moment; ns */
	const char *hosts[FLEET_CONDITIONS]; /* patterns, of which one must hold */
	size_t host_count;
	struct fleet_label labels[FLEET_CONDITIONS]; /* all must hold; compare: two sides */
	size_t label_count;
};

/* KMP_ERROR_USAGE. */
struct kmp_error *fleet_ask_read(const struct cli_args *args, struct fleet_ask *ask);

/* Local time, as 2026-11-30T17:05:10. */
enum { FLEET_TIME = 40 };
const char *fleet_time(char buf[FLEET_TIME], uint64_t ns);

#endif
