// SPDX-License-Identifier: GPL-2.0-only
#include "store/schema.h"

#include <string.h>

#include "store/pack.h"
#include "store/store.h"

/* clang-format off */
#define TEXT "CREATE TABLE text(kind TEXT, id INT, text TEXT, PRIMARY KEY(kind, id)) WITHOUT ROWID"
#define FRAME "CREATE TABLE frame(id INTEGER PRIMARY KEY, function TEXT, offset INT, size INT," \
	" module TEXT, address INT)"
#define STACK "CREATE TABLE stack(id INTEGER PRIMARY KEY, handle INT, same INT, frames TEXT)"
#define TASK "CREATE TABLE task(id INTEGER PRIMARY KEY, pid INT, tgid INT, comm INT)"
#define CHARGE "CREATE TABLE charge(id INTEGER PRIMARY KEY, memcg INT, objcg INT, offline INT," \
	" old_spelling INT)"
#define LOCATION "CREATE TABLE location(id INTEGER PRIMARY KEY, file TEXT, line INT, module TEXT," \
	" function TEXT, extra TEXT)"
#define STACK_FRAME "CREATE VIEW stack_frame AS" \
	" WITH RECURSIVE n(depth) AS (SELECT 1 UNION ALL SELECT depth + 1 FROM n" \
	" WHERE depth < (SELECT max(length(frames)) FROM stack))," \
	" c(stack, depth, code) AS (SELECT s.id, depth, unicode(substr(t.frames, depth, 1))" \
	" FROM stack s JOIN stack t ON t.id = coalesce(s.same, s.id)" \
	" JOIN n ON depth <= length(t.frames))" \
	" SELECT stack, depth, code - 2048 * (code > 57343) - 2 * (code > 65535) AS frame FROM c"

const char *const kmp_store_schema[] = {
	"CREATE TABLE snapshot(id INTEGER PRIMARY KEY, time INT, name TEXT, kind TEXT, mode TEXT,"
	" kernel TEXT, page_size INT, nodes INT, profiling_off INT, top_only INT, skipped INT,"
	" dropped INT, cut INT, first_line INT, first_reason TEXT, holds INT, entries INT,"
	" records INT, pages INT, form INT, stacks INT, stack_ids BLOB, first_owner INT, owners INT, first_state INT, states INT,"
	" first_chunk INT, chunks INT, first_tag INT, tags INT, time_ns INT)",
	TEXT,
	FRAME,
	STACK,
	TASK,
	CHARGE,
	"CREATE TABLE owner(id INTEGER PRIMARY KEY, snapshot INT, stack INT, task INT,"
	" \"order\" INT, gfp INT, type INT, form INT, records INT, pages INT)",
	"CREATE TABLE state(id INTEGER PRIMARY KEY, snapshot INT, flags INT, block_type INT,"
	" charge INT, reason INT, extra INT)",
	LOCATION,
	"CREATE TABLE tag(id INTEGER PRIMARY KEY, snapshot INT, location INT, bytes INT, calls INT,"
	" accurate INT, approximate INT)",
	"CREATE TABLE zone(id INTEGER PRIMARY KEY, snapshot INT, node INT, zone INT, name TEXT)",
	"CREATE TABLE warning(id INTEGER PRIMARY KEY, snapshot INT, text TEXT)",
	"CREATE TABLE chunk(id INTEGER PRIMARY KEY, snapshot INT, entries INT, block_shift INT,"
	" owner BLOB, state BLOB, records BLOB, pages BLOB, pfn BLOB, block BLOB, free_ts BLOB,"
	" ts BLOB)",
	STACK_FRAME,
	NULL,
};

