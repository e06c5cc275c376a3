// SPDX-License-Identifier: GPL-2.0-only
/*
 * page_owner text of any kind: what is read does not depend on where it is cut into blocks, and
 * each record read is printed as something that reads as one record again.
 */
#include <stdlib.h>
#include <string.h>

#include "base/scan.h"
#include "format/page_owner.h"
#include "ledger/ledger.h"

struct sums {
	uint64_t records;
	uint64_t pages;
	uint64_t skips;
};

static void check(bool ok)
{
	if (!ok)
		abort();
}

static void parse(struct kmp_po_parser *parser, const char *text, size_t len, bool at_end,
		  struct kmp_po_result *result, struct sums *sums)
{
	char *padded = calloc(1, len + SCAN_PAD);

	memcpy(padded, text, len);
	check(!kmp_po_parse(parser, padded, len, at_end, result));
	for (size_t i = 0; i < result->pages.len; i++) {
		sums->records += result->pages.data[i].records;
		sums->pages += result->pages.data[i].pages;
	}
	sums->skips += result->skips.len;
	free(padded);
}

static void print_all(struct kmp_ledger *ledger, const struct kmp_po_result *result)
{
	char *buf = NULL;
	size_t len = 0;
	size_t cap = 0;

	for (size_t i = 0; i < result->pages.len; i++)
		check(!kmp_page_print(ledger, &result->pages.data[i], KMP_MODE_AS_READ, &buf, &len,
				      &cap));
	free(buf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct kmp_po_result result = { 0 };
	struct sums whole = { 0 };
	struct sums parts = { 0 };
	struct kmp_ledger *ledger;
	struct kmp_po_parser *parser;

	check(!kmp_ledger_create(&ledger));
	check(!kmp_po_parser_create(ledger, &parser));
	kmp_po_looks_like(text, size);
	parse(parser, text, size, true, &result, &whole);
	print_all(ledger, &result);

	size_t split = kmp_po_split(text, size);

	check(split < size || !size);
	parse(parser, text, split, false, &result, &parts);
	parse(parser, text + split, size - split, true, &result, &parts);
	check(parts.records == whole.records && parts.pages == whole.pages);
	check(parts.skips == whole.skips);
	vec_deinit(&result.pages);
	vec_deinit(&result.skips);
	kmp_po_parser_destroy(parser);
	kmp_ledger_destroy(ledger);
	return 0;
}
