// SPDX-License-Identifier: GPL-2.0-only
/*
 * What FUSE itself costs: a file whose bytes are there already. A read is answered from one
 * buffer, up to so many bytes in all.
 *
 *     fuse-nothing DIR BYTES        serves DIR/nothing until it is unmounted
 */
#define FUSE_USE_VERSION 312
#include <errno.h>
#include <fuse3/fuse_lowlevel.h>
#include <stdlib.h>
#include <string.h>

enum { READ_MAX = 1 << 20, INODE = 2 };

static off_t total;
static char bytes[READ_MAX];

static void fill(fuse_ino_t inode, struct stat *st)
{
	memset(st, 0, sizeof(*st));
	st->st_ino = inode;
	st->st_mode = inode == INODE ? S_IFREG | 0400 : S_IFDIR | 0700;
	st->st_nlink = 1;
}

static void op_init(void *userdata, struct fuse_conn_info *conn)
{
	(void)userdata;
	conn->max_write = READ_MAX;
	conn->max_read = READ_MAX;
}

static void op_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	struct fuse_entry_param entry = { .attr_timeout = 1e9, .entry_timeout = 1e9 };

	(void)parent;
	if (strcmp(name, "nothing") != 0) {
		fuse_reply_err(req, ENOENT);
		return;
	}
	entry.ino = INODE;
	fill(INODE, &entry.attr);
	fuse_reply_entry(req, &entry);
}

static void op_getattr(fuse_req_t req, fuse_ino_t inode, struct fuse_file_info *info)
{
	struct stat st;

	(void)info;
	fill(inode, &st);
	fuse_reply_attr(req, &st, 1e9);
}

static void op_open(fuse_req_t req, fuse_ino_t inode, struct fuse_file_info *info)
{
	(void)inode;
	info->direct_io = 1;
	fuse_reply_open(req, info);
}

static void op_read(fuse_req_t req, fuse_ino_t inode, size_t size, off_t offset,
		    struct fuse_file_info *info)
{
	off_t left = offset < total ? total - offset : 0;

	(void)inode;
	(void)info;
	fuse_reply_buf(req, bytes, (off_t)size < left ? size : (size_t)left);
}

static const struct fuse_lowlevel_ops ops = {
	.init = op_init,
	.lookup = op_lookup,
	.getattr = op_getattr,
	.open = op_open,
	.read = op_read,
};

int main(int argc, char **argv)
{
	char *options[] = { argv[0], (char *)"-o", (char *)"max_read=1048576", NULL };
	struct fuse_args args = FUSE_ARGS_INIT(3, options);

	if (argc != 3)
		return 2;
	total = strtoll(argv[2], NULL, 10);
	memset(bytes, 'x', sizeof(bytes));
	struct fuse_session *session = fuse_session_new(&args, &ops, sizeof(ops), NULL);
	struct fuse_loop_config *config = fuse_loop_cfg_create();

	if (!session || !config || fuse_session_mount(session, argv[1]))
		return 1;
	fuse_set_signal_handlers(session);
	fuse_session_loop_mt(session, config);
	fuse_session_unmount(session);
	return 0;
}
