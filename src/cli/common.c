// SPDX-License-Identifier: GPL-2.0-only
#include "cli/common.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/kernel.h"

static void choose_width(const struct cli_output *output, struct kmp_view *view)
{
	struct winsize size;
	const char *no_color = getenv("NO_COLOR");

	if (!isatty(fileno(output->file)))
		return;
	view->colour = !no_color || !*no_color;
	if (!ioctl(fileno(output->file), TIOCGWINSZ, &size))
		view->width = size.ws_col;
}

struct kmp_error *cli_view(const struct cli_args *args, const struct cli_output *output,
			   struct kmp_view *view)
{
	const char *format = cli_value(args, "format");
	uint64_t limit;

	*view = (struct kmp_view){ .verb = args->command->name };
	if (format)
		try(kmp_format_parse(format, &view->format));
	limit = view->format == KMP_FORMAT_TABLE ? CLI_LIMIT : 0;
	if (cli_value(args, "limit"))
		try(cli_number(args, "limit", &limit));
	view->limit = limit > SIZE_MAX ? SIZE_MAX : (size_t)limit;
	view->exact = cli_value(args, "bytes") != NULL;
	choose_width(output, view);
	return NULL;
}

/* Say which file could not be written. */
static struct kmp_error *write_groups(const struct kmp_groups *groups,
				      const struct cli_output *output, const struct kmp_view *view)
{
	struct kmp_error *err = kmp_groups_write(groups, output->file, view);

	if (!err || err->kind != KMP_ERROR_SYSTEM || err->path)
		return err;
	struct kmp_error *named = kmp_error_system(
		err->errnum, output->path ? output->path : "standard output", "%s", err->message);

	kmp_error_destroy(err);
	return named;
}

/* What CSV and folded stacks have no place for. */
static void report_facts(const struct kmp_groups *groups)
{
	if (groups->facts.profiling_off || groups->facts_before.profiling_off)
		fputs("kmemprof: warning: allocation profiling was off: the figures stood still\n",
		      stderr);
	if (groups->facts.top_only || groups->facts_before.top_only)
		fputs("kmemprof: warning: only the largest locations are there\n", stderr);
}

struct kmp_error *cli_write_groups(struct cli_args *args, struct kmp_groups *groups,
				   struct cli_output *output)
{
	return cli_write_page(args, groups, NULL, output);
}

struct kmp_error *cli_write_page(struct cli_args *args, struct kmp_groups *groups,
				 const struct cli_page *page, struct cli_output *output)
{
	const struct kmp_losses *losses = &groups->losses;
	const char *sort = cli_value(args, "sort");
	struct kmp_view view;

	try(cli_view(args, output, &view));
	if (page) {
		view.tags = page->tags;
		view.timelines = page->timelines;
		view.timeline_count = page->timeline_count;
	}
	if (sort)
		try(kmp_groups_sort(groups, sort));
	try(write_groups(groups, output, &view));
	try(cli_output_commit(output));
	/* A table tells them itself, to whoever sees it. */
	if (view.format != KMP_FORMAT_TABLE && view.format != KMP_FORMAT_JSON)
		report_facts(groups);
	if (view.format != KMP_FORMAT_TABLE || output->path)
		cli_report_losses(args, losses, groups->warnings, groups->warning_count);
	else if (losses->skipped || losses->cut || losses->dropped)
		args->status = CLI_LOSSES;
	return NULL;
}

static bool parse_unit(const char *text, int *shift)
{
	static const char letters[] = "KMGTPE";
	const char *found = *text ? strchr(letters, toupper((unsigned char)*text)) : NULL;

	*shift = found ? 10 * (int)(found - letters + 1) : 0;
	text += found != NULL;
	text += found && *text == 'i';
	text += *text == 'B';
	return !*text;
}

struct kmp_error *cli_size(const struct cli_args *args, const char *option, int64_t *bytes)
{
	const char *text = cli_value(args, option);
	char *end;
	int shift;

	errno = 0;
	long double value = strtold(text, &end);
	bool decimal = strspn(text, "-0123456789.") == (size_t)(end - text);

	if (errno || end == text || !decimal || !parse_unit(end, &shift))
		return kmp_error_new(KMP_ERROR_USAGE,
				     "--%s: '%s' is no size, such as 4096, 4K or 1M", option, text);
	value *= (long double)(UINT64_C(1) << shift);
	if (value >= 0x1p63L || value < -0x1p63L)
		return kmp_error_new(KMP_ERROR_USAGE, "--%s: '%s' is beyond 64 bits", option, text);
	*bytes = (int64_t)value;
	return NULL;
}

static bool progress_shown;

/* Once a second, after the first one. */
static void show_progress(void *arg, uint64_t done, uint64_t total)
{
	static time_t last;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (!last)
		last = now.tv_sec + 1;
	if (now.tv_sec <= last)
		return;
	last = now.tv_sec;
	progress_shown = true;
	if (total)
		fprintf(stderr, "\r%3llu %% of %llu MiB read\033[K",
			(unsigned long long)(done * 100 / total),
			(unsigned long long)(total >> 20));
	else
		fprintf(stderr, "\r%llu MiB read\033[K", (unsigned long long)(done >> 20));
}

static void clear_progress(void)
{
	if (progress_shown)
		fputs("\r\033[K", stderr);
}

static void print_note(void *arg, const char *line)
{
	(void)arg;
	clear_progress();
	fprintf(stderr, "kmemprof: %s\n", line);
}

void cli_set_note(const struct cli_args *args, struct kmp_source_options *options)
{
	if (cli_value(args, "verbose"))
		options->note = print_note;
}

const char *cli_page_owner_path(const struct cli_args *args)
{
	return args->count ? args->rest[0] : CLI_KERNEL;
}

static const char *missing(uint32_t what)
{
	if (what == KMP_READ_TAGS)
		return "tags, as /proc/allocinfo does";
	return what == KMP_READ_PAGES ? "page owners, as page_owner does" : "page owners or tags";
}

struct kmp_error *cli_source_open(const char *path, uint32_t what,
				  const struct kmp_source_options *asked,
				  struct kmp_source **source)
{
	struct kmp_source_options options = { 0 };
	struct kmp_source *opened;

	if (asked)
		options = *asked;

	if (isatty(STDERR_FILENO)) {
		options.progress = show_progress;
		atexit(clear_progress);
	}
	try(cli_kernel_check(path));
	try(kmp_source_open(path, &options, &opened));
	if (!(kmp_source_holds(opened) & what)) {
		kmp_source_close(opened);
		return kmp_error_new(KMP_ERROR_INPUT, "%s: holds no %s", path, missing(what));
	}
	*source = opened;
	return NULL;
}
