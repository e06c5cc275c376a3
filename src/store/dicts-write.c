// SPDX-License-Identifier: GPL-2.0-only
/* What a ledger adds to the dictionaries. */
#include "store/dicts.h"

#include "store/frames.h"
#include "store/schema.h"

struct kmp_error *kmp_ids_find(const struct kmp_ids *ids, uint32_t number, uint32_t *id)
{
	*id = number;
	if (number == KMP_NONE)
		return NULL;
	if (number >= ids->len)
		return kmp_error_new(KMP_ERROR_INPUT, "number %u is not in the ledger", number);
	*id = ids->data[number];
	return NULL;
}

static struct kmp_error *write_texts(struct kmp_dicts *dicts, const struct kmp_ledger *ledger,
				     enum kmp_dict dict)
{
	size_t count = kmp_ledger_dict_count(ledger, dict);
	uint32_t from = (uint32_t)dicts->text_ids[dict].len;
	auto_stmt sqlite3_stmt *stmt = NULL;

	if (from == count)
		return NULL;
	try(kmp_db_prepare(dicts->db, "INSERT INTO text VALUES(?, ?, ?)", &stmt));
	for (uint32_t i = from; i < count; i++) {
		size_t len;
		const char *text = kmp_ledger_text(ledger, dict, i, &len);
		uint32_t id;
		bool is_new;

		try(kmp_dicts_intern(&dicts->texts[dict], text, len, &id, &is_new));
		try(vec_push(&dicts->text_ids[dict], id));
		if (!is_new)
			continue;
		try(kmp_db_bind(stmt, "snt", kmp_store_kinds[dict], id, text, len));
		try(kmp_db_run(stmt));
	}
	return NULL;
}

struct frame_use {
	uint32_t frame;
	uint32_t uses;
};

static int compare_uses(const void *a, const void *b)
{
	const struct frame_use *x = a, *y = b;

	if (x->uses != y->uses)
		return x->uses < y->uses ? 1 : -1;
	return x->frame < y->frame ? -1 : x->frame > y->frame;
}

static struct kmp_error *write_frame(struct kmp_dicts *dicts, const struct kmp_ledger *ledger,
				     uint32_t frame, sqlite3_stmt *stmt)
{
	uint64_t address = kmp_ledger_frame_address(ledger, frame);
	struct kmp_frame_parts parts;
	size_t len;
	const char *text = kmp_ledger_text(ledger, KMP_DICT_FRAME, frame, &len);
	uint32_t id;
	bool is_new;

	try(kmp_dicts_intern_frame(&dicts->texts[KMP_DICT_FRAME], text, len, address, &id,
				   &is_new));
	dicts->text_ids[KMP_DICT_FRAME].data[frame] = id;
	if (!is_new)
		return NULL;
	kmp_frame_split(text, len, &parts);
	if (parts.split)
		try(kmp_db_bind(stmt, "ntuut", id, parts.function, parts.function_len, parts.offset,
				parts.size, parts.module, parts.module_len));
	else
		try(kmp_db_bind(stmt, "ntnnt", id, text, len, KMP_NONE, KMP_NONE, NULL, (size_t)0));
	if (address)
		sqlite3_bind_int64(stmt, 6, (int64_t)address);
	else
		sqlite3_bind_null(stmt, 6);
	return kmp_db_run(stmt);
}

/* The frames that stand in most traces come first: their characters are the shortest. */
static struct kmp_error *write_frames(struct kmp_dicts *dicts, const struct kmp_ledger *ledger)
{
	size_t count = kmp_ledger_dict_count(ledger, KMP_DICT_FRAME);
	size_t from = dicts->text_ids[KMP_DICT_FRAME].len;
	auto_free struct frame_use *uses = calloc(count + 1, sizeof(*uses));
	auto_stmt sqlite3_stmt *stmt = NULL;

