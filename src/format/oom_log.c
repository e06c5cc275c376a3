// SPDX-License-Identifier: GPL-2.0-only
#include "format/oom_log.h"

#include "base/cleanup.h"
#include "format/log_prefix.h"
#include "format/tag_joiner.h"

static const char marker[] = "Memory allocations";
static const char marker_state[] = " (profiling is currently turned ";

enum { LOOK_LINES = 64 };

/* One report; the rows wait here, in a ledger, until no later report has come. */
struct report {
	struct kmp_ledger *ledger;
	uint64_t line;
	bool off;
};

struct reader {
	struct kmp_tag_joiner joiner; /* first: its functions find us by it */
	struct kmp_tag_buffer buffer;
	struct report now;
	struct report last; /* the last one that has rows */
	uint64_t reports;   /* that have rows */
};

static void reader_deinit(struct reader *r)
{
	kmp_tag_joiner_deinit(&r->joiner);
	vec_deinit(&r->buffer.bytes);
	kmp_ledger_destroy(r->now.ledger);
	kmp_ledger_destroy(r->last.ledger);
}

static bool has_rows(const struct report *report)
{
	return report->ledger && (kmp_ledger_count(report->ledger, KMP_LIST_TAGS) ||
				  kmp_ledger_losses(report->ledger)->skipped);
}

/* The report under way is complete. */
static void close_report(struct reader *r)
{
	if (has_rows(&r->now)) {
		kmp_ledger_destroy(r->last.ledger);
		r->last = r->now;
		r->reports++;
	} else {
		kmp_ledger_destroy(r->now.ledger);
	}
	r->now = (struct report){ 0 };
}

bool kmp_oom_log_is_title(const char *text, size_t len, bool *off)
{
	bool logged;
	size_t skip = kmp_log_prefix(text, len, &logged);

	text += skip;
	len -= skip;
	*off = false;
	if (len < sizeof(marker) || memcmp(text, marker, sizeof(marker) - 1))
		return false;
	text += sizeof(marker) - 1;
	len -= sizeof(marker) - 1;
	if (*text == ':')
		return true;
	if (len < sizeof(marker_state) + 2 || memcmp(text, marker_state, sizeof(marker_state) - 1))
		return false;
	*off = !memcmp(text + sizeof(marker_state) - 1, "off", 3);
	return true;
}

/* A log is full of lines that begin with a number: a row is what names a function. */
static bool is_meant_as_row(const struct kmp_tag_row *row)
{
	return row->kind == KMP_ROW_BAD &&
	       (row->file.len || memmem(row->text.text, row->text.len, "func:", 5));
}

static struct kmp_error *take_row(struct kmp_tag_joiner *joiner, const struct kmp_tag_row *row,
				  uint64_t line)
{
	struct reader *r = (struct reader *)joiner;
	struct kmp_tag tag;

	if (row->kind == KMP_ROW_TAG) {
		try(kmp_tag_row_get(row, &r->buffer, &tag));
		return kmp_ledger_add_tag(r->now.ledger, &tag);
	}
	if (is_meant_as_row(row))
		return kmp_ledger_add_skipped(r->now.ledger, line, row->reason);
	return NULL;
}

static bool wanted(struct kmp_tag_joiner *joiner, const struct kmp_tag_row *row)
{
	return row->file.len != 0;
}

static struct kmp_error *take_line(struct reader *r, const char *text, size_t len, uint64_t line)
{
	bool off;

	if (kmp_oom_log_is_title(text, len, &off)) {
		if (r->now.ledger)
			try(kmp_tag_joiner_finish(&r->joiner));
		close_report(r);
		try(kmp_ledger_create(&r->now.ledger));
		r->now.line = line;
		r->now.off = off;
		return NULL;
	}
	return r->now.ledger ? kmp_tag_joiner_feed(&r->joiner, text, len, line) : NULL;
}

static struct kmp_error *hand_over(struct reader *r, struct kmp_ledger *ledger)
{
	const struct kmp_ledger *from = r->last.ledger;
	const struct kmp_losses *losses = kmp_ledger_losses(from);
	struct kmp_facts facts = *kmp_ledger_facts(ledger);

	facts.kind = "oom report";
	facts.top_only = true;
	facts.profiling_off = r->last.off;
	try(kmp_ledger_set_facts(ledger, &facts));
	for (size_t i = 0; i < kmp_ledger_count(from, KMP_LIST_TAGS); i++)
		try(kmp_ledger_add_tag(ledger, &kmp_ledger_tags(from)[i]));
	for (uint64_t i = 0; i < losses->skipped; i++)
		try(kmp_ledger_add_skipped(ledger, losses->first_line, losses->first_reason));
	if (r->reports > 1)
		return kmp_ledger_warn(
			ledger, "the log holds %llu reports: this is the last one, of line %llu",
			(unsigned long long)r->reports, (unsigned long long)r->last.line);
	return NULL;
}

struct kmp_error *kmp_oom_log_read(struct kmp_lines *lines, struct kmp_ledger *ledger)
{
	cleanup(reader_deinit) struct reader r = { .joiner = { .row = take_row,
							       .wanted = wanted } };
	const char *text;
	size_t len;

	for (;;) {
		try(kmp_lines_next(lines, &text, &len));
		if (!text)
			break;
		try(take_line(&r, text, len, kmp_lines_number(lines)));
	}
	if (r.now.ledger)
		try(kmp_tag_joiner_finish(&r.joiner));
	close_report(&r);
	if (!r.last.ledger)
		return kmp_error_input(kmp_lines_path(lines), 0, NULL, 0,
				       "a kernel log without a list of memory allocations");
	return hand_over(&r, ledger);
}

bool kmp_oom_log_looks_like(const char *head, size_t len)
{
	size_t logged_lines = 0, others = 0;
	const char *end = head + len;

	if (memmem(head, len, marker, sizeof(marker) - 1))
		return true;
	for (const char *at = head; at < end && logged_lines + others < LOOK_LINES;) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *stop = newline ? newline : end;
		bool logged;

		kmp_log_prefix(at, (size_t)(stop - at), &logged);
		logged_lines += logged;
		others += !logged;
		at = stop + 1;
	}
	return logged_lines > others;
}
