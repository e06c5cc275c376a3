// SPDX-License-Identifier: GPL-2.0-only
/* Inode numbers to cgroups' names, on a tree of plain directories and on this machine. */
#include "po-read.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "source/kpage.h"
#include "source/memcg_names.h"

static void mount_of(const char *text, const char *expected)
{
	char file[] = "/tmp/kmp-test-XXXXXX";
	char path[64];
	int fd = mkstemp(file);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	assert_null(kmp_memcg_mount(file, path, sizeof(path)));
	unlink(file);
	assert_string_equal(path, expected);
}

static void mounts(void **state)
{
	mount_of("", "");
	mount_of("proc /proc proc rw 0 0\n", "");
	mount_of("cgroup2 /sys/fs/cgroup cgroup2 rw,nsdelegate 0 0\n", "/sys/fs/cgroup");
	mount_of(
		"cgroup2 /unified cgroup2 rw 0 0\ncgroup /cpu cgroup rw,cpu 0 0\n"
		"cgroup /mem\\040ory cgroup rw,relatime,memory 0 0\n",
		"/mem ory");
	mount_of(
		"cgroup /no cgroup rw,memory_recursiveprot 0 0\ncgroup2 /a cgroup2 rw 0 0\n"
		"cgroup2 /b cgroup2 rw 0 0\n",
		"/a");
	mount_of(
		"cgroup2 /0123456789012345678901234567890123456789012345678901234567890123 "
		"cgroup2 rw 0 0\n",
		"");
	mount_of("cgroup2\n   \ncgroup2 /x\ncgroup2 /x cgroup2\n", "");
}

static uint64_t make(const char *root, const char *name)
{
	char path[128];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(stat(path, &st), 0);
	return st.st_ino;
}

static void expect(struct kmp_memcg_names *names, uint64_t inode, const char *name, bool offline)
{
	struct kmp_memcg_name found;

	assert_null(kmp_memcg_names_find(names, inode, &found));
	assert_string_equal(found.name, name);
	assert_int_equal(found.offline, offline);
}

static void tree(void **state)
{
	char root[] = "/tmp/kmp-test-XXXXXX";
	struct kmp_memcg_names *names;
	struct stat st;

	assert_non_null(mkdtemp(root));
	assert_int_equal(stat(root, &st), 0);
	uint64_t a = make(root, "web.slice");
	uint64_t b = make(root, "web.slice/batch job");
	uint64_t same = make(root, "batch job");
	assert_null(kmp_memcg_names_create(root, &names));
	expect(names, b, "batch job", false);
	expect(names, st.st_ino, "/", false);
	expect(names, a, "web.slice", false);
	expect(names, same, "batch job", false);

	/* made after the tree was read */
	uint64_t late = make(root, "web.slice/batch job/late");
	expect(names, late, "late", false);
	expect(names, UINT64_MAX, "inode 18446744073709551615", true);
	expect(names, UINT64_MAX, "inode 18446744073709551615", true);

	/* removed: what was read stays, the rest has no name */
	char path[128];
	static const char *const all[] = { "web.slice/batch job/late", "web.slice/batch job",
					   "web.slice", "batch job", "" };
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		snprintf(path, sizeof(path), "%s/%s", root, all[i]);
		assert_int_equal(rmdir(path), 0);
	}
	expect(names, a, "web.slice", false);
	struct kmp_memcg_name found;
	struct kmp_error *err = kmp_memcg_names_find(names, 1, &found);
	assert_int_equal(err->kind, KMP_ERROR_SYSTEM);
	kmp_error_destroy(err);
	kmp_memcg_names_destroy(names);
}

/* The cgroup's last component, from `4:memory:/a/b` or `0::/a/b`; "/" for the root. */
static void own_cgroup(char name[512])
{
	auto_file FILE *f = fopen("/proc/self/cgroup", "r");
	char line[4096];

	strcpy(name, "/");
	while (f && fgets(line, sizeof(line), f)) {
		const char *path = strchr(line, '/');

		line[strcspn(line, "\n")] = '\0';
		if (!path || (!strstr(line, ":memory:") && strncmp(line, "0::", 3) != 0))
			continue;
		snprintf(name, 512, "%s", strrchr(path, '/') + 1);
		if (!*name)
			strcpy(name, "/");
		if (strstr(line, ":memory:"))
			return;
	}
}

/* The inode number of the cgroup that a new page of ours is charged to; 0: nothing tells. */
static uint64_t own_inode(void)
{
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	char *page =
		mmap(NULL, page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const char *const files[] = { "/proc/self/pagemap", "/proc/kpagecgroup" };
	uint64_t at = (uintptr_t)page / page_size;

	assert_ptr_not_equal(page, MAP_FAILED);
	memset(page, 1, page_size);
	for (size_t i = 0; i < 2 && at; i++) {
		struct kmp_kpage file;
		struct kmp_error *err = kmp_kpage_open(files[i], &file);
		size_t got = 0;

		if (!err)
			err = kmp_kpage_read(&file, at & (((uint64_t)1 << 55) - 1), &at, 1, &got);
		if (got != 1)
			at = 0;
		kmp_error_destroy(err);
		kmp_kpage_close(&file);
	}
	munmap(page, page_size);
	return at;
}

/* A page of our own is charged to our own cgroup. */
static void this_machine(void **state)
{
	struct kmp_memcg_names *names;
	uint64_t inode = own_inode();
	char path[4096];
	char own[512];

	own_cgroup(own);
	assert_null(kmp_memcg_mount("/proc/self/mounts", path, sizeof(path)));
	if (!inode || !*path) {
		print_message("# no memory cgroups, or no leave to read a page's\n");
		skip();
	}
	assert_null(kmp_memcg_names_create(path, &names));
	print_message("# %s: inode %llu, %s\n", path, (unsigned long long)inode, own);
	expect(names, inode, own, false);
	kmp_memcg_names_destroy(names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mounts),
		cmocka_unit_test(tree),
		cmocka_unit_test(this_machine),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
