// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table is an array of addresses in order, beside it an array of what stands there: a
 * function's name, or a mark where something else begins and the function before it ends.
 */
#include "source/symbols.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/lines.h"
#include "base/pool.h"
#include "base/put.h"
#include "base/scan.h"

enum {
	PAGE_BYTES = 4096,
	TAIL_MAX = 1 << 20, /* no function is that long: beyond the last one is nothing known */
	NAMES_MAX = 1 << 30,
	NAME_MAX_BYTES = 512, /* KSYM_NAME_LEN */
	MODULE_MAX_BYTES = 64,
};

/*
 * name: twice the place in the names, plus 1 for a function. So it grows from line to line, and
 * tells which of two symbols at one address was listed first.
 */
struct place {
	uint32_t name;
	uint32_t module; /* its number in the pool + 1; 0: vmlinux */
};

struct entry {
	uint64_t address;
	struct place place;
};

struct kmp_symbols {
	VEC(uint64_t) addresses;
	VEC(struct place) places;
	VEC(char) names;
	struct kmp_pool modules;
	size_t count;
};

struct loader {
	struct kmp_symbols *symbols;
	VEC(struct entry) entries;
	uint64_t any_address; /* all addresses, one ORed to the other */
	bool sorted;
	char last_module[MODULE_MAX_BYTES];
	uint32_t last_module_number;
	struct kmp_symbol_place *places; /* sought */
	size_t place_count;
	uint64_t place_lengths; /* a bit for each length that their names have */
};

DEFINE_CLEANUP(input, struct kmp_input *, kmp_input_destroy)
DEFINE_CLEANUP(lines, struct kmp_lines *, kmp_lines_destroy)
DEFINE_CLEANUP(symbols, struct kmp_symbols *, kmp_symbols_destroy)

static inline void cleanup_loader(struct loader *l)
{
	vec_deinit(&l->entries);
}

void kmp_symbols_destroy(struct kmp_symbols *s)
{
	if (!s)
		return;
	vec_deinit(&s->addresses);
	vec_deinit(&s->places);
	vec_deinit(&s->names);
	kmp_pool_deinit(&s->modules);
	free(s);
}

static bool is_function(char type)
{
	return type == 't' || type == 'T' || type == 'w' || type == 'W';
}

static inline bool is_named(struct place place)
{
	return place.name & 1;
}

static struct kmp_error *bad_line(struct kmp_lines *lines, const char *text, size_t len,
				  const char *what)
{
	return kmp_error_input(kmp_lines_path(lines), kmp_lines_number(lines), text, len, "%s",
			       what);
}

/* Neighbours are of one module nearly always. */
static struct kmp_error *module_number(struct loader *l, const char *module, size_t len,
				       uint32_t *number)
{
	if (strncmp(l->last_module, module, len) != 0 || l->last_module[len]) {
		uint32_t id;

		try(kmp_pool_intern(&l->symbols->modules, module, len, &id));
		memcpy(l->last_module, module, len);
		l->last_module[len] = '\0';
		l->last_module_number = id + 1;
	}
	*number = l->last_module_number;
	return NULL;
}

/* Of several symbols with the name the first. */
static void note_place(struct loader *l, const char *name, size_t len, uint64_t address)
{
	if (!(l->place_lengths >> (len & 63) & 1))
		return;
	for (size_t i = 0; i < l->place_count; i++) {
		struct kmp_symbol_place *place = &l->places[i];

		if (!place->address && !strncmp(place->name, name, len) && !place->name[len])
			place->address = address;
	}
}

/* `name` or `name\t[module]`, to the end of the line. */
static struct kmp_error *take_name(struct loader *l, struct kmp_lines *lines, const char *p,
				   const char *end, struct entry *entry)
{
	struct place *place = &entry->place;
	const char *tab = memchr(p, '\t', (size_t)(end - p));
	size_t len = (size_t)((tab ? tab : end) - p);

	if (!len || len >= NAME_MAX_BYTES || memchr(p, '\0', len))
		return bad_line(lines, p, len, "no symbol's name");
	if (tab) {
		const char *module = tab + 2;

		if (end - module < 2 || tab[1] != '[' || end[-1] != ']' ||
		    end - module > MODULE_MAX_BYTES || memchr(module, '\0', (size_t)(end - module)))
			return bad_line(lines, tab + 1, (size_t)(end - tab - 1),
					"no module's name");
		try(module_number(l, module, (size_t)(end - module) - 1, &place->module));
	} else {
		note_place(l, p, len, entry->address);
	}
	if (!is_named(*place))
		return NULL;
	if (l->symbols->names.len > NAMES_MAX)
		return kmp_error_new(KMP_ERROR_LIMIT, "more than 1 GiB of symbols' names");
	try(vec_append(&l->symbols->names, p, len));
	return vec_push(&l->symbols->names, '\0');
}

