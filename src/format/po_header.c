// SPDX-License-Identifier: GPL-2.0-only
#include "format/po_header.h"

#include <ctype.h>

#include "base/scan.h"

/* A header's text, eaten from the left. */
struct head {
	struct kmp_po_parser *p;
	const char *at;
	const char *end;
	struct po_record *record;
	const char *reason;
};

/* The kernel keeps this many bytes of a task's name. */
enum { TASK_NAME_MAX = 15 };

void kmp_po_record_init(struct po_record *record)
{
	record->page = kmp_po_blank_page;
	record->pid = record->tgid = -1;
	record->comm = KMP_NONE;
	record->no_unit = false;
	record->extra.len = 0;
}

struct kmp_error *kmp_po_keep(struct po_record *record, const char *text, size_t len)
{
	if (record->extra.len)
		try(vec_push(&record->extra, '\n'));
	return vec_append(&record->extra, text, len);
}

static void skip_blanks(struct head *h)
{
	while (h->at < h->end && isspace((unsigned char)*h->at))
		h->at++;
}

static bool wrong(struct head *h, const char *reason)
{
	if (!h->reason)
		h->reason = reason;
	return false;
}

static bool number(struct head *h, uint64_t *value, const char *reason)
{
	skip_blanks(h);
	return scan_decimal(&h->at, value) || wrong(h, reason);
}

static struct kmp_error *mask(struct head *h)
{
	const char *start;
	uint64_t value;

	skip_blanks(h);
	start = h->at;
	if (!scan_word(&h->at, "0x") || !scan_hex(&h->at, &value)) {
		wrong(h, "header: mask missing");
		return NULL;
	}
	if (*h->at == '(') {
		const char *close = memchr(h->at, ')', (size_t)(h->end - h->at));

		if (!close) {
			wrong(h, "header: mask not closed");
			return NULL;
		}
		h->at = close + 1;
	}
	h->record->page.form |= KMP_FORM_MASK;
	return kmp_ledger_add_text(h->p->ledger, KMP_DICT_GFP, start, (size_t)(h->at - start),
				   &h->record->page.gfp);
}

/* The last `close` followed by `, ts `, or at the end: task names may hold anything before it. */
static const char *comm_end(const char *at, const char *end, char close)
{
	for (const char *p = end - 1; p >= at; p--) {
		if (*p == close && (p + 1 == end || !memcmp(p + 1, ", ts ", 5)))
			return p;
	}
	return NULL;
}

static struct kmp_error *comm(struct head *h, char close)
{
	const char *stop = comm_end(h->at, h->end, close);

	if (!stop) {
		wrong(h, "header: task name not closed");
		return NULL;
	}
	h->record->page.form |= KMP_FORM_COMM;
	try(kmp_ledger_add_text(h->p->ledger, KMP_DICT_COMM, h->at, (size_t)(stop - h->at),
				&h->record->comm));
	h->at = stop + 1;
	return NULL;
}

static struct kmp_error *pid(struct head *h, int64_t *to, uint32_t form)
{
	uint64_t value;

	if (!number(h, &value, "header: pid missing"))
		return NULL;
	if (value > INT32_MAX) {
		wrong(h, "header: pid out of range");
		return NULL;
	}
	*to = (int64_t)value;
	h->record->page.form |= form;
	if (!scan_word(&h->at, " ("))
		return NULL;
	return comm(h, ')');
}

/* `N ns`; N may be missing (page_owner_sort removes it), the unit too. */
static bool moment(struct head *h, uint64_t *to)
{
	skip_blanks(h);
	bool told = scan_decimal(&h->at, to);

	if (scan_word(&h->at, " ns") || scan_word(&h->at, "ns"))
		return true;
	if (!told)
		return wrong(h, "header: time missing");
	if (*h->at == 's') {
		h->at++;
		h->record->no_unit = true;
	}
	return false;
}

static struct kmp_error *field(struct head *h)
{
	struct kmp_page *page = &h->record->page;

	if (scan_word(&h->at, "mask") || scan_word(&h->at, "gfp_mask"))
		return mask(h);
	if (scan_word(&h->at, "pid"))
		return pid(h, &h->record->pid, KMP_FORM_PID);
	if (scan_word(&h->at, "tgid"))
		return pid(h, &h->record->tgid, KMP_FORM_TGID);
	if (scan_word(&h->at, "task_name ["))
		return comm(h, ']');
	if (scan_word(&h->at, "ts")) {
		/* `ts  ns` is printed so again, though no time is told. */
		if (moment(h, &page->ts))
			page->form |= KMP_FORM_TS | KMP_FORM_TS_NS;
		else if (page->ts != KMP_UNKNOWN)
			page->form |= KMP_FORM_TS;
		return NULL;
	}
	if (scan_word(&h->at, "free_ts")) {
		moment(h, &page->free_ts);
		page->form |= KMP_FORM_FREE_TS;
		return NULL;
	}
	if (scan_word(&h->at, "migratetype ")) {
		const char *start = h->at;

		while (h->at < h->end && *h->at != ',' && !isspace((unsigned char)*h->at))
			h->at++;
		return kmp_ledger_add_text(h->p->ledger, KMP_DICT_TYPE, start,
					   (size_t)(h->at - start), &page->type);
	}
	wrong(h, "header: unknown word");
	return NULL;
}

