// SPDX-License-Identifier: GPL-2.0-only
/* kmemprof capture: what the kernel's files say now, kept in a ledger file. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "cli/capture-series.h"
#include "cli/commands.h"
#include "cli/common.h"
#include "cli/filter.h"
#include "cli/kernel.h"

DEFINE_CLEANUP(ledger, struct kmp_ledger *, kmp_ledger_destroy)
DEFINE_CLEANUP(source, struct kmp_source *, kmp_source_close)
DEFINE_CLEANUP(store, struct kmp_store *, kmp_store_abort)

/* Counts what goes by on its way to the file. */
struct counter {
	struct kmp_sink to;
	uint64_t records;
	uint64_t pages;
};

static struct kmp_error *count_pages(void *arg, struct kmp_ledger *ledger,
				     const struct kmp_page *pages, size_t count)
{
	struct counter *counter = arg;

	for (size_t i = 0; i < count; i++) {
		counter->records += pages[i].records;
		counter->pages += pages[i].pages;
	}
	return counter->to.pages(counter->to.arg, ledger, pages, count);
}

static struct kmp_error *check_target(const struct cli_args *args, const char *path)
{
	bool append = cli_value(args, "append") != NULL;
	bool force = cli_value(args, "force") != NULL;
	struct stat st;

	if (append && force)
		return kmp_error_new(KMP_ERROR_USAGE, "--append and --force exclude each other");
	if (stat(path, &st))
		return errno == ENOENT ? NULL : kmp_error_system(errno, path, "cannot write");
	if (!kmp_store_probe(path))
		return kmp_error_new(
			KMP_ERROR_INPUT,
			"%s: is there already, is not a ledger file and stays as it is", path);
	if (append || force)
		return NULL;
	return kmp_error_new(KMP_ERROR_INPUT,
			     "%s: is there already; --append adds a snapshot to it, --force "
			     "replaces it",
			     path);
}

/* The size of a text, 0 where it is unknown: several files, compressed, the kernel's own. */
static uint64_t text_size(const char *path)
{
	/* gzip, xz, zstd */
	static const unsigned char magics[][2] = { { 0x1f, 0x8b }, { 0xfd, '7' }, { 0x28, 0xb5 } };
	char head[4] = { 0 };
	struct stat st;

	if (stat(path, &st) || !S_ISREG(st.st_mode) || kmp_store_probe(path))
		return 0;
	FILE *f cleanup(cleanup_file) = fopen(path, "re");

	if (!f || fread(head, 1, sizeof(head), f) != sizeof(head))
		return 0;
	for (size_t i = 0; i < sizeof(magics) / sizeof(*magics); i++) {
		if (!memcmp(head, magics[i], sizeof(magics[i])))
			return 0;
	}
	return (uint64_t)st.st_size;
}

void cli_print_size(uint64_t bytes)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	double value = (double)bytes;
	size_t unit = 0;

	for (; value >= 1024 && unit < sizeof(units) / sizeof(*units) - 1; unit++)
		value /= 1024;
	printf(unit ? "%.1f %s" : "%.0f %s", value, units[unit]);
}

static void print_summary(const char *path, const char *source, const struct kmp_ledger *ledger,
			  const struct counter *counter, bool appended)
{
	size_t tags = kmp_ledger_count(ledger, KMP_LIST_TAGS);
	uint64_t text = text_size(source);
	struct stat st;

	printf("%s: ", path);
	if (counter->records || counter->pages || !tags) {
		printf("%" PRIu64 " records, %" PRIu64 " pages (", counter->records,
		       counter->pages);
		cli_print_size(counter->pages * kmp_ledger_facts(ledger)->page_size);
		printf(")%s", tags ? ", " : "");
	}
	if (tags)
		printf("%zu tags", tags);
	if (!stat(path, &st)) {
		printf("; the file has ");
		cli_print_size((uint64_t)st.st_size);
		if ((uint64_t)st.st_size < text && !appended)
			printf(", %.2f %% of the text", 100.0 * (double)st.st_size / (double)text);
	}
	putchar('\n');
}

static struct kmp_error *read_options(const struct cli_args *args,
				      struct kmp_source_options *options)
{
	const char *mode = cli_value(args, "mode");
	uint64_t threads = 0;

