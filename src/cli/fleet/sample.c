// SPDX-License-Identifier: GPL-2.0-only
/* Samples, and the files in which they wait. */
#include "cli/fleet/sample.h"

#include <string.h>
#include <xxhash.h>
#include <zstd.h>

#include "base/cleanup.h"

enum { PLAIN_MAX = 256 << 20, NAME_MAX_LENGTH = 255, LABELS_MAX = 64, LEVEL = 1 };

static const char magic[8] = "kmpspl1\n";

DEFINE_CLEANUP(sample, struct push_sample *, push_sample_destroy)
DEFINE_CLEANUP(context, ZSTD_CCtx *, ZSTD_freeCCtx)

void push_sample_destroy(struct push_sample *sample)
{
	if (!sample)
		return;
	free(sample->host);
	free(sample->boot);
	free(sample->kernel);
	row_deinit(&sample->labels);
	vec_deinit(&sample->figures);
	for (int i = 0; i < SCHEMA_KINDS; i++)
		row_deinit(&sample->names[i]);
	free(sample);
}

static struct kmp_error *no_memory(void)
{
	return kmp_error_new(KMP_ERROR_MEMORY, "out of memory");
}

uint64_t push_session(const char *host, const char *boot)
{
	return XXH64(boot, strlen(boot), XXH64(host, strlen(host), 0));
}

struct kmp_error *push_sample_name(struct push_sample *sample, const char *host, const char *boot,
				   const char *kernel, const struct row_writer *labels)
{
	sample->host = strdup(host);
	sample->boot = strdup(boot);
	sample->kernel = strdup(kernel);
	if (!sample->host || !sample->boot || !sample->kernel)
		return no_memory();
	sample->session = push_session(host, boot);
	sample->labels.bytes.len = 0;
	return grow_append(&sample->labels.bytes, labels->bytes.data, labels->bytes.len);
}

static struct kmp_error *put_figures(const struct push_sample *sample, struct row_writer *to)
{
	try(row_put_length(to, sample->figures.len));
	for (size_t i = 0; i < sample->figures.len; i++) {
		const struct push_figure *figure = &sample->figures.data[i];

		try(row_put_u8(to, figure->kind));
		try(row_put_u64(to, figure->owner));
		try(row_put_i64(to, figure->bytes));
		try(row_put_i64(to, figure->count));
	}
	return NULL;
}

static struct kmp_error *put_plain(const struct push_sample *sample, struct row_writer *to)
{
	try(row_put_string(to, sample->host));
	try(row_put_string(to, sample->boot));
	try(row_put_string(to, sample->kernel));
	try(row_put_u64(to, sample->at));
	try(row_put_u64(to, sample->uptime));
	try(row_put_u64(to, sample->memory_total));
	try(row_put_u64(to, sample->memory_free));
	try(row_put_u64(to, sample->memory_available));
	try(row_put_u32(to, sample->page_size));
	try(row_put_u8(to, sample->holds));
	try(row_put_u64(to, sample->lost));
	try(row_put_i64(to, sample->pages_bytes));
	try(row_put_i64(to, sample->tags_bytes));
	try(row_put_text(to, sample->labels.bytes.data, sample->labels.bytes.len));
	try(put_figures(sample, to));
	for (int i = 0; i < SCHEMA_KINDS; i++)
		try(row_put_text(to, sample->names[i].bytes.data, sample->names[i].bytes.len));
	return NULL;
}

struct kmp_error *push_sample_encode(const struct push_sample *sample, struct row_writer *bytes)
{
	struct row_writer plain cleanup(row_deinit) = { 0 };
	ZSTD_CCtx *context cleanup(cleanup_context) = ZSTD_createCCtx();

	if (!context)
		return no_memory();
	try(put_plain(sample, &plain));
	if (plain.bytes.len > PLAIN_MAX)
		return kmp_error_new(KMP_ERROR_LIMIT, "a sample is larger than %d MiB",
				     PLAIN_MAX >> 20);
	bytes->bytes.len = 0;
	try(grow_append(&bytes->bytes, magic, sizeof(magic)));
	size_t bound = ZSTD_compressBound(plain.bytes.len);

	try(grow_reserve(&bytes->bytes, bound));
	ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, LEVEL);
	ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
	size_t len = ZSTD_compress2(context, bytes->bytes.data + sizeof(magic), bound,
				    plain.bytes.data, plain.bytes.len);

	if (ZSTD_isError(len))
		return no_memory();
	bytes->bytes.len += len;
	return NULL;
}

static char *take_string(struct row_reader *reader)
{
	size_t len;
	const char *text = row_text(reader, &len);

	/* A name of a host that is no name would be another host's for some and not for others. */
	if (len > NAME_MAX_LENGTH || memchr(text, '\0', len)) {
		reader->bad = true;
		len = 0;
	}
	return strndup(text, len);
}