/* `ffffffff81000000 T _text`. */
static struct kmp_error *take_line(struct loader *l, struct kmp_lines *lines, const char *p,
				   size_t len)
{
	const char *end = p + len;
	const char *start = p;
	struct entry e = { 0 };

	if (!scan_hex(&p, &e.address) || p[0] != ' ' || !p[1] || p[2] != ' ')
		return bad_line(lines, start, len, "not 'ADDRESS TYPE SYMBOL'");
	e.place.name = (uint32_t)l->symbols->names.len << 1 | is_function(p[1]);
	try(take_name(l, lines, p + 3, end, &e));
	if (l->entries.len && l->entries.data[l->entries.len - 1].address > e.address)
		l->sorted = false;
	l->any_address |= e.address;
	return vec_push(&l->entries, e);
}

static int by_address(const void *a, const void *b)
{
	const struct entry *x = a;
	const struct entry *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->place.name < y->place.name ? -1 : x->place.name > y->place.name;
}

static void sort(struct loader *l)
{
	if (!l->sorted)
		qsort(l->entries.data, l->entries.len, sizeof(*l->entries.data), by_address);
}

/* One entry an address, and one mark for all that lies between two functions. */
static size_t thin_out(struct entry *entries, size_t len)
{
	size_t kept = 0;

	for (size_t i = 0; i < len; i++) {
		const struct entry *e = &entries[i];
		struct entry *last = kept ? &entries[kept - 1] : NULL;

		if (last && last->address == e->address) {
			if (!is_named(last->place) && is_named(e->place))
				*last = *e;
		} else if (is_named(e->place) || (last && is_named(last->place))) {
			entries[kept++] = *e;
		}
	}
	return kept;
}

/* The names grew by doubling: what is too much goes back. A failure leaves them as they are. */
static void trim_names(struct kmp_symbols *s)
{
	char *less = realloc(s->names.data, s->names.len);

	if (less) {
		s->names.data = less;
		s->names.cap = s->names.len;
	}
}

static struct kmp_error *finish(struct loader *l, const char *path)
{
	struct kmp_symbols *s = l->symbols;

	if (l->entries.len && !l->any_address)
		return kmp_error_system(EPERM, path,
					"all addresses are 0: the kernel hides them without "
					"CAP_SYSLOG, or by kernel.kptr_restrict");
	sort(l);
	size_t len = thin_out(l->entries.data, l->entries.len);
	if (!len)
		return kmp_error_input(path, 0, NULL, 0, "no function's symbol in it");
	s->addresses.data = calloc(len, sizeof(uint64_t));
	s->places.data = calloc(len, sizeof(struct place));
	if (!s->addresses.data || !s->places.data)
		return &kmp_error_no_memory;
	for (size_t i = 0; i < len; i++) {
		s->addresses.data[i] = l->entries.data[i].address;
		s->places.data[i] = l->entries.data[i].place;
		s->count += is_named(l->entries.data[i].place);
	}
	s->addresses.len = s->addresses.cap = s->places.len = s->places.cap = len;
	trim_names(s);
	return NULL;
}

static struct kmp_error *load(struct kmp_lines *lines, struct kmp_symbol_place *places,
			      size_t count, struct kmp_symbols **out)
{
	struct kmp_symbols *symbols cleanup(cleanup_symbols) = calloc(1, sizeof(*symbols));
	struct loader l cleanup(cleanup_loader) = {
		.symbols = symbols,
		.sorted = true,
		.places = places,
		.place_count = count,
	};

	if (!symbols)
		return &kmp_error_no_memory;
	for (size_t i = 0; i < count; i++) {
		places[i].address = 0;
		l.place_lengths |= 1ull << (strlen(places[i].name) & 63);
	}
	for (;;) {
		const char *text;
		size_t len;

		try(kmp_lines_next(lines, &text, &len));
		if (!text)
			break;
		try(take_line(&l, lines, text, len));
	}
	try(finish(&l, kmp_lines_path(lines)));
	*out = no_free(symbols);
	return NULL;
}

