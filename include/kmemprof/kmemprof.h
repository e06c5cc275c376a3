/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * libkmemprof: who owns a Linux machine's memory?
 *
 * A *source* (a dump of the kernel's page_owner or allocinfo files, a directory of them, a ledger
 * file) fills a *ledger*: stacks, tasks, pages and tags. Pages either stay in the ledger or stream
 * through it into a *sink* (a grouping, a ledger file being written, a text writer), so that memory
 * grows with the distinct stacks and tasks and not with the text read.
 *
 *     struct kmp_ledger *ledger;
 *     struct kmp_source *source;
 *     struct kmp_grouping *grouping;
 *     struct kmp_groups *groups;
 *
 *     kmp_ledger_create(&ledger);
 *     kmp_source_open("page_owner.txt", NULL, &source);
 *     kmp_grouping_create(ledger, "stack", NULL, &grouping);
 *     struct kmp_sink sink = kmp_grouping_sink(grouping);
 *     kmp_source_read(source, ledger, KMP_READ_PAGES, &sink);
 *     kmp_grouping_finish(grouping, &groups);
 *     kmp_groups_write(groups, stdout, &(struct kmp_view){ .format = KMP_FORMAT_TABLE });
 *
 * Outcomes: a function that can fail returns `struct kmp_error *`, NULL for success; its result
 * stands in the last parameter and is untouched on failure. Every error must be freed with
 * kmp_error_destroy(). Destroy functions accept NULL.
 *
 * Texts are bytes, not necessarily UTF-8: a task's name can hold anything but NUL.
 * Threads: a ledger and what was made from it belong to one thread at a time.
 */
#ifndef KMEMPROF_H
#define KMEMPROF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The library is built with hidden symbols; what stands here is what it exports. */
#pragma GCC visibility push(default)

/* "No entry": what a 32-bit number into a ledger's lists holds when the input did not tell. */
#define KMP_NONE UINT32_MAX

/* "Not told": what a 64-bit member (PFN, block, time) holds when the input did not tell. */
#define KMP_UNKNOWN UINT64_MAX

/* ---- Outcomes ------------------------------------------------------------------------------ */

/* What kind of failure an error is; decides the exit status of a command. */
enum kmp_error_kind {
	KMP_ERROR_MEMORY, /* out of memory */
	KMP_ERROR_SYSTEM, /* a system call failed: errnum tells */
	KMP_ERROR_INPUT,  /* the input is not what it should be: path, line and token tell where */
	KMP_ERROR_USAGE,  /* an argument or expression is wrong */
	KMP_ERROR_LIMIT,  /* more of something than can be held */
	KMP_ERROR_STOPPED /* a callback asked to stop */
};

/* What went wrong. Free it with kmp_error_destroy(). */
struct kmp_error {
	enum kmp_error_kind kind; /* the kind of failure */
	int errnum;		  /* errno of the system call, else 0 */
	const char *path;	  /* the file concerned, or NULL */
	uint64_t line;		  /* its line, from 1; 0: unknown */
	const char *token;	  /* the offending text, or NULL */
	const char *message;	  /* the message without path, line and token */
};

/* Free an error; NULL is accepted. */
void kmp_error_destroy(struct kmp_error *err);

/* One line `path: line 12: message: 'token': errno text`; free() it. NULL when out of memory. */
char *kmp_error_format(const struct kmp_error *err);

/*
 * A new error of this kind, for callbacks that can fail; the text is printed as by printf() and
 * copied. Never NULL.
 */
struct kmp_error *kmp_error_new(enum kmp_error_kind kind, const char *fmt, ...)
	__attribute__((format(printf, 2, 3), returns_nonnull));

/* What a system call on path (or NULL) answered, as errnum; otherwise as kmp_error_new(). */
struct kmp_error *kmp_error_system(int errnum, const char *path, const char *fmt, ...)
	__attribute__((format(printf, 3, 4), returns_nonnull));

/* The library's version, as "0.1.0"; static. */
const char *kmp_version(void);

/* ---- Ledger -------------------------------------------------------------------------------- */

/* All facts of one moment: stacks, tasks, pages, tags. Opaque; see kmp_ledger_create(). */
struct kmp_ledger;

/* The lists of distinct texts that pages refer to by number. */
enum kmp_dict {
	KMP_DICT_FRAME,	 /* `sym+0xOFF/0xSIZE [module]` */
	KMP_DICT_COMM,	 /* task names */
	KMP_DICT_GFP,	 /* masks as read: `0xcc0(GFP_KERNEL)` */
	KMP_DICT_FLAGS,	 /* page flags as read: `0x40(head|node=0|zone=1)`, or 3.19's letters */
	KMP_DICT_TYPE,	 /* migratetypes as read: `Movable`, or before 4.6 a number */
	KMP_DICT_REASON, /* migrate reasons: `compaction` */
	KMP_DICT_MEMCG,	 /* memory cgroups' names */
	KMP_DICT_EXTRA	 /* lines that are kept as read, joined by newlines */
};

/* A deduplicated stack trace; innermost frame first. */
struct kmp_trace {
	const uint32_t *frames; /* numbers in KMP_DICT_FRAME; valid until the ledger changes */
	uint32_t depth;		/* how many frames */
};

/* What a page says of where it was allocated: a trace, a handle, or both. */
struct kmp_stack {
	uint32_t trace;	 /* number of the trace, or KMP_NONE while the handle is unresolved */
	uint32_t handle; /* the kernel's handle, unsigned; meaningful if has_handle */
	bool has_handle; /* the input told a handle */
};

/* Who allocated. */
struct kmp_task {
	int64_t pid;   /* -1: not told */
	int64_t tgid;  /* -1: not told */
	uint32_t comm; /* number in KMP_DICT_COMM, or KMP_NONE */
};

/* How a page is charged. */
struct kmp_charge {
	uint32_t memcg;	   /* number in KMP_DICT_MEMCG */
	bool objcg;	   /* via objcg */
	bool offline;	   /* the cgroup was removed */
	bool old_spelling; /* 5.17 RFC: `offlined` */
};

/* What a page-flags text tells of the page's place. */
struct kmp_place {
	int32_t node; /* -1: not told */
	int32_t zone; /* index, see kmp_ledger_zone_name(); -1: not told */
};

/* Which parts a record was printed with; the writer prints the same again. */
enum kmp_form {
	KMP_FORM_MASK = 1 << 0,		/* `, mask …` */
	KMP_FORM_PID = 1 << 1,		/* `, pid N` */
	KMP_FORM_TGID = 1 << 2,		/* `, tgid N` */
	KMP_FORM_COMM = 1 << 3,		/* ` (COMM)` */
	KMP_FORM_TS = 1 << 4,		/* `, ts N` */
	KMP_FORM_TS_NS = 1 << 5,	/* ` ns` behind it */
	KMP_FORM_FREE_TS = 1 << 6,	/* `, free_ts N ns` */
	KMP_FORM_PFN = 1 << 7,		/* a PFN line */
	KMP_FORM_PFN_HEX = 1 << 8,	/* its PFN in hexadecimal */
	KMP_FORM_OLD_PFN = 1 << 9,	/* 3.19: `PFN N Block N type N Fallback Flags …` */
	KMP_FORM_FALLBACK = 1 << 10,	/* with `Fallback` */
	KMP_FORM_ADDRESS = 1 << 11,	/* frames as ` [<ffffffff81164e9a>] sym+…` */
	KMP_FORM_TRACE = 1 << 12,	/* frames were printed */
	KMP_FORM_HANDLE = 1 << 13,	/* `handle: N` was printed */
	KMP_FORM_SLAB = 1 << 14,	/* `Slab cache page` */
	KMP_FORM_CUT = 1 << 15,		/* the file ended inside the record */
	KMP_FORM_DEPTH_LIMIT = 1 << 16, /* 16 frames: perhaps more were cut off by the kernel */
	KMP_FORM_APPROXIMATE = 1 << 17, /* the number of pages is a lower bound */
	KMP_FORM_END_MARK = 1 << 18 /* `[<ffffffffffffffff>] …`, no frame, behind the frames */
};

/*
 * One page owner: a record of page_owner, for an allocation of 2^order pages; or several that
 * came as one (`records` says how many), as page_owner_sort, show_stacks or a grouped ledger
 * file tell them.
 */