	if (!uses)
		return &kmp_error_no_memory;
	if (from == count)
		return NULL;
	for (uint32_t i = 0; i < count; i++) {
		uses[i].frame = i;
		if (i >= from)
			try(vec_push(&dicts->text_ids[KMP_DICT_FRAME], 0));
	}
	for (uint32_t i = 0; i < kmp_ledger_count(ledger, KMP_LIST_TRACES); i++) {
		struct kmp_trace trace = kmp_ledger_trace(ledger, i);

		for (uint32_t j = 0; j < trace.depth; j++) {
			if (trace.frames[j] < count)
				uses[trace.frames[j]].uses++;
		}
	}
	qsort(uses + from, count - from, sizeof(*uses), compare_uses);
	try(kmp_db_prepare(dicts->db, "INSERT INTO frame VALUES(?, ?, ?, ?, ?, ?)", &stmt));
	for (size_t i = from; i < count; i++)
		try(write_frame(dicts, ledger, uses[i].frame, stmt));
	return NULL;
}

static struct kmp_error *spell_trace(struct kmp_dicts *dicts, struct kmp_trace trace,
				     kmp_bytes *bytes)
{
	bytes->len = 0;
	for (uint32_t i = 0; i < trace.depth; i++) {
		uint32_t id;

		if (trace.frames[i] == KMP_NONE)
			return kmp_error_new(KMP_ERROR_INPUT, "a trace holds no frame");
		try(kmp_ids_find(&dicts->text_ids[KMP_DICT_FRAME], trace.frames[i], &id));
		try(kmp_trace_append(bytes, id));
	}
	return vec_reserve(bytes, 1); /* not NULL, which would stand for no trace */
}

static struct kmp_error *write_stack(struct kmp_dicts *dicts, const struct kmp_ledger *ledger,
				     const struct kmp_stack *stack, kmp_bytes *bytes,
				     sqlite3_stmt *stmt, uint32_t *out)
{
	struct kmp_stack_key key = { KMP_NONE, stack->has_handle ? stack->handle : 0,
				     stack->has_handle };
	bool new_trace = false, new_stack;
	uint32_t same = KMP_NONE, id;

	if (stack->trace != KMP_NONE) {
		if (stack->trace >= kmp_ledger_count(ledger, KMP_LIST_TRACES))
			return kmp_error_new(KMP_ERROR_INPUT, "a stack holds no trace");
		try(spell_trace(dicts, kmp_ledger_trace(ledger, stack->trace), bytes));
		try(kmp_dicts_intern(&dicts->traces, bytes->data, bytes->len, &key.trace,
				     &new_trace));
		key.trace--;
	}
	try(kmp_dicts_intern(&dicts->stacks, &key, sizeof(key), &id, &new_stack));
	*out = id;
	if (!new_stack)
		return NULL;
	if (new_trace)
		try(vec_push(&dicts->trace_holders, id));
	else if (key.trace != KMP_NONE)
		same = dicts->trace_holders.data[key.trace];
	try(kmp_db_bind(stmt, "nint", id, (int64_t)key.handle, same, new_trace ? bytes->data : NULL,
			bytes->len));
	if (!key.has_handle)
		sqlite3_bind_null(stmt, 2);
	return kmp_db_run(stmt);
}

static void free_bytes(kmp_bytes *bytes)
{
	vec_deinit(bytes);
}

static struct kmp_error *write_stacks(struct kmp_dicts *dicts, const struct kmp_ledger *ledger)
{
	auto_stmt sqlite3_stmt *stmt = NULL;
	kmp_bytes bytes cleanup(free_bytes) = { 0 };

	try(kmp_db_prepare(dicts->db, "INSERT INTO stack VALUES(?, ?, ?, ?)", &stmt));
	for (uint32_t i = 0; i < kmp_ledger_count(ledger, KMP_LIST_STACKS); i++) {
		const struct kmp_stack *stack = kmp_ledger_stack(ledger, i);

		/* A handle may have got its trace since it was written. */
		if (i < dicts->stack_ids.len && stack->trace == dicts->stack_traces.data[i])
			continue;
		if (i == dicts->stack_ids.len) {
			try(vec_push(&dicts->stack_ids, 0));
			try(vec_push(&dicts->stack_traces, KMP_NONE));
		}
		try(write_stack(dicts, ledger, stack, &bytes, stmt, &dicts->stack_ids.data[i]));
		dicts->stack_traces.data[i] = stack->trace;
		dicts->stacks_changed = true;
	}
	return NULL;
}

