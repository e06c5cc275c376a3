// SPDX-License-Identifier: GPL-2.0-only
/* What goes wrong, told on standard error and by the exit status. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "cli/cli.h"

int cli_report_error(struct kmp_error *err)
{
	char *text = kmp_error_format(err);
	int status = err->kind == KMP_ERROR_USAGE ? CLI_USAGE : CLI_FAILED;

	fprintf(stderr, "kmemprof: %s\n", text ? text : err->message);
	free(text);
	kmp_error_destroy(err);
	return status;
}

static void report_warning(const char *warning)
{
	fprintf(stderr, "kmemprof: warning: %s\n", warning);
}

static void report_counts(struct cli_args *args, const struct kmp_losses *losses)
{
	if (losses->skipped && losses->first_line)
		fprintf(stderr,
			"kmemprof: %" PRIu64 " records skipped, first at line %" PRIu64 ": %s\n",
			losses->skipped, losses->first_line, losses->first_reason);
	else if (losses->skipped)
		fprintf(stderr, "kmemprof: %" PRIu64 " records skipped: %s\n", losses->skipped,
			losses->first_reason);
	if (losses->cut)
		fprintf(stderr, "kmemprof: %" PRIu64 " records cut by the end of the file\n",
			losses->cut);
	if (losses->dropped)
		fprintf(stderr, "kmemprof: %" PRIu64 " events dropped\n", losses->dropped);
	if (losses->skipped || losses->cut || losses->dropped)
		args->status = CLI_LOSSES;
}

void cli_report_losses(struct cli_args *args, const struct kmp_losses *losses,
		       const char *const *warnings, size_t count)
{
	for (size_t i = 0; i < count; i++)
		report_warning(warnings[i]);
	report_counts(args, losses);
}

void cli_report_ledger(struct cli_args *args, const struct kmp_ledger *ledger)
{
	for (size_t i = 0; i < kmp_ledger_count(ledger, KMP_LIST_WARNINGS); i++)
		report_warning(kmp_ledger_warning(ledger, i));
	report_counts(args, kmp_ledger_losses(ledger));
}

struct kmp_error *cli_close_output(FILE *out, const char *path)
{
	if (!ferror(out) && !fflush(out))
		return NULL;
	return kmp_error_system(errno, path, "cannot write");
}