struct kmp_page {
	uint64_t pfn;	     /* first page frame, or KMP_UNKNOWN */
	uint64_t block;	     /* number of the pageblock, or KMP_UNKNOWN */
	uint64_t ts;	     /* when allocated, ns since boot, or KMP_UNKNOWN */
	uint64_t free_ts;    /* when the frame was last freed before, ns, or KMP_UNKNOWN */
	uint64_t records;    /* allocations; 0: not told (show_stacks counts pages alone) */
	uint64_t pages;	     /* base pages of all of them */
	uint32_t stack;	     /* number for kmp_ledger_stack(), or KMP_NONE */
	uint32_t task;	     /* number for kmp_ledger_task(), or KMP_NONE */
	uint32_t gfp;	     /* number in KMP_DICT_GFP, or KMP_NONE */
	uint32_t flags;	     /* number in KMP_DICT_FLAGS, or KMP_NONE */
	uint32_t charge;     /* number for kmp_ledger_charge(), or KMP_NONE: not charged */
	uint32_t type;	     /* migratetype of the allocation, in KMP_DICT_TYPE, or KMP_NONE */
	uint32_t block_type; /* migratetype of the pageblock, in KMP_DICT_TYPE, or KMP_NONE */
	uint32_t reason;     /* last migrate reason, in KMP_DICT_REASON, or KMP_NONE */
	uint32_t extra;	     /* vendor lines, in KMP_DICT_EXTRA, or KMP_NONE */
	uint32_t form;	     /* bits of enum kmp_form */
	uint8_t order;	     /* 0 to 63 */
};

/* One allocating code location of /proc/allocinfo, as read: the same location can come twice. */
struct kmp_tag {
	const char *file;     /* path as printed, may hold `./` and `../` */
	const char *function; /* function name */
	const char *module;   /* module name, "" for built-in code */
	const char *extra;    /* unknown `key:value` words, "" for none */
	uint64_t line;	      /* source line, 0: not told */
	int64_t bytes;	      /* bytes held; races make it negative */
	int64_t calls;	      /* allocations held; likewise */
	bool accurate;	      /* false: `accurate:no`, or marked with an asterisk */
	bool approximate;     /* bytes came rounded, as `2.8M` */
};

/* Where a ledger's facts come from. Strings live as long as the ledger; "" for not told. */
struct kmp_facts {
	const char *name;   /* path of the source */
	const char *kind;   /* `page_owner`, `show_stacks`, `allocinfo`, `sorted`, … */
	const char *mode;   /* `stack`, `handle`, `stack_handle`, or "" */
	const char *kernel; /* kernel release, as 7.3.4 */
	uint64_t time;	    /* when taken, seconds since 1970, 0: not told */
	uint32_t time_ns;   /* and nanoseconds, where known that well */
	uint32_t page_size; /* bytes of a page; 4096 unless told */
	int32_t nodes;	    /* highest node number seen + 1, 0: not told */
	bool profiling_off; /* allocation profiling was off: the tags' numbers stood still */
	bool top_only;	    /* tags: only the largest are there (a cut file, a report's top 10) */
};

/* What a reader could not use. All zero: nothing was lost. */
struct kmp_losses {
	uint64_t skipped;    /* records that could not be parsed */
	uint64_t dropped;    /* events or records lost before they reached us */
	uint64_t cut;	     /* records that the end of the file cut (counted, but incomplete) */
	uint64_t first_line; /* line of the first skipped record, 0: unknown */
	const char *first_reason; /* why it was skipped, "" if none was */
};

/* How many of a kind the ledger holds. */
enum kmp_list {
	KMP_LIST_TRACES,  /* distinct stack traces */
	KMP_LIST_STACKS,  /* distinct pairs of trace and handle */
	KMP_LIST_TASKS,	  /* distinct tasks */
	KMP_LIST_CHARGES, /* distinct charges */
	KMP_LIST_PAGES,	  /* page owners kept */
	KMP_LIST_TAGS,	  /* tags as read */
	KMP_LIST_WARNINGS /* warnings */
};

/* An empty ledger; free it with kmp_ledger_destroy(). */
struct kmp_error *kmp_ledger_create(struct kmp_ledger **ledger);

/* Free a ledger and all that its accessors returned. */
void kmp_ledger_destroy(struct kmp_ledger *ledger);

/* The number of entries in a list; entries are numbered from 0. */
size_t kmp_ledger_count(const struct kmp_ledger *ledger, enum kmp_list list);

/* The number of texts in a dictionary. */
size_t kmp_ledger_dict_count(const struct kmp_ledger *ledger, enum kmp_dict dict);

/*
 * A text of a dictionary, NUL-terminated, valid until the ledger is destroyed; its length goes to
 * *len unless that is NULL. KMP_NONE gives NULL.
 */
const char *kmp_ledger_text(const struct kmp_ledger *ledger, enum kmp_dict dict, uint32_t number,
			    size_t *len);

/* The frames of a trace. */
struct kmp_trace kmp_ledger_trace(const struct kmp_ledger *ledger, uint32_t number);

/* The address that stood before a frame in old kernels, 0 for none. */
uint64_t kmp_ledger_frame_address(const struct kmp_ledger *ledger, uint32_t frame);

/* A stack; valid until the ledger changes. */
const struct kmp_stack *kmp_ledger_stack(const struct kmp_ledger *ledger, uint32_t number);

/* A task; valid until the ledger changes. */
const struct kmp_task *kmp_ledger_task(const struct kmp_ledger *ledger, uint32_t number);

/* A charge; valid until the ledger changes. */
const struct kmp_charge *kmp_ledger_charge(const struct kmp_ledger *ledger, uint32_t number);

/* Node and zone index that the flags text of this number tells. */
struct kmp_place kmp_ledger_place(const struct kmp_ledger *ledger, uint32_t flags);

/* The name of a zone (`Normal`) where zoneinfo told it, else NULL. */
const char *kmp_ledger_zone_name(const struct kmp_ledger *ledger, int32_t node, int32_t zone);

/* The page owners that were kept (kmp_source_read() without a sink), in the order read. */
const struct kmp_page *kmp_ledger_pages(const struct kmp_ledger *ledger);

/* The tags, in the order read; their strings live as long as the ledger. */
const struct kmp_tag *kmp_ledger_tags(const struct kmp_ledger *ledger);

/* Where the facts come from. */
const struct kmp_facts *kmp_ledger_facts(const struct kmp_ledger *ledger);

/* What was lost while reading. */
const struct kmp_losses *kmp_ledger_losses(const struct kmp_ledger *ledger);

/* A warning, a line of text, by number; see KMP_LIST_WARNINGS. */
const char *kmp_ledger_warning(const struct kmp_ledger *ledger, size_t number);

/* Set where the facts come from; the strings are copied. */
struct kmp_error *kmp_ledger_set_facts(struct kmp_ledger *ledger, const struct kmp_facts *facts);

/*
 * Filling a ledger by hand: the number of this text, trace, stack, task or charge, new or old.
 * The same values give the same number again.
 */
struct kmp_error *kmp_ledger_add_text(struct kmp_ledger *ledger, enum kmp_dict dict,
				      const char *text, size_t len, uint32_t *number);

/* The number of a trace of depth frames, numbers in KMP_DICT_FRAME, innermost first. */
struct kmp_error *kmp_ledger_add_trace(struct kmp_ledger *ledger, const uint32_t *frames,
				       uint32_t depth, uint32_t *number);

/*
 * The number of a stack. A handle that was added without its trace takes the trace that comes
 * later, so that pages which refer to it are resolved; a trace without a handle is the stack that
 * was added with both before, if there is one.
 */
struct kmp_error *kmp_ledger_add_stack(struct kmp_ledger *ledger, const struct kmp_stack *stack,
				       uint32_t *number);

/* The number of a task. */
struct kmp_error *kmp_ledger_add_task(struct kmp_ledger *ledger, const struct kmp_task *task,
				      uint32_t *number);

/* The number of a charge. */
struct kmp_error *kmp_ledger_add_charge(struct kmp_ledger *ledger, const struct kmp_charge *charge,
					uint32_t *number);

/* Remember the address that old kernels print before a frame. */
struct kmp_error *kmp_ledger_set_address(struct kmp_ledger *ledger, uint32_t frame,
					 uint64_t address);

/* Name the zone of this index on this node. */
struct kmp_error *kmp_ledger_set_zone(struct kmp_ledger *ledger, int32_t node, int32_t zone,
				      const char *name);