struct kmp_error *kmp_symbols_load(const char *path, struct kmp_symbols **symbols)
{
	return kmp_symbols_load_places(path, NULL, 0, symbols);
}

struct kmp_error *kmp_symbols_load_places(const char *path, struct kmp_symbol_place *places,
					  size_t count, struct kmp_symbols **symbols)
{
	struct kmp_input *input cleanup(cleanup_input) = NULL;
	struct kmp_lines *lines cleanup(cleanup_lines) = NULL;

	try(kmp_input_open(path, &input));
	try(kmp_lines_create(input, &lines));
	return load(lines, places, count, symbols);
}

struct kmp_error *kmp_symbols_load_memory(const char *text, size_t len,
					  struct kmp_symbols **symbols)
{
	struct kmp_lines *lines cleanup(cleanup_lines) = NULL;

	try(kmp_lines_create_memory(text, len, &lines));
	return load(lines, NULL, 0, symbols);
}

/* The last entry at or below address; there is one. */
static size_t search(const struct kmp_symbols *s, uint64_t address)
{
	const uint64_t *base = s->addresses.data;
	size_t len = s->addresses.len;

	while (len > 1) {
		size_t half = len / 2;

		base += base[half] <= address ? half : 0;
		len -= half;
	}
	return (size_t)(base - s->addresses.data);
}

/* Where the function of entry i ends, if address is in it. */
static bool end_of(const struct kmp_symbols *s, size_t i, uint64_t address, uint64_t *end)
{
	bool followed = i + 1 < s->addresses.len &&
			s->places.data[i + 1].module == s->places.data[i].module;

	if (followed) {
		*end = s->addresses.data[i + 1];
		return true;
	}
	*end = (address | (PAGE_BYTES - 1)) + 1;
	return address - s->addresses.data[i] < TAIL_MAX && *end;
}

/* The function of entry i, if address is in it. */
static bool symbol_at(const struct kmp_symbols *s, size_t i, uint64_t address,
		      struct kmp_symbol *out)
{
	struct place place = s->places.data[i];
	uint64_t end;

	if (!is_named(place) || !end_of(s, i, address, &end))
		return false;
	*out = (struct kmp_symbol){
		.name = s->names.data + (place.name >> 1),
		.module = place.module ? s->modules.strings.data[place.module - 1].text : NULL,
		.address = s->addresses.data[i],
		.size = end - s->addresses.data[i],
	};
	return true;
}

bool kmp_symbols_find(const struct kmp_symbols *s, uint64_t address, struct kmp_symbol *out)
{
	if (address < s->addresses.data[0])
		return false;
	return symbol_at(s, search(s, address), address, out);
}

size_t kmp_symbols_entries(const struct kmp_symbols *s)
{
	return s->addresses.len;
}

bool kmp_symbols_entry(const struct kmp_symbols *s, size_t number, struct kmp_symbol *out)
{
	return symbol_at(s, number, s->addresses.data[number], out);
}

static char *put_text(char *p, const char *text)
{
	return put_bytes(p, text, strlen(text));
}

size_t kmp_symbols_print(const struct kmp_symbols *s, uint64_t address, char *buf, size_t size)
{
	char text[KMP_SYMBOL_TEXT_MAX];
	struct kmp_symbol symbol;
	char *p = text;

	if (kmp_symbols_find(s, address, &symbol)) {
		p = put_text(p, symbol.name);
		p = put_hex(put_literal(p, "+0x"), address - symbol.address, 1);
		p = put_hex(put_literal(p, "/0x"), symbol.size, 1);
		if (symbol.module)
			p = put_literal(put_text(put_literal(p, " ["), symbol.module), "]");
	} else {
		p = put_hex(put_literal(p, "0x"), address, 16);
	}

	size_t len = (size_t)(p - text);
	if (size) {
		size_t fits = len < size ? len : size - 1;

		memcpy(buf, text, fits);
		buf[fits] = '\0';
	}
	return len;
}

size_t kmp_symbols_count(const struct kmp_symbols *s)
{
	return s->count;
}

size_t kmp_symbols_memory(const struct kmp_symbols *s)
{
	return sizeof(*s) + s->addresses.cap * sizeof(uint64_t) +
	       s->places.cap * sizeof(struct place) + s->names.cap;
}