static struct kmp_error *write_tasks(struct kmp_dicts *dicts, const struct kmp_ledger *ledger)
{
	auto_stmt sqlite3_stmt *stmt = NULL;

	try(kmp_db_prepare(dicts->db, "INSERT INTO task VALUES(?, ?, ?, ?)", &stmt));
	for (uint32_t i = (uint32_t)dicts->task_ids.len;
	     i < kmp_ledger_count(ledger, KMP_LIST_TASKS); i++) {
		const struct kmp_task *task = kmp_ledger_task(ledger, i);
		uint32_t comm, id;
		bool is_new;

		try(kmp_ids_find(&dicts->text_ids[KMP_DICT_COMM], task->comm, &comm));
		/* No row has id 0. */
		struct kmp_task_key key = { task->pid, task->tgid, comm == KMP_NONE ? 0 : comm };

		try(kmp_dicts_intern(&dicts->tasks, &key, sizeof(key), &id, &is_new));
		try(vec_push(&dicts->task_ids, id));
		if (!is_new)
			continue;
		try(kmp_db_bind(stmt, "niin", id, task->pid, task->tgid, comm));
		try(kmp_db_run(stmt));
	}
	return NULL;
}

static struct kmp_error *write_charges(struct kmp_dicts *dicts, const struct kmp_ledger *ledger)
{
	auto_stmt sqlite3_stmt *stmt = NULL;

	try(kmp_db_prepare(dicts->db, "INSERT INTO charge VALUES(?, ?, ?, ?, ?)", &stmt));
	for (uint32_t i = (uint32_t)dicts->charge_ids.len;
	     i < kmp_ledger_count(ledger, KMP_LIST_CHARGES); i++) {
		const struct kmp_charge *charge = kmp_ledger_charge(ledger, i);
		uint32_t memcg, id;
		bool is_new;

		try(kmp_ids_find(&dicts->text_ids[KMP_DICT_MEMCG], charge->memcg, &memcg));
		struct kmp_charge_key key = { memcg == KMP_NONE ? 0 : memcg,
					      (uint32_t)charge->objcg |
						      (uint32_t)charge->offline << 1 |
						      (uint32_t)charge->old_spelling << 2 };

		try(kmp_dicts_intern(&dicts->charges, &key, sizeof(key), &id, &is_new));
		try(vec_push(&dicts->charge_ids, id));
		if (!is_new)
			continue;
		try(kmp_db_bind(stmt, "nniii", id, memcg, (int64_t)charge->objcg,
				(int64_t)charge->offline, (int64_t)charge->old_spelling));
		try(kmp_db_run(stmt));
	}
	return NULL;
}

static void forget_ledger(struct kmp_dicts *dicts)
{
	for (int i = 0; i < KMP_DICT_COUNT; i++)
		dicts->text_ids[i].len = 0;
	dicts->stack_ids.len = dicts->stack_traces.len = 0;
	dicts->stacks_changed = true;
	dicts->task_ids.len = dicts->charge_ids.len = 0;
}

struct kmp_error *kmp_dicts_write(struct kmp_dicts *dicts, const struct kmp_ledger *ledger)
{
	if (dicts->ledger != ledger->serial)
		forget_ledger(dicts);
	dicts->ledger = ledger->serial;
	for (int i = 0; i < KMP_DICT_COUNT; i++) {
		if (kmp_store_kinds[i])
			try(write_texts(dicts, ledger, i));
	}
	try(write_frames(dicts, ledger));
	try(write_stacks(dicts, ledger));
	try(write_tasks(dicts, ledger));
	return write_charges(dicts, ledger);
}

struct kmp_error *kmp_dicts_location(struct kmp_dicts *dicts, const struct kmp_tag *tag,
				     uint32_t *id)
{
	bool is_new;

	try(kmp_dicts_intern_location(&dicts->locations, tag, id, &is_new));
	if (!is_new)
		return NULL;
	if (!dicts->add_location)
		try(kmp_db_prepare(dicts->db, "INSERT INTO location VALUES(?, ?, ?, ?, ?, ?)",
				   &dicts->add_location));
	try(kmp_db_bind(dicts->add_location, "nsusss", *id, tag->file, tag->line, tag->module,
			tag->function, tag->extra));
	return kmp_db_run(dicts->add_location);
}
