// SPDX-License-Identifier: GPL-2.0-only
/*
 * kmemprof_status: a file of ours, a line for each thing that is known of what is served. Names are
 * a promise, kmemprof umount reads them.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "serve/text_file.h"

DEFINE_CLEANUP(ledger, struct kmp_ledger *, kmp_ledger_destroy)

static void print_warnings(const struct kmp_ledger *ledger, const char *name, FILE *out)
{
	for (size_t i = 0; i < kmp_ledger_count(ledger, KMP_LIST_WARNINGS); i++)
		fprintf(out, "%s: %s\n", name, kmp_ledger_warning(ledger, i));
}

static struct kmp_error *print(struct kmp_served *served, int which, FILE *out)
{
	struct kmp_ledger *now cleanup(cleanup_ledger) = NULL;
	const struct kmp_losses *losses = kmp_ledger_losses(served->ledger);

	(void)which;
	try(kmp_ledger_create(&now));
	if (served->ops->losses)
		try(served->ops->losses(served, now));
	fprintf(out, "source: %s\n", served->recorder ? "live" : "read");
	fprintf(out, "dropped: %" PRIu64 "\n", losses->dropped + kmp_ledger_losses(now)->dropped);
	fprintf(out, "skipped: %" PRIu64 "\n", losses->skipped);
	fprintf(out, "cut: %" PRIu64 "\n", losses->cut);
	print_warnings(now, "loss", out);
	print_warnings(served->ledger, "warning", out);
	return served->ops->print_figures ? served->ops->print_figures(served, out) : NULL;
}

static int open_status(struct kmp_served *served, struct kmp_open_file **file)
{
	return kmp_text_file_open(served, print, 0, file);
}

const struct kmp_file_ops kmp_status_ops = {
	.open = open_status,
	.release = kmp_text_file_release,
	.read = kmp_text_file_read,
};

static void tell(struct kmp_served *served)
{
	struct kmp_ledger *now cleanup(cleanup_ledger) = NULL;
	struct kmp_error *err = kmp_ledger_create(&now);

	if (!err)
		err = served->ops->losses(served, now);
	/* It is looked for again; who opens the status sees what is wrong. */
	kmp_error_destroy(err);
	size_t count = err ? 0 : kmp_ledger_count(now, KMP_LIST_WARNINGS);
	uint64_t told = served->told;

	/* Another kind than before: how many is in the status. */
	if (count <= told || !atomic_compare_exchange_strong(&served->told, &told, count))
		return;
	for (size_t i = 0; i < count; i++)
		served->on_loss(served->on_loss_arg, kmp_ledger_warning(now, i));
}

void kmp_served_look(struct kmp_served *served)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	uint64_t last = served->looked;

	if (!served->on_loss || !served->ops->losses || (last && now - last < 1000000000) ||
	    !atomic_compare_exchange_strong(&served->looked, &last, now))
		return;
	tell(served);
}