/* Keep count page owners at the end of the ledger's list. */
struct kmp_error *kmp_ledger_add_pages(struct kmp_ledger *ledger, const struct kmp_page *pages,
				       size_t count);

/* Keep a tag; its strings are copied. */
struct kmp_error *kmp_ledger_add_tag(struct kmp_ledger *ledger, const struct kmp_tag *tag);

/*
 * Forget the page owners that were kept, the tags and the losses, so that the ledger can take those
 * of another moment. Everything else stays, with its numbers.
 */
void kmp_ledger_clear(struct kmp_ledger *ledger);

/* Count a record that could not be used; the first one's line and reason are kept. */
struct kmp_error *kmp_ledger_add_skipped(struct kmp_ledger *ledger, uint64_t line,
					 const char *reason);

/* Add to the losses: events dropped before they reached us, records cut by the end of a file. */
void kmp_ledger_add_losses(struct kmp_ledger *ledger, uint64_t dropped, uint64_t cut);

/* Keep a warning, a line as printf() would print it; the same text is not kept twice. */
struct kmp_error *kmp_ledger_warn(struct kmp_ledger *ledger, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* ---- Sinks and sources --------------------------------------------------------------------- */

/*
 * Members of struct kmp_page that a sink looks at; `records`, `pages` and the bit
 * KMP_FORM_APPROXIMATE of `form` always.
 */
enum kmp_column {
	KMP_COLUMN_PFN = 1 << 0,	 /* pfn */
	KMP_COLUMN_BLOCK = 1 << 1,	 /* block */
	KMP_COLUMN_TS = 1 << 2,		 /* ts */
	KMP_COLUMN_FREE_TS = 1 << 3,	 /* free_ts */
	KMP_COLUMN_ORDER = 1 << 4,	 /* order */
	KMP_COLUMN_STACK = 1 << 5,	 /* stack */
	KMP_COLUMN_TASK = 1 << 6,	 /* task */
	KMP_COLUMN_GFP = 1 << 7,	 /* gfp */
	KMP_COLUMN_FLAGS = 1 << 8,	 /* flags */
	KMP_COLUMN_CHARGE = 1 << 9,	 /* charge */
	KMP_COLUMN_TYPE = 1 << 10,	 /* type */
	KMP_COLUMN_BLOCK_TYPE = 1 << 11, /* block_type */
	KMP_COLUMN_REASON = 1 << 12,	 /* reason */
	KMP_COLUMN_EXTRA = 1 << 13,	 /* extra */
	KMP_COLUMN_FORM = 1 << 14,	 /* form */
	KMP_COLUMN_ALL = (1 << 15) - 1	 /* all of them */
};

/*
 * Where page owners go. pages() is called with one or more at a time, in order, from the thread
 * that called kmp_source_read(); the array is valid during the call alone. An error that it
 * returns ends the reading and is returned from there.
 */
struct kmp_sink {
	/* Take count page owners whose numbers refer to this ledger. */
	struct kmp_error *(*pages)(void *arg, struct kmp_ledger *ledger,
				   const struct kmp_page *pages, size_t count);
	void *arg; /* handed to pages() */
	/*
	 * Bits of enum kmp_column. Other members may be left unset, and page owners that agree
	 * in all of these columns may come as one, their records and pages added up.
	 */
	uint32_t columns;
};

/* Something to read. Opaque; see kmp_source_open(). */
struct kmp_source;

/* Which tags; see below. */
struct kmp_tag_filter;

/* What a page_owner descriptor prints of the stack. */
enum kmp_mode {
	KMP_MODE_AS_READ,     /* what the record had */
	KMP_MODE_STACK,	      /* `mode=stack` */
	KMP_MODE_HANDLE,      /* `mode=handle` */
	KMP_MODE_STACK_HANDLE /* `mode=stack_handle` */
};

/* How to read. All zero is a good choice. */
struct kmp_source_options {
	unsigned threads; /* parsing threads, 0: one for each CPU, at most 8 */
	/* Called now and then with the bytes read and the bytes there are (0: unknown), or NULL. */
	void (*progress)(void *arg, uint64_t done, uint64_t total);
	void *progress_arg; /* handed to progress() */
	/*
	 * Only page owners of these nodes (`0,2-3`), NULL: all. The running kernel's filter does it
	 * where there is one, and we do where not.
	 */
	const char *nodes;
	/* What the running kernel is to print, where it can be asked; else the cheapest. */
	enum kmp_mode mode;
	/*
	 * Tags that are wanted, NULL: all. A source may leave out others, and need not: it does
	 * where the running kernel (or a mount) can look for them. kmp_tags_group() with the same
	 * filter has the same result as if all had been read. The filter must outlive the source.
	 */
	const struct kmp_tag_filter *tags;
	/* Called with lines that tell how the source is read, for the curious; or NULL. */
	void (*note)(void *arg, const char *line);
	void *note_arg; /* handed to note() */
};

/* What to read; bits. */
enum kmp_read {
	KMP_READ_PAGES = 1 << 0,  /* page owners */
	KMP_READ_TAGS = 1 << 1,	  /* tags */
	KMP_READ_STACKS = 1 << 2, /* the kernel's own pages by stack, beside its page owners */
	KMP_READ_COUNTS = 1 << 3  /* the same of one moment, with the stacks it counts alone */
};

/*
 * Open a text dump of any supported kernel, plain or compressed (gzip, xz, zstd), `-` for
 * standard input; a directory that holds several of the kernel's files; a ledger file,
 * `FILE@N` for its Nth snapshot (from 1; the last one otherwise); or a history, `FILE@WHEN` for
 * another sample than the last one, where WHEN is what kmp_history_find() takes. What it is is told
 * from its content. options may be NULL. Errors: KMP_ERROR_SYSTEM, KMP_ERROR_INPUT for an empty
 * file, one of no known format, a directory without the kernel's files, a damaged ledger file.
 * Close it with kmp_source_close().
 */
struct kmp_error *kmp_source_open(const char *path, const struct kmp_source_options *options,
				  struct kmp_source **source);

/* What the source holds: bits of enum kmp_read. */
uint32_t kmp_source_holds(const struct kmp_source *source);

/*
 * Read into the ledger what `what` (bits of enum kmp_read) asks for. Page owners go to the sink,
 * or stay in the ledger where sink is NULL; so does what the kernel counted by stack, which is
 * asked for alone. A source is read once for each, but a directory as often as one likes: the
 * counts of KMP_READ_COUNTS come into the same ledger without asking for the stacks again. Records
 * that cannot be used are counted in the ledger's losses, which is no error.
 */
struct kmp_error *kmp_source_read(struct kmp_source *source, struct kmp_ledger *ledger,
				  uint32_t what, const struct kmp_sink *sink);

/* Close a source. */
void kmp_source_close(struct kmp_source *source);

/* ---- Filter -------------------------------------------------------------------------------- */

/* A compiled `--where` expression. Opaque; see kmp_filter_compile(). */
struct kmp_filter;

/*
 * Compile an expression such as `order>=3 && (comm==nginx || stack~xfs_)`; the language is
 * described in docs/where.md. The error is KMP_ERROR_USAGE and its message has three lines: what
 * is wrong, the expression, and a caret under the token. Free it with kmp_filter_destroy().
 */
struct kmp_error *kmp_filter_compile(const char *expression, struct kmp_filter **filter);

/* Free a filter. */
void kmp_filter_destroy(struct kmp_filter *filter);

/* The columns that the filter looks at; bits of enum kmp_column. */
uint32_t kmp_filter_columns(const struct kmp_filter *filter);

/*
 * Does the filter hold for this page owner of this ledger? What the input did not tell matches
 * nothing. Answers about a ledger's texts are remembered, so use a filter with one ledger only.
 */
bool kmp_filter_match(struct kmp_filter *filter, const struct kmp_ledger *ledger,
		      const struct kmp_page *page);

/* ---- Groups -------------------------------------------------------------------------------- */

/* What a value of a group's key is. */
enum kmp_value_kind {
	KMP_VALUE_NONE,	  /* the input did not tell */
	KMP_VALUE_NUMBER, /* number */
	KMP_VALUE_TEXT,	  /* text, len */
	KMP_VALUE_STACK	  /* frames, depth; depth 0: unresolved, number is the handle */
};

/* A value of a group's key. */
struct kmp_value {
	enum kmp_value_kind kind;  /* which of the following holds */
	int64_t number;		   /* a number, or an unresolved stack's handle */
	const char *text;	   /* bytes, NUL-terminated */
	size_t len;		   /* how many */
	const char *const *frames; /* innermost first */
	size_t depth;		   /* how many */
};

/* Sums of a group, or of all. Pages are 0 for tags, whose records are calls. */
struct kmp_sums {
	int64_t records;    /* allocations, or calls of tags */
	int64_t pages;	    /* base pages */
	int64_t bytes;	    /* pages in bytes, or the tags' own figure */
	int64_t inaccurate; /* tags: locations whose counters are incomplete */
	int64_t members;    /* tags: locations; pages: records of the input */
};

/* One group. */
struct kmp_group {
	const struct kmp_value *key; /* a value for each key of the kmp_groups */
	struct kmp_sums now;	     /* its sums; of a difference, in the later one */
	struct kmp_sums before;	     /* of a difference: in the earlier one */
	uint64_t ts_first;	     /* earliest time of allocation, or KMP_UNKNOWN */
	uint64_t ts_last;	     /* latest, or KMP_UNKNOWN */
	uint64_t seen;		     /* how many groups came before it in the input */
	const char *note;	     /* what a reader must know of it, or NULL */
	bool approximate;	     /* a figure came rounded, or is a lower bound */
	bool unknown;		     /* of a difference: one side was cut, the change is unknown */
	/* A number or text for each extra of the kmp_groups. */
	const struct kmp_value *extras;
};

/* What the figures are. */
enum kmp_unit {
	KMP_UNIT_PAGES,	 /* page owners: pages and records */
	KMP_UNIT_TAGS,	 /* tags: bytes and calls */
	KMP_UNIT_OBJECTS /* allocations at one tag: bytes and calls */
};

/* A column beside the figures of groups, which who asked for them has added. */
struct kmp_extra {
	const char *name; /* of a key or figure that is not there yet */
	bool size;	  /* its numbers are bytes */
};

/*
 * The result of grouping: self-contained, the ledger may go. Free it with kmp_groups_destroy().
 * Groups whose value is 0 in all sums are left out of differences only.
 */
struct kmp_groups {
	enum kmp_unit unit;	       /* what the figures are */
	const char *const *keys;       /* the keys' names */
	size_t key_count;	       /* how many */
	struct kmp_group *groups;      /* the groups */
	size_t count;		       /* how many */
	struct kmp_sums total;	       /* of all groups; in a difference: later */
	struct kmp_sums total_before;  /* in a difference: earlier */
	bool difference;	       /* made by kmp_groups_diff() */
	bool records_unknown;	       /* the source does not tell records (show_stacks) */
	struct kmp_facts facts;	       /* where the figures come from (later) */
	struct kmp_facts facts_before; /* in a difference: earlier */
	struct kmp_losses losses;      /* what was lost (both sides) */
	const char *const *warnings;   /* lines of text */
	size_t warning_count;	       /* how many */
	/* Further columns of tables, CSV and JSON, or NULL. */
	const struct kmp_extra *extras;
	size_t extra_count; /* how many */
};

/* A grouping under way. Opaque; see kmp_grouping_create(). */
struct kmp_grouping;

/*
 * Group page owners by one or more keys, joined with commas: stack handle comm pid tgid order gfp
 * migratetype block (migratetype of the pageblock) flags node zone memcg module function
 * allocator. Their meaning is told in docs/cli.md; stacks of the same trace are one group. filter
 * may be NULL; it must outlive the grouping, as must the ledger. KMP_ERROR_USAGE for an unknown key
 * names the nearest ones. Free it with kmp_grouping_finish() or kmp_grouping_destroy().
 */
struct kmp_error *kmp_grouping_create(struct kmp_ledger *ledger, const char *keys,
				      struct kmp_filter *filter, struct kmp_grouping **grouping);

/*
 * Keep the earliest and latest time of each group, in order to show them or to sort by `ts`. Call
 * it before kmp_grouping_sink(): times make some sources slower.
 */
void kmp_grouping_keep_times(struct kmp_grouping *grouping);

/* The sink that feeds the grouping. */
struct kmp_sink kmp_grouping_sink(struct kmp_grouping *grouping);

/* The groups, largest first; the grouping is freed, whatever the outcome. */
struct kmp_error *kmp_grouping_finish(struct kmp_grouping *grouping, struct kmp_groups **groups);

/* Free a grouping that is not wanted. */
void kmp_grouping_destroy(struct kmp_grouping *grouping);

/* Which tags; the criteria are those of the kernel's ioctl, all that are set must hold. */
struct kmp_tag_filter {
	const char *module;   /* NULL: any; "": built-in code */
	const char *function; /* NULL: any */
	const char *file;     /* NULL: any; as printed, or normalised */
	uint64_t line;	      /* 0: any */
	int64_t min_size;     /* inclusive; meaningful if has_min_size */
	int64_t max_size;     /* inclusive; meaningful if has_max_size */
	bool has_min_size;    /* min_size is set */
	bool has_max_size;    /* max_size is set */
	int accurate;	      /* -1: any, 1: accurate only, 0: inaccurate only */
};

/*
 * Group a ledger's tags by keys joined with commas: tag (file, line, module and function
 * together: the default for NULL), module, file, directory, function, line. Duplicate keys add up;
 * paths are normalised (`a/../b` is `b`) for grouping. filter may be NULL for all. Sizes are
 * compared after adding up.
 */
struct kmp_error *kmp_tags_group(const struct kmp_ledger *ledger, const char *keys,
				 const struct kmp_tag_filter *filter, struct kmp_groups **groups);

/*
 * The difference of two groupings of the same keys and unit: KMP_ERROR_USAGE where they differ.
 * Both are left as they are. Sorted by growth, largest first.
 */
struct kmp_error *kmp_groups_diff(const struct kmp_groups *before, const struct kmp_groups *after,
				  struct kmp_groups **diff);

/*
 * Sort by `pages`, `bytes`, `records` (or `calls`), `ts`, a key's name, or differences by `delta`
 * or `change` (the delta without its sign), or an extra's name: figures largest first, keys and
 * texts in rising order; `-` before the name turns the order round. Ties are broken by the key, so
 * that the order is always the same. KMP_ERROR_USAGE for an unknown name.
 */
struct kmp_error *kmp_groups_sort(struct kmp_groups *groups, const char *by);

/* Free groups. */
void kmp_groups_destroy(struct kmp_groups *groups);

/*
 * A number for a stack that is the same on other machines, after other boots and in other builds: a
 * hash of its functions and their modules in their order, without offsets, sizes, addresses and the
 * endings of a compiler's copies (`.isra.0`). 0 for what is no stack, or one without frames.
 */
uint64_t kmp_fingerprint(const struct kmp_value *stack);

/*
 * How many bytes of a function's name, without offset and module, kmp_fingerprint() looks at: those
 * before the endings of a compiler's copies; of an address 2, `0x`. The name needs no NUL.
 */
size_t kmp_fingerprint_length(const char *name, size_t len);

/* ---- Views --------------------------------------------------------------------------------- */

/* Forms of output. */
enum kmp_format {
	KMP_FORMAT_TABLE,  /* for people */
	KMP_FORMAT_JSON,   /* the schema of docs/json.md */
	KMP_FORMAT_CSV,	   /* RFC 4180, with a header line, exact figures */
	KMP_FORMAT_FOLDED, /* `outer;…;inner BYTES`, for flame graph tools */
	KMP_FORMAT_SVG,	   /* a flame graph, self-contained */
	KMP_FORMAT_PPROF,  /* a profile for pprof and its like: protobuf, gzip */
	KMP_FORMAT_HTML	   /* a page with tables and pictures, self-contained */
};

/* The format named `table`, `json`, `csv`, …; KMP_ERROR_USAGE for another. */
struct kmp_error *kmp_format_parse(const char *name, enum kmp_format *format);

/* What owners of a history held, over time; see kmp_timeline_create(). */
struct kmp_timeline;

/* How to print groups. All zero is a plain table of all groups. */
struct kmp_view {
	enum kmp_format format; /* the form of output */
	size_t limit;		/* groups to print, 0: all; the table says what was left out */
	bool exact;		/* tables: exact bytes, not binary units */
	bool colour;		/* tables: ANSI colour */
	int width;		/* tables: columns of the terminal, 0: unlimited */
	const char *verb;	/* JSON and titles: the verb, as `report`; may be NULL */
	const char *title;	/* SVG, HTML: title; may be NULL */
	/* HTML: tags of the same source, which the page shows too; may be NULL. */
	const struct kmp_groups *tags;
	/* HTML: what it draws over time, of kmp_timeline_create(). */
	struct kmp_timeline *const *timelines;
	size_t timeline_count; /* how many */
};

/*
 * Print groups to a stream. Folded, SVG and pprof need a stack among the keys (other keys become
 * outer frames, or labels), or tags: KMP_ERROR_USAGE otherwise. KMP_ERROR_SYSTEM when writing
 * fails.
 */
struct kmp_error *kmp_groups_write(const struct kmp_groups *groups, FILE *out,
				   const struct kmp_view *view);

/* A writer of the kernel's page_owner text. Opaque; see kmp_text_create(). */
struct kmp_text;

/*
 * Print page owners as the kernel would, to a stream. nodes (`0,2-3`, the kernel's list form) may
 * be NULL for all; filter may be NULL. KMP_ERROR_USAGE for a malformed list.
 */
struct kmp_error *kmp_text_create(FILE *out, enum kmp_mode mode, const char *nodes,
				  struct kmp_filter *filter, struct kmp_text **text);

/* The sink that feeds the writer. */
struct kmp_sink kmp_text_sink(struct kmp_text *text);

/*
 * Flush; *missing (may be NULL) counts the records that were printed without the stack (or
 * handle) asked for because the source did not tell it. The writer is freed, whatever the outcome.
 */
struct kmp_error *kmp_text_finish(struct kmp_text *text, uint64_t *missing);

/* The kernel's text of one page owner, appended to *buf (malloc'd or NULL; *len used of *cap). */
struct kmp_error *kmp_page_print(const struct kmp_ledger *ledger, const struct kmp_page *page,
				 enum kmp_mode mode, char **buf, size_t *len, size_t *cap);

/* The files of page_owner_stacks. */
enum kmp_stacks_file {
	KMP_SHOW_STACKS,	/* frames and nr_base_pages */
	KMP_SHOW_HANDLES,	/* handle and nr_base_pages */
	KMP_SHOW_STACKS_HANDLES /* frames and handle */
};

/*
 * What show_stacks_handles lists: every stack of a ledger that has frames and a handle, also those
 * of no pages, in the ledger's order, as groups by `stack,handle`. counted are such groups of the
 * same ledger by what its pages or the kernel's counts tell; where they have all of these stacks,
 * *all is NULL, for they know better which is newer. Free it with kmp_groups_destroy().
 */
struct kmp_error *kmp_stacks_list(struct kmp_ledger *ledger, const struct kmp_groups *counted,
				  struct kmp_groups **all);

/*
 * Print a page_owner_stacks file from groups by `stack,handle` (show_stacks: `stack`), leaving
 * out stacks of fewer than threshold pages where the kernel does. Newest stacks come first, as
 * far as the source tells. Handles are printed signed.
 */
struct kmp_error *kmp_stacks_write(const struct kmp_groups *groups, enum kmp_stacks_file file,
				   uint64_t threshold, FILE *out);

/* ---- The kernel's page_owner file over pages in memory ------------------------------------ */

/*
 * All page owners of a source, kept for reading as Linux 7.3 lets its page_owner be read: 32 bytes
 * a record, and the texts of what records have in common. Opaque; see kmp_pages_create().
 */
struct kmp_pages;

/* No pages yet, of this ledger, which must outlive them. Free them with kmp_pages_destroy(). */
struct kmp_error *kmp_pages_create(struct kmp_ledger *ledger, struct kmp_pages **pages);

/* The sink that fills them: hand it to kmp_source_read(). Entries without a PFN are left out. */
struct kmp_sink kmp_pages_sink(struct kmp_pages *pages);

/*
 * All are there: put them in order and make their texts. Only then can they be opened. Stacks of
 * the ledger that have no handle get one, from 0x40000000 up.
 */
struct kmp_error *kmp_pages_finish(struct kmp_pages *pages);

/* How many records there are. */
size_t kmp_pages_count(const struct kmp_pages *pages);

/* How many entries of the source told no PFN, and so are not among the records. */
uint64_t kmp_pages_left_out(const struct kmp_pages *pages);

/* Free pages; their files must be closed. */
void kmp_pages_destroy(struct kmp_pages *pages);

/* A descriptor of page_owner: a filter of its own. Opaque; see kmp_pages_open(). */
struct kmp_pages_file;

/*
 * Open pages that are finished. Any number of files can be read at once, each by one thread at a
 * time. Close it with kmp_pages_close().
 */
struct kmp_error *kmp_pages_open(const struct kmp_pages *pages, struct kmp_pages_file **file);

/* Close a file. */
void kmp_pages_close(struct kmp_pages_file *file);

/*
 * What the kernel answers to a write of `mode=stack|handle|stack_handle` and `nid=LIST`: len, or
 * -EINVAL or -EOVERFLOW and the filter is as it was. It holds from the next record read.
 */
int64_t kmp_pages_write(struct kmp_pages_file *file, const char *text, size_t len);

/*
 * Read whole records into buf, as many as fit, from the first allocation at or after *pfn that the
 * filter wants, and a byte more; *pfn becomes that of the last record + 1. The bytes read; 0 at the
 * end; -ENOMEM where buf is too small for one record and that byte, as in the kernel.
 */
int64_t kmp_pages_read(struct kmp_pages_file *file, uint64_t *pfn, char *buf, size_t size);

/* ---- The kernel's allocinfo file over tags in memory ---------------------------------------- */

/*
 * Tags whose counters are kept per CPU and added up when they are asked for. Opaque; see
 * kmp_tags_create(). Any number of threads can read tags through files of their own while others
 * count into them or add tags.
 */
struct kmp_tags;

/* The tags of a ledger, on one CPU; the ledger may go. Free them with kmp_tags_destroy(). */
struct kmp_error *kmp_tags_create(const struct kmp_ledger *ledger, struct kmp_tags **tags);

/* No tags yet, counters for so many CPUs (1 to 65536). Free them with kmp_tags_destroy(). */
struct kmp_error *kmp_tags_create_empty(unsigned cpus, struct kmp_tags **tags);

/* Free tags; their files must be closed. */
void kmp_tags_destroy(struct kmp_tags *tags);

/*
 * Add tags behind those that are there, all or none, as the kernel does when it loads a module.
 * Strings are copied, and bytes and calls become the counters of CPU 0. The same location can
 * come twice, and stays two tags.
 */
struct kmp_error *kmp_tags_add(struct kmp_tags *tags, const struct kmp_tag *list, size_t count);

/*
 * Add to the counters of tag `number` (from 0, in the order added) on one CPU; sums wrap. Each
 * CPU's counters are changed by one thread at a time, and none while kmp_tags_add() runs.
 */
void kmp_tags_charge(struct kmp_tags *tags, size_t number, unsigned cpu, int64_t bytes,
		     int64_t calls);

/* How many tags there are. */
size_t kmp_tags_count(struct kmp_tags *tags);

/* A number that grows whenever tags are added: 0 without any, 1 for those of a ledger. */
uint64_t kmp_tags_content_id(struct kmp_tags *tags);

/* A descriptor of allocinfo: a filter and a position of its own. Opaque; see kmp_tags_open(). */
struct kmp_tags_file;

/*
 * Open tags. Any number of files can be used at once, each by one thread at a time. Close it with
 * kmp_tags_close().
 */
struct kmp_error *kmp_tags_open(struct kmp_tags *tags, struct kmp_tags_file **file);

/* Close a file. */
void kmp_tags_close(struct kmp_tags_file *file);

/*
 * Read the text, version 2.0, from a byte offset, as pread() does: size bytes unless it ends
 * before, 0 at its end, -ENOMEM. It is made in pieces of 64 KiB with the figures of the moment; a
 * read at offset 0 begins anew. Of further words, those of the form `key:value` are printed.
 */
int64_t kmp_tags_read(struct kmp_tags_file *file, char *buf, size_t size, uint64_t offset);

/*
 * What the kernel answers to an ioctl: 0, or -EINVAL, -ENOENT, -ENOTTY, -EFAULT. arg has as many
 * bytes as the request's number says, in any alignment; NULL stands for a bad pointer. Sizes are
 * compared without sign: a tag below zero is larger than all others.
 */
int kmp_tags_ioctl(struct kmp_tags_file *file, uint32_t request, void *arg);

/*
 * The same for programs: the tag number pos, from 0, of those that pass the filter (NULL: all),
 * which becomes the file's, as the position does. Each tag is compared by itself, sizes with their
 * sign. 0; -EINVAL where min_size is above max_size; -ENOENT where there is no such tag (and the
 * file is as it was, if pos is no number of a tag at all). The strings live as long as the tags.
 */
int kmp_tags_get_at(struct kmp_tags_file *file, const struct kmp_tag_filter *filter, uint64_t pos,
		    struct kmp_tag *tag);

/*
 * The tag that passes the file's filter after the one that was found last, or the first. -ENOENT
 * at the end; the next call begins anew.
 */
int kmp_tags_get_next(struct kmp_tags_file *file, struct kmp_tag *tag);
/* ---- Mount --------------------------------------------------------------------------------- */

/* The kernel's files, served from a source. Opaque; see kmp_mount_create(). */
struct kmp_mount;

/*
 * Read a source and mount page_owner, page_owner_stacks/ and allocinfo at dir, an existing
 * directory. options may be NULL. Free it with kmp_mount_destroy().
 */
struct kmp_error *kmp_mount_create(const char *dir, const char *source,
				   const struct kmp_source_options *options,
				   struct kmp_mount **mount);

/* A recording, see kmp_recorder_create(). */
struct kmp_recorder;

/*
 * The same for a recording, while it goes on: each read shows what is allocated at that moment, a
 * record being whole whatever changes meanwhile. What the recorder's options did not ask for is
 * empty. The recorder must outlive the mount, and is read by nobody else while that serves.
 */
struct kmp_error *kmp_mount_create_live(const char *dir, struct kmp_recorder *recorder,
					struct kmp_mount **mount);

/*
 * Serve until the directory is unmounted, or SIGINT, SIGTERM or SIGHUP comes, by as many threads
 * as there are requests.
 */
struct kmp_error *kmp_mount_serve(struct kmp_mount *mount);

/* The ledger that is served: its warnings and losses tell how well the source was read. */
const struct kmp_ledger *kmp_mount_ledger(const struct kmp_mount *mount);

/*
 * Of a recording: what it has lost so far, with a warning for each kind, into a ledger. Of a
 * source that was read kmp_mount_ledger() tells all.
 */
struct kmp_error *kmp_mount_losses(struct kmp_mount *mount, struct kmp_ledger *ledger);

/*
 * Of a recording: who is told, by a line for each kind, when something is lost that was not before.
 * It is looked for when a file is opened, at most once a second, and told by any thread.
 */
void kmp_mount_on_loss(struct kmp_mount *mount, void (*tell)(void *arg, const char *line),
		       void *arg);

/* Unmount if that has not been done, and free; NULL is accepted. */
void kmp_mount_destroy(struct kmp_mount *mount);

/*
 * Unmount what any process serves at dir, also if it has crashed. KMP_ERROR_SYSTEM if nothing of
 * ours is mounted there.
 */
struct kmp_error *kmp_unmount(const char *dir);

/*
 * What the recording has lost that any process serves at dir, as kmp_mount_losses() tells it.
 * KMP_ERROR_SYSTEM if it does not answer within three seconds, or has crashed.
 */
struct kmp_error *kmp_mount_ask(const char *dir, struct kmp_ledger *ledger);

/* ---- What a kernel offers ------------------------------------------------------------------ */

/* One thing that a kernel has or lacks. */
struct kmp_probe_item {
	const char *name;   /* for programs, as `page_owner.filter`: docs/json.md lists them */
	const char *value;  /* `yes`, `no`, `unknown`, or a word of its own */
	const char *detail; /* for people: where, or why not; "" if there is no more to say */
	const char *since;  /* the release of Linux that brought it, as `6.10`; "" if none did */
	const char *commit; /* the subject of the commit that did; "" if not known */
};

/* What a capture of all page owners takes, from a sample; all 0 if it could not be had. */
struct kmp_probe_cost {
	uint64_t sampled;    /* records that were read for it */
	uint64_t records;    /* records there are, about */
	uint64_t text_bytes; /* of the kernel's text of all of them */
	uint64_t file_bytes; /* of a ledger file that holds them */
	double seconds;	     /* to read the text with one CPU */
};

/* What a kernel offers. Free it with kmp_probe_destroy(). */
struct kmp_probe {
	const struct kmp_probe_item *items; /* what was looked for, in the order of docs/json.md */
	size_t count;			    /* how many */
	struct kmp_probe_cost cost;	    /* of a capture */
	const char *boot_line;		    /* words that the boot line lacks, "" for none */
};

/*
 * Find out what a kernel offers: the running one, or (root not NULL) the one whose proc, sys and
 * boot stand in that directory, of which less can be told. What is missing is an answer and no
 * error: KMP_ERROR_MEMORY alone.
 */
struct kmp_error *kmp_probe_kernel(const char *root, struct kmp_probe **probe);

/* Free a probe. */
void kmp_probe_destroy(struct kmp_probe *probe);

/* ---- Ledger files -------------------------------------------------------------------------- */

/* Does the file at path begin as a ledger file does? False also if there is none. */
bool kmp_store_probe(const char *path);

/* A ledger file being written. Opaque; see kmp_store_create(). */
struct kmp_store;

/*
 * Start a ledger file (docs/ledger-file.md) at path, mode 0600; a snapshot is appended to the one
 * that is there if append is set. Nothing is at path, or what was there before, until
 * kmp_store_commit().
 */
struct kmp_error *kmp_store_create(const char *path, bool append, struct kmp_store **store);

/* The sink that feeds page owners to the file. */
struct kmp_sink kmp_store_sink(struct kmp_store *store);

/*
 * End the snapshot with the ledger's stacks, tasks and tags, and begin another in the same file:
 * of this ledger, of which only what is new is written then, or of another one. Nothing is at path
 * before kmp_store_commit(), which ends the last snapshot. Series of snapshots that have each stack
 * once (the kernel's counts by stack) take little more than what changed. After an error only
 * kmp_store_abort() is of use.
 */
struct kmp_error *kmp_store_next(struct kmp_store *store, const struct kmp_ledger *ledger);

/*
 * Write the ledger's stacks, tasks and tags, finish the file and put it in place. The store is
 * freed, whatever the outcome; after an error path is as it was. A NULL ledger gives up the
 * snapshot that kmp_store_next() began, so that the one before it is the last.
 */
struct kmp_error *kmp_store_commit(struct kmp_store *store, const struct kmp_ledger *ledger);

/*
 * Pack the file with zstd when it is complete: a quarter of the size. kmemprof reads it as any
 * other; for SQLite `zstd -d` unpacks it. A file that is appended to stays packed, or plain.
 */
void kmp_store_pack(struct kmp_store *store);

/* Give up: remove what was written and free the store. */
void kmp_store_abort(struct kmp_store *store);

/* ---- Histories ----------------------------------------------------------------------------- */

/*
 * A moment of a machine: what a history keeps of it beside its figures. Members that are not known
 * hold KMP_UNKNOWN, or "".
 */
struct kmp_moment {
	uint64_t time;		   /* ns since 1970 */
	uint64_t uptime;	   /* ns since boot */
	uint64_t memory_total;	   /* bytes that the kernel has */
	uint64_t memory_free;	   /* of them free */
	uint64_t memory_available; /* of them to be had without swapping */
	char boot[40];		   /* id of the boot */
	char host[72];		   /* name of the machine */
	char kernel[72];	   /* kernel release, as 7.3.4 */
};

/* The running machine, now. */
void kmp_moment_now(struct kmp_moment *moment);

/* How a history is written. All zero keeps every sample. */
struct kmp_history_options {
	/*
	 * What is thinned out and dropped by age: `1h@10s,7d@5m` is one sample each 10 s for an
	 * hour, one each 5 min for a week, and then none. NULL: everything is kept.
	 */
	const char *keep;
	/*
	 * What tells one series of page owners from another beside stack and order:
	 * KMP_COLUMN_TASK, GFP, TYPE, and FLAGS for node and zone. 0: task and node.
	 */
	uint32_t columns;
	/* Tell tasks apart by pid and tgid too, not by name alone: many more series. */
	bool pids;
	/* Complete samples between two that can be read by themselves, 0: 64. */
	unsigned spacing;
};

/* What was written. */
struct kmp_history_stats {
	uint64_t samples;      /* in the file */
	uint64_t series;       /* in the file */
	uint64_t figures;      /* series that are not 0 in the sample added last */
	uint64_t changed;      /* of all, since the sample before */
	uint64_t sample_bytes; /* of the sample added last */
	uint64_t file_bytes;   /* of the file, with its log */
	uint64_t thinned;      /* samples dropped by age since it was opened */
};

/* A history being written, sample after sample. Opaque; see kmp_history_create(). */
struct kmp_history_writer;

/*
 * Begin a history (docs/ledger-file.md) at path, mode 0600, or go on with the one that is there:
 * KMP_ERROR_INPUT if that is no history, KMP_ERROR_SYSTEM if another process is writing it,
 * KMP_ERROR_USAGE for a wrong options->keep. options may be NULL. Each sample is in the file,
 * whole, when it was added: also if the process is killed then.
 */
struct kmp_error *kmp_history_create(const char *path, const struct kmp_history_options *options,
				     struct kmp_history_writer **writer);

/* The sink that takes the page owners of the next sample, from none on. */
struct kmp_sink kmp_history_sink(struct kmp_history_writer *writer);

/*
 * Add a sample: the page owners that the sink got since the one before, and the ledger's tags.
 * moment tells when it was taken; NULL: now, of a machine that is not known. KMP_ERROR_INPUT if
 * the history is another machine's. After an error the sample is lost and the file as it was; after
 * KMP_ERROR_SYSTEM (a full disk) the next one may succeed.
 */
struct kmp_error *kmp_history_add(struct kmp_history_writer *writer,
				  const struct kmp_ledger *ledger, const struct kmp_moment *moment);

/* What was written so far. */
void kmp_history_stats(const struct kmp_history_writer *writer, struct kmp_history_stats *stats);

/* End the file so that it is one file, and free the writer, whatever the outcome. NULL is accepted.
 */
struct kmp_error *kmp_history_end(struct kmp_history_writer *writer);

/* One sample of a history. */
struct kmp_sample {
	uint64_t id;		     /* what the file calls it; rises, with gaps */
	uint64_t time;		     /* ns since 1970 */
	const struct kmp_moment *of; /* the machine; its figures are this sample's in kmp_sample */
	uint64_t uptime;	     /* as in struct kmp_moment, as are the next two */
	uint64_t memory_free;	     /* bytes */
	uint64_t memory_available;   /* bytes */
	uint32_t holds;		     /* bits of enum kmp_read: page owners, tags */
	int64_t pages;		     /* sum of all page owners */
	int64_t records;	     /* likewise, 0 if not told */
	int64_t bytes;		     /* sum of all tags */
	int64_t calls;		     /* likewise */
	uint64_t lost;		     /* records or events that are missing in it */
};

/* A history being read, also while it is written. Opaque; see kmp_history_open(). */
struct kmp_history;

/* Does the file at path begin as a history does? False also if there is none. */
bool kmp_history_probe(const char *path);

/*
 * Open a history. KMP_ERROR_INPUT for what is none, or holds no sample yet. Close it with
 * kmp_history_close().
 */
struct kmp_error *kmp_history_open(const char *path, struct kmp_history **history);

/*
 * Look for samples that came since; *changed (may be NULL) tells whether there are any, or some
 * went by age. Samples may have other indices then.
 */
struct kmp_error *kmp_history_refresh(struct kmp_history *history, bool *changed);

/* How many samples there are; they are numbered from 0, oldest first. */
size_t kmp_history_count(const struct kmp_history *history);

/* A sample; valid until the history is refreshed or closed. */
const struct kmp_sample *kmp_history_sample(const struct kmp_history *history, size_t index);

/*
 * The index of a moment: `now` or `last` (the last sample), `first`, a number N (the Nth, from
 * 1), `-1h30m` (that long before the last sample), `2026-11-30T17:05:10` (local time; with `Z`
 * UTC; seconds, and the date, which is that of the last sample then, may be left out), `@SECONDS`
 * since 1970. A time stands for the last sample that is not later. KMP_ERROR_USAGE for another
 * text, and for a time before the first sample.
 */
struct kmp_error *kmp_history_find(const struct kmp_history *history, const char *when,
				   size_t *index);

/*
 * Read a sample: facts and losses, its tags into the ledger and its page owners, one for each
 * series that is not 0, to the sink (NULL: into the ledger), as `what` (KMP_READ_PAGES,
 * KMP_READ_TAGS) asks. KMP_ERROR_INPUT also if the sample went by age meanwhile.
 */
struct kmp_error *kmp_history_read(struct kmp_history *history, size_t index, uint32_t what,
				   struct kmp_ledger *ledger, const struct kmp_sink *sink);

/*
 * A moment in ns since 1970, of a text that kmp_history_find() takes, other than those that mean a
 * sample: `now`, `-1h30m` before now, a date or a time of that day, `@SECONDS`. What is told in
 * seconds or minutes is the last ns of that second. KMP_ERROR_USAGE.
 */
struct kmp_error *kmp_time_parse(const char *text, uint64_t now, uint64_t *time);

/* Close a history; NULL is accepted. */
void kmp_history_close(struct kmp_history *history);

/* One of the largest owners. */
struct kmp_timeline_owner {
	struct kmp_value value; /* of the key */
	const int64_t *bytes;	/* of each sample */
};

/* What the largest owners held, over time. Free it with kmp_timeline_destroy(). */
struct kmp_timeline {
	const char *key;			 /* what tells owners: `function`, `comm`, … */
	enum kmp_unit unit;			 /* of page owners or of tags */
	const uint64_t *times;			 /* of each sample, ns since 1970 */
	const int64_t *total;			 /* bytes of all owners in each sample */
	size_t sample_count;			 /* how many */
	const struct kmp_timeline_owner *owners; /* largest at their peak first */
	size_t owner_count;			 /* how many */
};

/* What a timeline is to hold. */
struct kmp_timeline_options {
	const char *key;    /* one key of kmp_grouping_create() or kmp_tags_group(), no stack */
	enum kmp_unit unit; /* whose */
	size_t last;	    /* the last sample's index */
	size_t samples;	    /* at most so many, evenly chosen, first and last among them; 0: 240 */
	size_t owners;	    /* at most so many, 0: 11 */
};

/*
 * Read samples of a history. KMP_ERROR_USAGE for an unknown key. Samples that do not hold what is
 * asked for are left out; a timeline can be empty.
 */
struct kmp_error *kmp_timeline_create(struct kmp_history *history,
				      const struct kmp_timeline_options *options,
				      struct kmp_timeline **timeline);

/* Free a timeline; NULL is accepted. */
void kmp_timeline_destroy(struct kmp_timeline *timeline);

/* ---- Trends -------------------------------------------------------------------------------- */

/* What the course of a figure is; docs/trend.md tells how it is found. */
enum kmp_verdict {
	KMP_VERDICT_FLAT,  /* hardly changes */
	KMP_VERDICT_CHURN, /* rises and falls */
	KMP_VERDICT_SPIKE, /* rose for a moment */
	KMP_VERDICT_STEP,  /* changed at once, and stays there */
	KMP_VERDICT_LEAK   /* grows steadily, which load does not explain */
};

/* What a verdict is called: `flat`, `churn`, `spike`, `step`, `leak`; static. */
const char *kmp_verdict_name(enum kmp_verdict verdict);

/* How to look for trends. All zero is a good choice. */
struct kmp_trend_options {
	const char
		*keys; /* as for kmp_grouping_create(), or kmp_tags_group(); NULL: stack, or tag */
	bool tags;     /* of tags, not of page owners */
	struct kmp_filter *filter; /* of page owners, used with no ledger before, or NULL */
	size_t first;		   /* index of the first sample */
	size_t count;		   /* of samples, 0: all that follow */
	double min_growth;	   /* bytes; what changes less is flat. 0: 64 KiB */
	size_t points;		   /* at most so many points of time, 0: 64; at most 1024 */
};

/* The course of one group. Sizes are in bytes, also those of page owners. */
struct kmp_trend {
	const struct kmp_group
		*group;		  /* its key; its figures at first (`before`) and last (`now`) */
	double min;		  /* of all samples */
	double max;		  /* of all samples */
	const double *points;	  /* means at each of struct kmp_trends' times */
	double slope;		  /* bytes a second, by Theil and Sen */
	double slope_low;	  /* its 95 % interval */
	double slope_high;	  /* likewise */
	double tau;		  /* Kendall's: 1 always rises, -1 always falls */
	double p;		  /* the chance of such a tau without a trend */
	enum kmp_verdict verdict; /* what it is */
	bool again;		  /* the same memory as others': the pages behind slab objects */
	uint64_t since;		  /* when it began, ns since 1970 */
	const char *reason;	  /* why, a few words */
};

/* The result: self-contained, the history may go. Free it with kmp_trends_destroy(). */
struct kmp_trends {
	struct kmp_groups *groups; /* the groups of the trends, a difference from first to last */
	struct kmp_trend *trends;  /* leaks first, fastest first */
	size_t count;		   /* of trends: groups that have had something */
	size_t point_count;	   /* points of time */
	const double *times;	   /* seconds after first_time, rising */
	const double *totals;	   /* bytes of all groups at these times */
	size_t samples;		   /* that were looked at */
	size_t left_out;	   /* before them, as the machine was started anew then */
	uint64_t first_time;	   /* of the first sample, ns since 1970 */
	uint64_t last_time;	   /* of the last */
};

/*
 * Find the trends in a history. KMP_ERROR_USAGE for an unknown key and where the samples hold none
 * of what is asked for.
 */
struct kmp_error *kmp_trends_find(struct kmp_history *history,
				  const struct kmp_trend_options *options,
				  struct kmp_trends **trends);

/*
 * Sort by `verdict` (leaks first, then by rate), `rate`, `delta`, `first`, `last`, `min`, `max`,
 * `tau`; `-` before the name turns the order round. KMP_ERROR_USAGE for another name.
 */
struct kmp_error *kmp_trends_sort(struct kmp_trends *trends, const char *by);

/*
 * Print trends to a stream: table, JSON and CSV; KMP_ERROR_USAGE for other formats. ascii: no
 * sparklines of blocks.
 */
struct kmp_error *kmp_trends_write(const struct kmp_trends *trends, FILE *out,
				   const struct kmp_view *view, bool ascii);

/* Free trends; NULL is accepted. */
void kmp_trends_destroy(struct kmp_trends *trends);

/* ---- Recorder ------------------------------------------------------------------------------ */

/* What to record, and with how much memory. All zero but `all` records nothing. */
struct kmp_recorder_options {
	uint32_t what;	      /* KMP_READ_PAGES, KMP_READ_TAGS or both; 0: page owners */
	bool all;	      /* the whole machine, with the pages that were in use before */
	const uint32_t *pids; /* only these processes (thread groups), or NULL */
	size_t pid_count;     /* how many */
	bool follow;	      /* and the children that they have from now on */
	const char *cgroup;   /* only tasks below this directory of cgroup 2, or NULL */
	unsigned stack_depth; /* frames kept of a stack, 0: 16; at most 32 */
	unsigned max_stacks;  /* different stacks, 0: 65536 */
	unsigned max_tasks;   /* different tasks that hold memory, 0: 12288 */
	unsigned max_tags;    /* different call sites (contexts of a trace), 0: 16384 (65536) */
	unsigned max_objects; /* kernel objects at a time, 0: 1048576 */
	/*
	 * Only what this tag allocates, with stacks and tasks: a function (`name`,
	 * `name [module]`) or a cache of kernel objects. See kmp_recorder_contexts(). NULL: all.
	 */
	const char *trace;
};

/* What was seen and what was lost, since the start. */
struct kmp_recorder_stats {
	uint64_t allocations;	 /* in scope */
	uint64_t frees;		 /* of what was recorded */
	uint64_t bulk;		 /* of the allocations: pages of the bulk allocator */
	uint64_t splits;	 /* allocations that were split, or freed in parts */
	uint64_t migrations;	 /* owners that moved to another page */
	uint64_t reused;	 /* allocated again without a free that was seen */
	uint64_t outside;	 /* pages of memory that was not there at the start */
	uint64_t stacks_full;	 /* allocations without their stack: no room for it */
	uint64_t stacks_failed;	 /* the same: it could not be taken */
	uint64_t tasks_full;	 /* allocations without their task: no room for it */
	uint64_t pids_full;	 /* child processes that were not followed: no room */
	uint64_t missed;	 /* events that went by: they interrupted the recording of others */
	uint64_t unattributed;	 /* pages in use without an owner, at the last reading */
	uint64_t objects;	 /* tags: kernel objects allocated, in scope */
	uint64_t objects_freed;	 /* of what was recorded */
	uint64_t objects_bulk;	 /* of the allocations: by the bulk interface */
	uint64_t objects_reused; /* allocated again without a free that was seen */
	uint64_t objects_full;	 /* objects that are in no tag: no room for them */
	uint64_t sites_full;	 /* objects without their call site: no room for it */
	uint64_t sites_failed;	 /* the same: it could not be told */
	uint64_t walked;	 /* stacks that were taken without the kernel's unwinder */
	uint64_t unwound;	 /* stacks that were left to it */
	uint64_t walked_wrong;	 /* where both were asked and did not agree */
};

/*
 * Records who allocates pages on the running machine, by BPF: the facts of page_owner on a kernel
 * that has none. Opaque; see kmp_recorder_create().
 */
struct kmp_recorder;

/*
 * Load the programs; nothing is recorded yet. Needs root, or CAP_BPF, CAP_PERFMON and
 * CAP_SYS_ADMIN, and a kernel with BTF (5.17 on): KMP_ERROR_SYSTEM or KMP_ERROR_INPUT says what is
 * missing. Memory: 24 bytes a page frame, the stacks. Free it with kmp_recorder_destroy().
 */
struct kmp_error *kmp_recorder_create(const struct kmp_recorder_options *options,
				      struct kmp_recorder **recorder);

/* Begin to record. */
struct kmp_error *kmp_recorder_start(struct kmp_recorder *recorder);

/*
 * Record this process too, where options.pids or options.follow narrow the scope. Its number is
 * that of the PID namespace of who calls; what is recorded has the first namespace's numbers.
 */
struct kmp_error *kmp_recorder_follow(struct kmp_recorder *recorder, uint32_t pid);

/* End recording; what was recorded stays readable. */
void kmp_recorder_stop(struct kmp_recorder *recorder);

/*
 * Hand what is allocated now to the sink (tags to the ledger), also while recording goes on. Of
 * tags, pages are counted as well; a call site is the first one outside the kernel's allocators.
 * The sink may be NULL where no page owners are recorded. The ledger's losses and
 * warnings tell what is missing.
 */
struct kmp_error *kmp_recorder_read(struct kmp_recorder *recorder, struct kmp_ledger *ledger,
				    const struct kmp_sink *sink);

/*
 * Of a recorder with options.trace: what its tag holds, grouped by keys joined with commas, of
 * stack (the default for NULL), comm, pid, tgid, size. freed: also what was freed since, of kernel
 * objects. The groups' records are calls. KMP_ERROR_USAGE for an unknown key.
 */
struct kmp_error *kmp_recorder_contexts(struct kmp_recorder *recorder, const char *keys, bool freed,
					struct kmp_groups **groups);

/* The counters. */
struct kmp_error *kmp_recorder_stats(struct kmp_recorder *recorder,
				     struct kmp_recorder_stats *stats);

/* End recording and free; NULL is accepted. A killed process leaves nothing attached either. */
void kmp_recorder_destroy(struct kmp_recorder *recorder);

/* ---- JSON ---------------------------------------------------------------------------------- */

/* Writes JSON to a stream, for every command alike. Initialise with kmp_json_init(). */
struct kmp_json {
	FILE *out;	   /* the stream */
	unsigned depth;	   /* of objects and arrays that are open */
	uint64_t has_item; /* a bit for each depth: a comma is due */
	bool latin1;	   /* a text was not UTF-8 and its bytes were written as \u00XX */
};

/* Start writing to a stream. */
void kmp_json_init(struct kmp_json *json, FILE *out);

/* Open an object or array ('{' or '['); name is the member's name, or NULL inside an array. */
void kmp_json_open(struct kmp_json *json, const char *name, char bracket);

/* Close what was opened last ('}' or ']'). */
void kmp_json_close(struct kmp_json *json, char bracket);

/* A member or item that is a text of len bytes; a NULL text is written as null. */
void kmp_json_text(struct kmp_json *json, const char *name, const char *text, size_t len);

/* A member or item that is a whole number. */
void kmp_json_number(struct kmp_json *json, const char *name, int64_t value);

/* A member or item that is a number, printed with four places. */
void kmp_json_real(struct kmp_json *json, const char *name, double value);

/* A member or item that is true or false. */
void kmp_json_bool(struct kmp_json *json, const char *name, bool value);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
