/* SPDX-License-Identifier: GPL-2.0-only */
/* Bodies of inserts, compressed: zstd where the server knows it, or else gzip. */
#ifndef KMP_CLI_FLEET_PACK_H
#define KMP_CLI_FLEET_PACK_H

#include "cli/fleet/row.h"

/* The header that tells a server of this version. */
const char *pack_header(unsigned version);

struct kmp_error *pack_rows(unsigned version, const struct row_writer *rows,
			    struct row_writer *packed);

#endif
