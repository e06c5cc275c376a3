// SPDX-License-Identifier: GPL-2.0-only
/* kmemprof doctor: what this kernel offers, and what to do for more. */
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "cli/commands.h"
#include "cli/common.h"

DEFINE_CLEANUP(probe, struct kmp_probe *, kmp_probe_destroy)

static const struct kmp_probe_item *find(const struct kmp_probe *probe, const char *name)
{
	for (size_t i = 0; i < probe->count; i++) {
		if (!strcmp(probe->items[i].name, name))
			return &probe->items[i];
	}
	return NULL;
}

static bool is(const struct kmp_probe *probe, const char *name, const char *value)
{
	const struct kmp_probe_item *item = find(probe, name);

	return item && !strcmp(item->value, value);
}

static int widest(const struct kmp_probe *probe, bool value)
{
	size_t width = 0;

	for (size_t i = 0; i < probe->count; i++) {
		size_t len = strlen(value ? probe->items[i].value : probe->items[i].name);

		width = len > width ? len : width;
	}
	return (int)width;
}

/* What a kernel lacks is told with the release that has it. */
static void print_items(const struct kmp_probe *probe, FILE *out)
{
	int names = widest(probe, false), values = widest(probe, true);

	for (size_t i = 0; i < probe->count; i++) {
		const struct kmp_probe_item *item = &probe->items[i];
		bool lacks = *item->since && !strcmp(item->value, "no");
		bool more = lacks || *item->detail;

		fprintf(out, "%-*s  %-*s", names, item->name, more ? values : 0, item->value);
		if (*item->detail)
			fprintf(out, "  %s", item->detail);
		if (lacks)
			fprintf(out, "%s(Linux %s)", *item->detail ? " " : "  ", item->since);
		fputc('\n', out);
	}
}

static void print_cost(const struct kmp_probe_cost *cost, FILE *out)
{
	if (!cost->records)
		return;
	fprintf(out,
		"\nAll page owners: about %" PRIu64 " records, %" PRIu64
		" MiB of text, %.1f s to read with one CPU;\n"
		"a ledger file of about %" PRIu64 " KiB (from %" PRIu64 " records).\n",
		cost->records, cost->text_bytes >> 20, cost->seconds, (cost->file_bytes >> 10) + 1,
		cost->sampled);
}

static void print_advice(const struct kmp_probe *probe, FILE *out)
{
	fputc('\n', out);
	if (is(probe, "page_owner.readable", "yes"))
		fputs("Page owners: kmemprof report, kmemprof capture -o FILE.kmp\n", out);
	else if (is(probe, "page_owner.on", "yes"))
		fputs("Page owners are there: as root, with debugfs mounted.\n", out);
	else if (is(probe, "page_owner.built", "no"))
		fputs("No page owners: it takes a kernel with CONFIG_PAGE_OWNER.\n", out);
	if (is(probe, "profiling", "on"))
		fputs("Tags: kmemprof tags\n", out);
	else if (is(probe, "profiling", "off"))
		fputs("Tags stand still: sysctl vm.mem_profiling=1\n", out);
	else if (is(probe, "allocinfo.text", "no"))
		fputs("No tags: it takes Linux 6.10, built with CONFIG_MEM_ALLOC_PROFILING.\n",
		      out);
	if (is(probe, "bpf.record", "yes"))
		fputs("Without either: kmemprof record\n", out);
	else
		fprintf(out, "No recording: %s.\n", find(probe, "bpf.record")->detail);
	if (*probe->boot_line)
		fprintf(out, "Boot line: %s\n", probe->boot_line);
}

static void json_text(struct kmp_json *json, const char *name, const char *text)
{
	kmp_json_text(json, name, *text ? text : NULL, strlen(text));
}

static void print_json(const struct kmp_probe *probe, FILE *out)
{
	const struct kmp_probe_cost *cost = &probe->cost;
	struct kmp_json json;

	kmp_json_init(&json, out);
	kmp_json_open(&json, NULL, '{');
	json_text(&json, "kmemprof", kmp_version());
	json_text(&json, "verb", "doctor");
	kmp_json_open(&json, "kernel", '[');
	for (size_t i = 0; i < probe->count; i++) {
		const struct kmp_probe_item *item = &probe->items[i];

		kmp_json_open(&json, NULL, '{');
		json_text(&json, "name", item->name);
		json_text(&json, "value", item->value);
		json_text(&json, "detail", item->detail);
		json_text(&json, "since", item->since);
		json_text(&json, "commit", item->commit);
		kmp_json_close(&json, '}');
	}
	kmp_json_close(&json, ']');
	if (cost->records) {
		kmp_json_open(&json, "capture", '{');
		kmp_json_number(&json, "records", (int64_t)cost->records);
		kmp_json_number(&json, "text_bytes", (int64_t)cost->text_bytes);
		kmp_json_number(&json, "file_bytes", (int64_t)cost->file_bytes);
		kmp_json_real(&json, "seconds", cost->seconds);
		kmp_json_number(&json, "sampled", (int64_t)cost->sampled);
		kmp_json_close(&json, '}');
	} else {
		kmp_json_text(&json, "capture", NULL, 0);
	}
	json_text(&json, "boot_line", probe->boot_line);
	kmp_json_close(&json, '}');
	fputc('\n', out);
}

static struct kmp_error *run(struct cli_args *args)
{
	struct cli_output output cleanup(cli_output_deinit) = { 0 };
	struct kmp_probe *probe cleanup(cleanup_probe) = NULL;
	enum kmp_format format = KMP_FORMAT_TABLE;

	if (cli_value(args, "format"))
		try(kmp_format_parse(cli_value(args, "format"), &format));
	if (format != KMP_FORMAT_TABLE && format != KMP_FORMAT_JSON)
		return kmp_error_new(KMP_ERROR_USAGE, "--format: table or json");
	try(cli_output_open(args, &output));
	try(kmp_probe_kernel(cli_value(args, "root"), &probe));
	if (format == KMP_FORMAT_JSON) {
		print_json(probe, output.file);
	} else {
		print_items(probe, output.file);
		print_cost(&probe->cost, output.file);
		print_advice(probe, output.file);
	}
	return cli_output_commit(&output);
}

const struct cli_command cmd_doctor = {
	.name = "doctor",
	.summary = "tells what this kernel offers, and what to do for more",
	.synopsis = "",
	.details =
		"Looks for page_owner and its files, allocinfo, allocation profiling, BPF, and "
		"what "
		"is in\n"
		"the way: each is tried, none is switched. What is missing is an answer: the exit "
		"status\n"
		"is 0. What a capture would take is estimated from some hundred records.\n",
	.options =
		(const struct cli_option[]){
			{ "format", 'f', "FORMAT", "table or json", "table json" },
			{ "root", 'r', "DIR",
			  "a machine whose proc, sys and boot were copied there" },
			{ "output", 'o', "FILE",
			  "write there, in place when complete; not standard output" },
			{ 0 } },
	.run = run,
};