	if (cli_value(args, "threads"))
		try(cli_number(args, "threads", &threads));
	if (mode)
		try(cli_mode_parse(mode, &options->mode));
	options->threads = threads > 1000 ? 1000 : (unsigned)threads;
	options->nodes = cli_value(args, "node");
	return NULL;
}

static struct kmp_error *run(struct cli_args *args)
{
	struct kmp_source_options options = { 0 };
	struct kmp_ledger *ledger cleanup(cleanup_ledger) = NULL;
	struct kmp_source *source cleanup(cleanup_source) = NULL;
	struct kmp_store *store cleanup(cleanup_store) = NULL;
	const char *path = cli_value(args, "output");
	const char *from = cli_value(args, "source");
	bool append = cli_value(args, "append") && kmp_store_probe(path ? path : "");
	const char *missing = NULL;

	if (!path || !*path)
		return kmp_error_new(KMP_ERROR_USAGE, "which ledger file to write? -o FILE.kmp");
	try(read_options(args, &options));
	try(check_target(args, path));
	if (cli_value(args, "interval") || cli_value(args, "count"))
		return cli_capture_series(args, from, path, append);
	if (!from || !strcmp(from, "kernel"))
		try(cli_kernel_choose(&from, &missing));
	try(cli_source_open(from, KMP_READ_PAGES | KMP_READ_TAGS, &options, &source));
	try(kmp_ledger_create(&ledger));
	if (missing)
		try(kmp_ledger_warn(ledger, "no page owners: %s", missing));
	try(kmp_store_create(path, append, &store));
	struct counter counter = { .to = kmp_store_sink(store) };
	struct kmp_sink sink = { count_pages, &counter, counter.to.columns };

	uint32_t what = kmp_source_holds(source) & (KMP_READ_PAGES | KMP_READ_TAGS);

	try(kmp_source_read(source, ledger, what, &sink));
	try(cli_kernel_check_read(ledger, missing));
	try(kmp_store_commit(no_free(store), ledger));
	if (!cli_value(args, "quiet"))
		print_summary(path, from, ledger, &counter, append);
	cli_report_ledger(args, ledger);
	return NULL;
}

const struct cli_command cmd_capture = {
	.name = "capture",
	.summary = "keeps what the kernel's files say in a small ledger file",
	.synopsis = "",
	.details =
		"The running kernel is read (page_owner and what goes with it from "
		"/sys/kernel/debug,\n"
		"/proc/allocinfo), or what --source names: a dump of any kernel (- for standard "
		"input), a\n"
		"directory of the kernel's files, another ledger file.\n"
		"\n"
		"A file that is there already is left alone. --append adds a snapshot to a ledger "
		"file,\n"
		"or begins one; stacks, tasks and texts that it holds already are not written "
		"again.\n"
		"--force replaces a ledger file. What is no ledger file is never written over. The "
		"file\n"
		"appears, or changes, when it is complete; if the capture fails or is killed it "
		"does not.\n"
		"\n"
		"--interval and --count take a series of snapshots of the counts by stack "
		"(show_handles,\n"
		"the cheapest that there is), every second unless told. Ctrl-C ends it early and "
		"keeps\n"
		"the snapshots that are complete.\n"
		"\n"
		"Other verbs read FILE.kmp for its last snapshot and FILE.kmp@N for its Nth, from "
		"1. It\n"
		"is an SQLite database: docs/ledger-file.md.\n",
	.options =
		(const struct cli_option[]){
			{ "output", 'o', "FILE.kmp", "the ledger file to write" },
			{ "source", 'S', "FILE|DIR|kernel",
			  "what to read; the kernel unless told" },
			{ "append", 'a', NULL, "add a snapshot to the file" },
			{ "force", 'F', NULL, "replace the ledger file that is there" },
			{ "threads", 'j', "N", "read and parse by so many threads; the CPUs" },
			{ "node", 'n', "LIST", "only pages of these nodes: 0,2-3" },
			{ "mode", 'm', "MODE",
			  "what the kernel prints: stack, handle, stack_handle; the "
			  "cheapest",
			  CLI_MODE_WORDS },
			{ "interval", 'i', "TIME",
			  "the kernel's counts by stack again and again: 100ms, 1s; 0: at once" },
			{ "count", 'c', "N", "so many times; until it is interrupted" },
			{ "quiet", 'q', NULL, "do not tell what was captured" },
			{ 0 } },
	.run = run,
};
