/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names for kernel addresses, from a text like /proc/kallsyms. What is printed is what the
 * kernel's %pS prints: of several symbols at one address the first listed, its size the distance
 * to the next address that has a symbol of any kind. Not as the kernel does: a BPF program bears
 * its `[bpf]`, and the last symbol of a module ends with its page, as kallsyms tells no more.
 */
#ifndef KMP_SOURCE_SYMBOLS_H
#define KMP_SOURCE_SYMBOLS_H

#include "base/error.h"

/* Enough for what the kernel names: KSYM_NAME_LEN, a module, two numbers. */
enum { KMP_SYMBOL_TEXT_MAX = 640 };

struct kmp_symbols;

struct kmp_symbol {
	const char *name;   /* as long as the table */
	const char *module; /* without brackets; NULL: vmlinux */
	uint64_t address;
	uint64_t size;
};

/*
 * Read path. KMP_ERROR_SYSTEM with EPERM if the kernel hides its addresses, KMP_ERROR_INPUT with
 * the line for what is no kallsyms.
 */
struct kmp_error *kmp_symbols_load(const char *path, struct kmp_symbols **symbols) must_check;
struct kmp_error *kmp_symbols_load_memory(const char *text, size_t len,
					  struct kmp_symbols **symbols) must_check;

/* A symbol of any kind that is sought while a text is read, of vmlinux; address 0: not there. */
struct kmp_symbol_place {
	const char *name;
	uint64_t address;
};

/* As kmp_symbols_load(); the table itself has functions alone. */
struct kmp_error *kmp_symbols_load_places(const char *path, struct kmp_symbol_place *places,
					  size_t count, struct kmp_symbols **symbols) must_check;

/* NULL is accepted. */
void kmp_symbols_destroy(struct kmp_symbols *symbols);

/* The function that holds this address; false if none does. */
bool kmp_symbols_find(const struct kmp_symbols *symbols, uint64_t address, struct kmp_symbol *out);

/*
 * `name+0xOFF/0xSIZE [module]`, or `0xffff…` in 16 digits where no function is known. Cut to
 * size - 1 bytes and a NUL, as snprintf() does; returns the whole length.
 */
size_t kmp_symbols_print(const struct kmp_symbols *symbols, uint64_t address, char *buf,
			 size_t size);

/*
 * All of the table, for number from 0 to less than kmp_symbols_entries(), in the order of the
 * addresses; false for what is no function.
 */
size_t kmp_symbols_entries(const struct kmp_symbols *symbols);
bool kmp_symbols_entry(const struct kmp_symbols *symbols, size_t number, struct kmp_symbol *out);

/* Functions known, and the memory that the table takes. */
size_t kmp_symbols_count(const struct kmp_symbols *symbols);
size_t kmp_symbols_memory(const struct kmp_symbols *symbols);

#endif
