/* SPDX-License-Identifier: GPL-2.0-only */
/* Where a server is: the parts of a URL. */
#ifndef KMP_CLI_FLEET_TARGET_H
#define KMP_CLI_FLEET_TARGET_H

#include "cli/cli.h"

struct target {
	char *base;	/* http://HOST:PORT/ */
	char *name;	/* HOST:PORT/DB, for messages */
	char *user;	/* or NULL */
	char *password; /* or NULL */
	char *database;
};

/* Take a URL apart; password_file may be NULL. KMP_ERROR_USAGE. */
struct kmp_error *target_parse(const char *url, const char *password_file, struct target *target);
void target_deinit(struct target *target);

#endif
