/* SPDX-License-Identifier: GPL-2.0-only */
/* What the recorder's BPF programs and the program that loads them share. */
#ifndef KMP_SOURCE_BPF_RECORD_H
#define KMP_SOURCE_BPF_RECORD_H

#include <linux/types.h>

/* Page frames come in sections, so that holes between them cost nothing. */
enum { RECORD_SECTION_SHIFT = 15, RECORD_ORDER_MAX = 13 };

enum { RECORD_DEPTH_MAX = 32, RECORD_COMM = 16, RECORD_PIDS_MAX = 16384 };

/* One page frame: 24 bytes, all zero for one that is not recorded. */
struct record_page {
	__u64 ts;
	__u32 stack; /* handle, 0: lost */
	__u32 task;  /* number, 0: lost */
	__u32 gfp;
	__u32 info; /* see below; written last, so that a reader knows when all is there */
};

/* record_page.info */
enum {
	RECORD_ORDER = 0x1f,
	RECORD_TYPE_SHIFT = 5,
	RECORD_TYPE = 0xf,
	RECORD_MIGRATED = 1 << 9,
	RECORD_GENERATION_SHIFT = 16, /* 15 bits that change with each write */
	RECORD_VALID = 1u << 31
};

/* A stack, at the place that its handle says. */
struct record_stack {
	__u32 depth; /* written last; 0: none is here */
	__u32 unused;
	__u64 ip[RECORD_DEPTH_MAX]; /* as many as the option says */
};

/* A task, at the place that its number says. */
struct record_task {
	__u32 pid;
	__u32 tgid;
	char comm[RECORD_COMM];
};

/* Addresses of code: from start, before end. */
struct record_range {
	__u64 start;
	__u64 end;
};

/* Functions that hand on what is asked of them; a tag's number fits into 20 bits. */
enum { RECORD_ALLOCATORS_MAX = 512, RECORD_TAGS_MAX = (1 << 20) - 2 };

enum { RECORD_OBJECTS_MAX = 1 << 30 };

/* A kernel object that is allocated. */
struct record_object {
	__u32 tag;
	__u32 bytes;
};

enum { RECORD_BUCKET_SLOTS = 7 };

/* Two cache lines: who looks for an object looks at the first one. */
struct record_bucket {
	__u64 spilled; /* an object that belongs here may be in its other bucket */
	__u64 pointer[RECORD_BUCKET_SLOTS]; /* 0: free */
	struct record_object object[RECORD_BUCKET_SLOTS];
	__u64 unused;
};

/* What a tag holds, by CPU: a sum over them is right, each alone may be negative. */
struct record_sum {
	__s64 bytes;
	__s64 calls;
	__s64 made; /* allocations, also those freed since; counted while tracing */
};

/* Tracing: only what is allocated at some addresses, or from some caches; by whom and how large. */
enum record_trace { RECORD_TRACE_NONE, RECORD_TRACE_SITES, RECORD_TRACE_CACHES };

enum { RECORD_WANTED_MAX = 32, RECORD_CACHES_MAX = 8, RECORD_CACHE_NAME = 64 };

struct record_context {
	__u32 stack; /* handle, 0: lost */
	__u32 task;  /* number, 0: lost */
	__u32 bytes;
	__u32 unused;
};

/* The least that a task's stack has in the kernel; trampolines of the tracing of functions. */
enum { RECORD_KERNEL_STACK = 16384, RECORD_DETOURS = 4 };

/* Where the kernel has its rules of unwinding. */
struct record_orc {
	__u64 ips;   /* addresses of code, as distances from their own place */
	__u64 rules; /* beside them */
	__u64 text;  /* the code that they are of */
	__u64 text_size;
	__u64 modules; /* the list of those, 0: not known */
	__u64 detours[RECORD_DETOURS];
	__u32 count; /* 0: no rules that we know */
	/* What an entry has for these; kernels do not number them alike. */
	__u8 sp;    /* the caller's SP by ours */
	__u8 bp;    /* the same by BP */
	__u8 kept;  /* the caller's BP is BP still */
	__u8 saved; /* or lies below the caller's SP */
	__u8 call;  /* the frame of a function */
	__u8 regs;  /* all registers of what was interrupted */
	__u8 end;   /* where the stack begins */
	__u8 noted; /* the caller's SP stands where BP says: frames that are aligned */
};

/* Where a walk begins. */
struct record_anchor {
	__u64 runner; /* where programs are called, in the kernel's code */
	__u32 first;  /* the word with the return address of that, counted from the context */
	__u32 skip;   /* frames of the tracing itself from there on */
};

/*
 * What a program needs while it runs: one for each that takes stacks, for an interrupt may run one
 * amid the other.
 */
enum {
	ON_CPU_ALLOC,
	ON_CPU_BULK,
	ON_CPU_PAGES, /* so many are for pages */
	ON_CPU_KMALLOC = ON_CPU_PAGES,
	ON_CPU_KMALLOC_AGAIN,
	ON_CPU_KMALLOC_NODE,
	ON_CPU_KMALLOC_NODE_AGAIN,
	ON_CPU_CACHE,
	ON_CPU_CACHE_AGAIN,
	ON_CPU_CACHE_NODE,
	ON_CPU_CACHE_NODE_AGAIN,
	ON_CPU_ARRAY,
	ON_CPU_NOLOCK,
	ON_CPU_COUNT
};

/*
 * Tracepoints with two programs, X and X_again, since the kernel does not run one that it has
 * interrupted. The first notes what it sees; the second one does the work if that is not noted.
 */
enum record_pair {
	PAIR_FREE,
	PAIR_KMALLOC,
	PAIR_KMALLOC_NODE,
	PAIR_CACHE_ALLOC,
	PAIR_CACHE_ALLOC_NODE,
	PAIR_KFREE,
	PAIR_CACHE_FREE,
	PAIR_COUNT
};

struct record_pair_state {
	__u64 noted;
	__u64 before;  /* what was noted before that: of what was interrupted */
	__u64 covered; /* how often the second one had to work */
};

/* What happened, counted by CPU. */
enum record_counter {
	RECORD_ALLOCS,	       /* allocations seen, in scope */
	RECORD_FREES,	       /* frees of recorded pages */
	RECORD_BULK,	       /* pages of the bulk allocator, among the allocations */
	RECORD_SPLITS,	       /* allocations that were split */
	RECORD_MIGRATIONS,     /* owners that moved to another page */
	RECORD_REUSED,	       /* allocated again without a free that we saw */
	RECORD_OUTSIDE,	       /* pages beyond the table */
	RECORD_STACKS_FULL,    /* no room for a new stack */
	RECORD_STACKS_FAILED,  /* no stack could be taken */
	RECORD_TASKS_FULL,     /* no room for a new task */
	RECORD_PIDS_FULL,      /* children that are not followed: no room */
	RECORD_OBJECTS,	       /* kernel objects allocated, in scope */
	RECORD_OBJECTS_FREED,  /* frees of recorded objects */
	RECORD_OBJECTS_BULK,   /* objects of the bulk interface, among the allocations */
	RECORD_OBJECTS_REUSED, /* allocated again without a free that we saw */
	RECORD_OBJECTS_FULL,   /* no room for another object */
	RECORD_SITES_FULL,     /* no room for a new call site */
	RECORD_SITES_FAILED,   /* no call site could be told */
	RECORD_WALKED,	       /* stacks taken by the kernel's rules alone */
	RECORD_UNWOUND,	       /* stacks taken by its unwinder */
	RECORD_WALKED_WRONG,   /* where the two did not agree */
	RECORD_COUNTERS
};

#endif