const char *const kmp_history_schema[] = {
	"CREATE TABLE session(id INTEGER PRIMARY KEY, boot TEXT, host TEXT, kernel TEXT, name TEXT,"
	" kind TEXT, mode TEXT, page_size INT, nodes INT, memory INT, profiling_off INT,"
	" top_only INT)",
	"CREATE TABLE sample(id INTEGER PRIMARY KEY, session INT, time INT, time_ns INT, uptime INT,"
	" free INT, available INT, holds INT, pages INT, records INT, bytes INT, calls INT,"
	" skipped INT, dropped INT, cut INT, step INT, block INT)",
	"CREATE TABLE change(sample INTEGER PRIMARY KEY, data BLOB)",
	"CREATE TABLE series(id INTEGER PRIMARY KEY, stack INT, task INT, \"order\" INT, gfp INT,"
	" type INT, node INT, zone INT, location INT, sample INT, value INT, count INT)",
	"CREATE TABLE latest(series INTEGER PRIMARY KEY, sample INT, value INT, count INT)",
	"CREATE TABLE zone(id INTEGER PRIMARY KEY, node INT, zone INT, name TEXT)",
	"CREATE TABLE warning(id INTEGER PRIMARY KEY, sample INT, text TEXT)",
	TEXT,
	FRAME,
	STACK,
	TASK,
	CHARGE,
	LOCATION,
	STACK_FRAME,
	NULL,
};

const char *const kmp_store_kinds[] = {
	[KMP_DICT_COMM] = "comm",
	[KMP_DICT_GFP] = "gfp",
	[KMP_DICT_FLAGS] = "flags",
	[KMP_DICT_TYPE] = "type",
	[KMP_DICT_REASON] = "reason",
	[KMP_DICT_MEMCG] = "memcg",
	[KMP_DICT_EXTRA] = "extra",
};
/* clang-format on */

static uint32_t big_endian(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static bool is_plain(const unsigned char *head, size_t len)
{
	return len >= STORE_HEADER && !memcmp(head, "SQLite format 3", 16) &&
	       big_endian(head + STORE_AT_APPLICATION_ID) == STORE_APPLICATION_ID;
}

bool kmp_history_is(const unsigned char *head, size_t len)
{
	return is_plain(head, len) && big_endian(head + STORE_AT_VERSION) == HISTORY_VERSION;
}

bool kmp_store_looks_like(const char *head, size_t len)
{
	return is_plain((const unsigned char *)head, len) ||
	       kmp_pack_is((const unsigned char *)head, len);
}

static struct kmp_error *damaged(const char *what)
{
	return kmp_error_new(KMP_ERROR_INPUT, "damaged ledger file: %s", what);
}

struct kmp_error *kmp_store_check_header(const unsigned char head[STORE_HEADER], uint64_t size)
{
	uint32_t page_size = (uint32_t)head[16] << 8 | head[17];
	uint32_t version = big_endian(head + STORE_AT_VERSION);

	if (!is_plain(head, STORE_HEADER))
		return kmp_error_new(KMP_ERROR_INPUT, "not a ledger file");
	if (version == HISTORY_VERSION)
		return kmp_error_new(KMP_ERROR_INPUT,
				     "is a history, which 'monitor' writes: not a "
				     "ledger file of snapshots");
	if (version != STORE_VERSION)
		return kmp_error_new(KMP_ERROR_INPUT,
				     "ledger file of version %u; this program reads version %d",
				     version, STORE_VERSION);
	if (head[18] != 1 || head[19] != 1)
		return damaged("it was left in WAL mode by another program");
	if (page_size == 1)
		page_size = 65536;
	if (page_size < 512 || (page_size & (page_size - 1)))
		return damaged("its page size is impossible");
	/* Whole pages, as many as the header counts; no auto-vacuum; UTF-8. */
	if (size != (uint64_t)big_endian(head + 28) * page_size)
		return damaged("its length is not what its header tells; was it cut?");
	if (head[20] || big_endian(head + 52) || big_endian(head + 56) != 1)
		return damaged("its header is not one that we write");
	return NULL;
}

struct kmp_error *kmp_store_take(uint64_t *left, uint64_t len)
{
	if (len > *left)
		return damaged("its rows hold more than the file");
	*left -= len;
	return NULL;
}