static struct kmp_error *header(struct head *h)
{
	static const char via[] = "allocated via order";
	const char *start = memmem(h->at, (size_t)(h->end - h->at), via, sizeof(via) - 1);
	uint64_t order;

	if (!start) {
		wrong(h, "header: 'allocated via order' missing");
		return NULL;
	}
	h->at = start + sizeof(via) - 1;
	if (!number(h, &order, "header: order missing"))
		return NULL;
	if (order > 30) {
		wrong(h, "header: order out of range");
		return NULL;
	}
	h->record->page.order = (uint8_t)order;
	h->record->page.pages = 1ull << order;
	for (;;) {
		skip_blanks(h);
		if (h->at == h->end || h->reason)
			return NULL;
		if (*h->at != ',') {
			wrong(h, "header: comma missing");
			return NULL;
		}
		h->at++;
		skip_blanks(h);
		if (h->at == h->end) {
			wrong(h, "header: ends in a comma");
			return NULL;
		}
		try(field(h));
	}
}

struct kmp_error *kmp_po_header(struct kmp_po_parser *p, const char *text, size_t len,
				struct po_record *record, const char **reason)
{
	struct head h = { p, text, text + len, record, NULL };

	try(header(&h));
	if (!h.reason && h.at > h.end)
		h.reason = "header: cut";
	*reason = h.reason;
	return NULL;
}

bool kmp_po_comm_is_open(const char *text, size_t len)
{
	const char *open = memmem(text, len, "pid ", 4);

	if (!open)
		return false;
	open = memchr(open, '(', (size_t)(text + len - open));
	return open && text + len - (open + 1) < TASK_NAME_MAX &&
	       !comm_end(open + 1, text + len, ')');
}

static struct kmp_error *type(struct head *h, bool block_seen)
{
	struct kmp_page *page = &h->record->page;
	uint32_t *to = block_seen ? &page->block_type : &page->type;
	const char *start;

	skip_blanks(h);
	start = h->at;
	while (h->at < h->end && !isspace((unsigned char)*h->at))
		h->at++;
	return kmp_ledger_add_text(h->p->ledger, KMP_DICT_TYPE, start, (size_t)(h->at - start), to);
}

/* The rest of the line. Letters stand in columns, so that blanks count; names are trimmed. */
static struct kmp_error *flags(struct head *h)
{
	const char *end = h->end;

	if (h->at < end && *h->at == ' ')
		h->at++;
	if (!memcmp(h->at, "0x", 2)) {
		while (end > h->at && isspace((unsigned char)end[-1]))
			end--;
		if (memchr(h->at, '(', (size_t)(end - h->at)) && end[-1] != ')')
			wrong(h, "PFN line: flags not closed");
	}
	const char *start = h->at;

	h->at = h->end;
	return kmp_ledger_add_text(h->p->ledger, KMP_DICT_FLAGS, start, (size_t)(end - start),
				   &h->record->page.flags);
}

static struct kmp_error *pfn_fields(struct head *h)
{
	struct kmp_page *page = &h->record->page;
	bool block = false;
	const char *start;

	while (!h->reason) {
		skip_blanks(h);
		start = h->at;
		if (h->at == h->end) {
			wrong(h, "PFN line: flags missing");
		} else if (scan_word(&h->at, "Flags")) {
			return flags(h);
		} else if (scan_word(&h->at, "Block")) {
			block = number(h, &page->block, "PFN line: block missing");
			if (page->type == KMP_NONE)
				page->form |= KMP_FORM_OLD_PFN;
		} else if (scan_word(&h->at, "type")) {
			try(type(h, block));
		} else if (scan_word(&h->at, "Fallback")) {
			page->form |= KMP_FORM_FALLBACK;
		} else {
			/* `Page ffffffbe04fc0000` of vendor kernels, and what else there may be */
			while (h->at < h->end && !isspace((unsigned char)*h->at))
				h->at++;
			try(kmp_po_keep(h->record, start, (size_t)(h->at - start)));
		}
	}
	return NULL;
}

struct kmp_error *kmp_po_pfn_line(struct kmp_po_parser *p, const char *text, size_t len,
				  struct po_record *record, const char **reason)
{
	struct head h = { p, text, text + len, record, NULL };
	struct kmp_page *page = &record->page;

	page->type = page->block_type = page->flags = KMP_NONE;
	page->form &= ~(uint32_t)(KMP_FORM_OLD_PFN | KMP_FORM_FALLBACK | KMP_FORM_PFN_HEX);
	if (!scan_word(&h.at, "PFN")) {
		*reason = "PFN missing";
		return NULL;
	}
	skip_blanks(&h);
	if (scan_word(&h.at, "0x")) {
		page->form |= KMP_FORM_PFN_HEX;
		if (!scan_hex(&h.at, &page->pfn))
			wrong(&h, "PFN line: PFN missing");
	} else if (!scan_decimal(&h.at, &page->pfn)) {
		wrong(&h, "PFN line: PFN missing");
	}
	page->form |= KMP_FORM_PFN;
	try(pfn_fields(&h));
	/* 3.19 prints one type: the block's, which is the allocation's too but for a fallback. */
	if ((page->form & KMP_FORM_OLD_PFN) && !(page->form & KMP_FORM_FALLBACK))
		page->type = page->block_type;
	*reason = h.reason;
	return NULL;
}
