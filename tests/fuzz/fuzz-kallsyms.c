// SPDX-License-Identifier: GPL-2.0-only
/* kallsyms: an address lies in the function that it is said to be in, whatever the text holds. */
#include <assert.h>
#include <string.h>

#include "source/symbols.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ask(const struct kmp_symbols *symbols, uint64_t address)
{
	struct kmp_symbol s = { 0 };
	char text[KMP_SYMBOL_TEXT_MAX];
	char cut[9] = { 0 };

	if (kmp_symbols_find(symbols, address, &s)) {
		struct kmp_symbol again;

		assert(*s.name && s.address <= address && address - s.address < s.size);
		assert(kmp_symbols_find(symbols, s.address, &again));
		assert(again.name == s.name && again.address == s.address);
	}
	size_t len = kmp_symbols_print(symbols, address, text, sizeof(text));
	assert(len < sizeof(text) && strlen(text) == len);
	assert(kmp_symbols_print(symbols, address, cut, sizeof(cut)) == len);
	assert(!memcmp(cut, text, len < 8 ? len : 8));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kmp_symbols *symbols;
	struct kmp_error *err = kmp_symbols_load_memory((const char *)data, size, &symbols);

	if (err) {
		kmp_error_destroy(err);
		return 0;
	}
	for (size_t i = 0; i + 8 <= size && i < 4096; i += 8) {
		uint64_t address;

		memcpy(&address, data + i, sizeof(address));
		ask(symbols, address);
		ask(symbols, 0xffffffff81000000 + i * 40);
	}
	ask(symbols, 0);
	ask(symbols, UINT64_MAX);
	assert(kmp_symbols_count(symbols) > 0);
	kmp_symbols_destroy(symbols);
	return 0;
}
