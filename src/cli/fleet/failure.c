// SPDX-License-Identifier: GPL-2.0-only
#include "cli/fleet/failure.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 300 };

/* Errors that stay until somebody does something about them. */
static const int refusals[] = {
	16,  /* no such column */
	36,  /* bad arguments */
	47,  /* unknown identifier */
	48,  /* not implemented */
	50,  /* unknown type */
	53,  /* type mismatch */
	56,  /* unknown engine */
	57,  /* the table exists */
	60,  /* unknown table */
	62,  /* syntax */
	80,  /* incorrect query */
	81,  /* unknown database */
	115, /* unknown setting */
	164, /* read-only user */
	170, /* unknown cluster */
	192, /* unknown user */
	193, /* wrong password */
	194, /* password needed */
	195, /* address not allowed */
	291, /* no access to the database */
	452, /* setting not allowed */
	497, /* no access */
	516, /* authentication failed */
};

struct kmp_error *failure_of_curl(struct failure *failure, int code, const char *text)
{
	switch (code) {
	case CURLE_ABORTED_BY_CALLBACK:
		failure->trouble = CLICKHOUSE_STOPPED;
		return kmp_error_new(KMP_ERROR_STOPPED, "%s: given up", failure->where);
	case CURLE_COULDNT_RESOLVE_HOST:
	case CURLE_COULDNT_RESOLVE_PROXY:
	case CURLE_COULDNT_CONNECT:
	case CURLE_SSL_CONNECT_ERROR:
		failure->trouble = CLICKHOUSE_AWAY;
		break;
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_CACERT_BADFILE:
	case CURLE_URL_MALFORMAT:
	case CURLE_UNSUPPORTED_PROTOCOL:
		failure->trouble = CLICKHOUSE_REFUSED;
		break;
	case CURLE_WRITE_ERROR:
		failure->trouble = CLICKHOUSE_REFUSED;
		return kmp_error_new(KMP_ERROR_LIMIT, "%s: the answer is too large",
				     failure->where);
	default:
		failure->trouble = CLICKHOUSE_SILENT;
	}
	return kmp_error_new(KMP_ERROR_SYSTEM, "%s: %.300s", failure->where, text);
}

/* The words that tell: behind the last `Exception: `, up to what is of no use to people. */
static void copy_text(const char *text, size_t len, char *to)
{
	static const char mark[] = "Exception: ";
	size_t out = 0;

	for (;;) {
		const char *found = memmem(text, len, mark, strlen(mark));

		if (!found)
			break;
		len -= (size_t)(found - text) + strlen(mark);
		text = found + strlen(mark);
	}
	const char *end = memmem(text, len, ", e.what() =", 12);

	if (end)
		len = (size_t)(end - text);
	for (; out < len && out < TEXT_MAX && text[out] && text[out] != '\n'; out++)
		to[out] = (unsigned char)text[out] < 0x20 ? '?' : text[out];
	to[out] = '\0';
}

struct kmp_error *failure_of_answer(struct failure *failure, long status, const char *text,
				    size_t len)
{
	static const char begin[] = "Code: ";
	char said[TEXT_MAX + 1], number[12] = "";

	if (len > strlen(begin) && !memcmp(text, begin, strlen(begin)))
		for (size_t i = strlen(begin), n = 0; i < len && n < 6; i++, n++) {
			if (text[i] < '0' || text[i] > '9')
				break;
			number[n] = text[i];
		}
	failure->code = atoi(number);
	failure->trouble = CLICKHOUSE_BUSY;
	for (size_t i = 0; i < sizeof(refusals) / sizeof(*refusals); i++) {
		if (failure->code == refusals[i])
			failure->trouble = CLICKHOUSE_REFUSED;
	}
	if (!failure->code && status >= 400 && status < 500 && status != 408 && status != 429)
		failure->trouble = CLICKHOUSE_REFUSED;
	copy_text(text ? text : "", text ? len : 0, said);
	if (!failure->code)
		return kmp_error_new(KMP_ERROR_INPUT, "%s: HTTP status %ld: %s", failure->where,
				     status, said);
	return kmp_error_new(KMP_ERROR_INPUT, "%s: %s (ClickHouse's code %d)", failure->where, said,
			     failure->code);
}
