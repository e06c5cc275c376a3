// SPDX-License-Identifier: GPL-2.0-only
/* The running kernel's vmlinux: where it is, and how far above its addresses the kernel runs. */
#include <elf.h>
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/cleanup.h"
#include "base/scan.h"
#include "source/debug_lines.h"

enum { BUILD_ID_MAX = 64 };

struct build_id {
	uint8_t bytes[BUILD_ID_MAX];
	size_t len;
};

DEFINE_CLEANUP(elf, Elf *, elf_end)

/* The kernel's own, from its notes. */
static bool running_id(struct build_id *id)
{
	auto_file FILE *notes = fopen("/sys/kernel/notes", "re");
	Elf64_Nhdr header;

	while (notes && fread(&header, sizeof(header), 1, notes) == 1) {
		char name[16] = "";
		size_t name_size = (header.n_namesz + 3u) & ~3u;
		size_t size = (header.n_descsz + 3u) & ~3u;
		uint8_t text[256];

		if (name_size > sizeof(name) || size > sizeof(text) ||
		    fread(name, 1, name_size, notes) != name_size ||
		    fread(text, 1, size, notes) != size)
			return false;
		if (header.n_type != NT_GNU_BUILD_ID || memcmp(name, "GNU", 4) != 0 ||
		    header.n_descsz > BUILD_ID_MAX)
			continue;
		memcpy(id->bytes, text, header.n_descsz);
		id->len = header.n_descsz;
		return true;
	}
	return false;
}

/* Where the kernel's code begins. */
static bool running_start(uint64_t *address)
{
	auto_file FILE *symbols = fopen("/proc/kallsyms", "re");
	char line[512];

	while (symbols && fgets(line, sizeof(line), symbols)) {
		const char *p = line;

		if (scan_hex(&p, address) && strlen(p) > 3 && !strcmp(p + 3, "_stext\n"))
			return *address != 0;
	}
	return false;
}

/* Where it begins in the file, if that is of this build. */
static bool file_start(const char *path, const struct build_id *id, uint64_t *address)
{
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf *elf cleanup(cleanup_elf) = NULL;
	Elf_Scn *section = NULL;
	const void *bytes;
	size_t names;

	elf_version(EV_CURRENT);
	if (fd >= 0)
		elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!elf || dwelf_elf_gnu_build_id(elf, &bytes) != (ssize_t)id->len ||
	    memcmp(bytes, id->bytes, id->len) != 0 || elf_getshdrstrndx(elf, &names))
		return false;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		const char *name = gelf_getshdr(section, &header)
					   ? elf_strptr(elf, names, header.sh_name)
					   : NULL;

		if (name && !strcmp(name, ".text")) {
			*address = header.sh_addr;
			return true;
		}
	}
	return false;
}

static void path_by_id(const struct build_id *id, char *path, size_t size)
{
	int used = snprintf(path, size, "/usr/lib/debug/.build-id/%02x/", id->bytes[0]);

	for (size_t i = 1; i < id->len && used > 0 && (size_t)used < size; i++)
		used += snprintf(path + used, size - (size_t)used, "%02x", id->bytes[i]);
	if (used > 0 && (size_t)used < size)
		snprintf(path + used, size - (size_t)used, ".debug");
}

struct kmp_error *kmp_debug_lines_open_kernel(struct kmp_debug_lines **lines)
{
	/* Before and behind the kernel's release. */
	static const char *const places[][2] = {
		{ "/usr/lib/debug/boot/vmlinux-", "" },
		{ "/boot/vmlinux-", "" },
		{ "/usr/lib/debug/lib/modules/", "/vmlinux" },
		{ "/usr/lib/debug/lib/modules/", "/vmlinux.debug" },
		{ "/lib/modules/", "/vmlinux" },
		{ "/lib/modules/", "/build/vmlinux" },
	};
	enum { PLACES = sizeof(places) / sizeof(*places) };
	struct utsname machine;
	struct build_id id;
	uint64_t runs = 0;
	uint64_t starts;

	*lines = NULL;
	if (uname(&machine) || !running_id(&id) || !running_start(&runs))
		return NULL;
	for (size_t i = 0; i <= PLACES; i++) {
		char path[512];

		if (i < PLACES)
			snprintf(path, sizeof(path), "%s%s%s", places[i][0], machine.release,
				 places[i][1]);
		else
			path_by_id(&id, path, sizeof(path));
		if (file_start(path, &id, &starts))
			return kmp_debug_lines_open(path, runs - starts, lines);
	}
	return NULL;
}