static struct kmp_error *take_bytes(struct row_reader *reader, struct row_writer *to)
{
	size_t len;
	const char *bytes = row_text(reader, &len);

	return grow_append(&to->bytes, bytes, len);
}

static struct kmp_error *take_figures(struct row_reader *reader, struct push_sample *sample)
{
	uint64_t count = row_length(reader);

	for (uint64_t i = 0; i < count && !reader->bad; i++) {
		struct push_figure figure = { .kind = row_u8(reader) };

		figure.owner = row_u64(reader);
		figure.bytes = row_i64(reader);
		figure.count = row_i64(reader);
		reader->bad |= figure.kind >= SCHEMA_KINDS;
		if (!reader->bad)
			try(grow_push(&sample->figures, figure));
	}
	reader->bad |= sample->figures.len >= CLICKHOUSE_ROWS;
	return NULL;
}

static bool are_labels(const struct row_writer *labels)
{
	struct row_reader reader = row_reader(labels->bytes.data, labels->bytes.len);
	uint64_t count = row_length(&reader);
	size_t len;

	reader.bad |= count > LABELS_MAX;
	for (uint64_t i = 0; i < 2 * count && !reader.bad; i++)
		row_text(&reader, &len);
	return !reader.bad && reader.at == reader.end;
}

void push_name_skip(struct row_reader *reader, enum schema_kind kind, uint64_t *id)
{
	size_t len;

	*id = row_u64(reader);
	row_text(reader, &len);
	if (kind == SCHEMA_TASK)
		return;
	row_text(reader, &len);
	if (kind == SCHEMA_TAG) {
		row_u32(reader);
		row_text(reader, &len);
		return;
	}
	for (uint64_t frames = row_length(reader); frames && !reader->bad; frames--)
		row_text(reader, &len);
}

static bool are_names(const struct row_writer *names, enum schema_kind kind)
{
	struct row_reader reader = row_reader(names->bytes.data, names->bytes.len);
	uint64_t id;

	while (row_more(&reader))
		push_name_skip(&reader, kind, &id);
	return !reader.bad;
}

static struct kmp_error *take_plain(struct row_reader *reader, struct push_sample *sample)
{
	sample->host = take_string(reader);
	sample->boot = take_string(reader);
	sample->kernel = take_string(reader);
	if (!sample->host || !sample->boot || !sample->kernel)
		return no_memory();
	sample->session = push_session(sample->host, sample->boot);
	sample->at = row_u64(reader);
	sample->uptime = row_u64(reader);
	sample->memory_total = row_u64(reader);
	sample->memory_free = row_u64(reader);
	sample->memory_available = row_u64(reader);
	sample->page_size = row_u32(reader);
	sample->holds = row_u8(reader);
	sample->lost = row_u64(reader);
	sample->pages_bytes = row_i64(reader);
	sample->tags_bytes = row_i64(reader);
	try(take_bytes(reader, &sample->labels));
	try(take_figures(reader, sample));
	for (int i = 0; i < SCHEMA_KINDS; i++)
		try(take_bytes(reader, &sample->names[i]));
	return NULL;
}

static bool is_sound(const struct row_reader *reader, const struct push_sample *sample)
{
	bool sound = !reader->bad && reader->at == reader->end && are_labels(&sample->labels);

	for (int i = 0; i < SCHEMA_KINDS; i++)
		sound = sound && are_names(&sample->names[i], (enum schema_kind)i);
	return sound;
}

struct kmp_error *push_sample_decode(const char *bytes, size_t len, struct push_sample **out)
{
	struct push_sample *sample cleanup(cleanup_sample) = calloc(1, sizeof(*sample));

	if (!sample)
		return no_memory();
	if (len < sizeof(magic) || memcmp(bytes, magic, sizeof(magic)) != 0)
		return kmp_error_new(KMP_ERROR_INPUT, "no sample of a spool");
	bytes += sizeof(magic);
	len -= sizeof(magic);
	unsigned long long size = ZSTD_getFrameContentSize(bytes, len);

	if (size > PLAIN_MAX)
		return kmp_error_new(KMP_ERROR_INPUT, "damaged: no size that a sample can have");
	auto_free char *plain = malloc((size_t)size + 1);

	if (!plain)
		return no_memory();
	if (ZSTD_decompress(plain, (size_t)size, bytes, len) != size)
		return kmp_error_new(KMP_ERROR_INPUT, "damaged: it cannot be unpacked");
	struct row_reader reader = row_reader(plain, (size_t)size);

	try(take_plain(&reader, sample));
	if (!is_sound(&reader, sample))
		return kmp_error_new(KMP_ERROR_INPUT, "damaged: its parts do not fit together");
	*out = no_free(sample);
	return NULL;
}
