/* SPDX-License-Identifier: GPL-2.0-only */
/* What the fast and the lenient way of parsing page_owner text share. */
#ifndef KMP_FORMAT_PO_PARSER_H
#define KMP_FORMAT_PO_PARSER_H

#include "format/page_owner.h"
#include "ledger/ledger.h"

/* A text seen before and what it stands for; the texts live in the parser's arena. */
struct po_token {
	const char *text;
	uint32_t len;
	uint32_t number;
};

enum { TOKEN_SLOTS = 1024, GUESS_SLOTS = 4096 };

struct po_tokens {
	struct po_token slots[TOKEN_SLOTS];
};

/* A block of frames as printed. */
struct po_frames {
	const char *text;
	uint64_t hash;
	uint32_t len;
	uint32_t trace; /* KMP_NONE: frames that are not plain, to be read the slow way each time */
	uint32_t lines;
	uint32_t form; /* KMP_FORM_TRACE, _ADDRESS, _DEPTH_LIMIT */
};

struct po_stack {
	uint32_t trace;
	uint32_t handle;
	uint32_t has_handle;
	uint32_t number;
};

/*
 * A record as it was printed, but for its time, PFN and block: neighbours in memory mostly differ
 * in nothing else. The texts are those of the block that is parsed.
 */
struct po_model {
	const char *head; /* `Page allocated … (comm), ts `; NULL: none yet */
	const char *type; /* ` type Movable Block ` */
	const char *tail; /* ` type Movable Flags …` and all lines to the blank one */
	uint32_t head_len;
	uint32_t type_len;
	uint32_t tail_len;
	uint32_t lines;
	struct kmp_page page;
};

struct kmp_po_parser {
	struct kmp_ledger *ledger;
	struct kmp_arena arena;
	struct po_tokens gfp;
	struct po_tokens flags;
	struct po_tokens types;
	struct po_tokens reasons;
	struct po_tokens tasks;
	struct po_tokens charges;
	VEC(struct po_frames) frames;
	struct kmp_index frames_index;
	uint32_t guesses[GUESS_SLOTS]; /* frames + 1 of the last record that looked like this */
	struct po_stack stacks[GUESS_SLOTS];
	struct po_model models[2]; /* the last one first */
};

/* Turns a token into its number when it is not known yet. */
typedef struct kmp_error *(*po_make_fn)(struct kmp_po_parser *parser, const char *text, size_t len,
					uint32_t *number);

/* The number of a token, from the slots or made by make. */
struct kmp_error *kmp_po_token(struct kmp_po_parser *parser, struct po_tokens *tokens,
			       const char *text, size_t len, po_make_fn make,
			       uint32_t *number) must_check;

/* Makers: texts of the ledger's dictionaries, `7, tgid 8 (comm`, and what stands behind `Charged `.
 */
struct kmp_error *kmp_po_make_flags(struct kmp_po_parser *p, const char *text, size_t len,
				    uint32_t *number) must_check;
struct kmp_error *kmp_po_make_reason(struct kmp_po_parser *p, const char *text, size_t len,
				     uint32_t *number) must_check;
struct kmp_error *kmp_po_make_charge(struct kmp_po_parser *p, const char *text, size_t len,
				     uint32_t *number) must_check;

/* The block of frames at text, len bytes of whole lines: known or new. */
struct kmp_error *kmp_po_frames(struct kmp_po_parser *p, const char *text, size_t len,
				uint32_t *number) must_check;

/* The number of the stack of this trace and handle. */
struct kmp_error *kmp_po_stack(struct kmp_po_parser *p, uint32_t trace, uint32_t handle,
			       bool has_handle, uint32_t *number) must_check;

/* A record with nothing told. */
extern const struct kmp_page kmp_po_blank_page;

/*
 * Parse one record as current kernels print it. *at moves behind it and *done is true, or nothing
 * happens. *lines grows by its newlines.
 */
struct kmp_error *kmp_po_fast(struct kmp_po_parser *p, const char **at, const char *end,
			      struct kmp_page *page, uint64_t *lines, bool *done) must_check;

/* Another block: records of the one before are no models any more. */
void kmp_po_fast_begin(struct kmp_po_parser *p);

/*
 * Parse what stands at *at leniently: one record goes to the result, or a skip, or lines that
 * belong to no record. *at moves on, by a line at least.
 */
struct kmp_error *kmp_po_slow(struct kmp_po_parser *p, const char **at, const char *end,
			      bool at_end, struct kmp_po_result *result) must_check;

#endif
