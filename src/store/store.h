/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading ledger files. Everything in a file is checked before it is used: a damaged or hostile
 * one ends in KMP_ERROR_INPUT.
 */
#ifndef KMP_STORE_STORE_H
#define KMP_STORE_STORE_H

#include "ledger/ledger.h"

struct kmp_store_reader;

/* Do a file's first bytes (100 or more) look like a ledger file's? */
bool kmp_store_looks_like(const char *head, size_t len);

/*
 * Open a ledger file for reading one of its snapshots: counted from 1; 0 is the last. A number
 * that is not there is KMP_ERROR_USAGE. Close it with kmp_store_close().
 */
struct kmp_error *kmp_store_open(const char *path, unsigned snapshot,
				 struct kmp_store_reader **reader) must_check;

/* What the snapshot holds: bits of enum kmp_read. */
uint32_t kmp_store_holds(const struct kmp_store_reader *reader);

/* How many snapshots there are in the file. */
unsigned kmp_store_snapshots(const struct kmp_store_reader *reader);

/*
 * Read facts, losses, warnings and what `what` (bits of enum kmp_read) asks for into the ledger.
 * Page owners go to the sink, which can be NULL only if none are asked for. Where the sink's
 * columns are among stack, task, order, gfp, type and form, it gets the stored sums. A reader is
 * read once.
 */
struct kmp_error *kmp_store_read(struct kmp_store_reader *reader, struct kmp_ledger *ledger,
				 uint32_t what, const struct kmp_sink *sink) must_check;

/* Close a reader; NULL is accepted. */
void kmp_store_close(struct kmp_store_reader *reader);

#endif
