// SPDX-License-Identifier: GPL-2.0-only
/*
 * From a `--where` expression to tests:
 *
 *     any  = all  { "||" all }
 *     all  = one  { "&&" one }
 *     one  = "!" one | "(" any ")" | "migrated" | "slab" | field operator value
 */
#include <ctype.h>

#include "base/cleanup.h"
#include "base/nearest.h"
#include "ledger/filter_lex.h"

enum { DEPTH_MAX = 64, TESTS_MAX = 1024, LENGTH_MAX = 1 << 16, NONE = -1 };

enum node_kind { NODE_TEST, NODE_ALL, NODE_ANY, NODE_NOT };

struct node {
	enum node_kind kind;
	uint32_t test; /* of NODE_TEST */
	int last;      /* the last child, or NONE */
	int previous;  /* the child before this one, or NONE */
};

struct parser {
	struct kmp_lexer lex;
	struct kmp_filter *filter;
	VEC(struct node) nodes;
	unsigned depth;
};

enum { NUMBERS = KMP_TAKES_NUMBER, TEXTS = KMP_TAKES_TEXT | KMP_TAKES_REGEX };

const struct kmp_field_info kmp_fields[KMP_FIELD_COUNT] = {
	[KMP_FIELD_ORDER] = { "order", KMP_COLUMN_ORDER, NUMBERS },
	[KMP_FIELD_PID] = { "pid", KMP_COLUMN_TASK, NUMBERS },
	[KMP_FIELD_TGID] = { "tgid", KMP_COLUMN_TASK, NUMBERS },
	[KMP_FIELD_NODE] = { "node", KMP_COLUMN_FLAGS, NUMBERS },
	[KMP_FIELD_HANDLE] = { "handle", KMP_COLUMN_STACK, NUMBERS },
	[KMP_FIELD_PFN] = { "pfn", KMP_COLUMN_PFN, NUMBERS },
	[KMP_FIELD_TS] = { "ts", KMP_COLUMN_TS, NUMBERS },
	[KMP_FIELD_FREE_TS] = { "free_ts", KMP_COLUMN_FREE_TS, NUMBERS },
	[KMP_FIELD_COMM] = { "comm", KMP_COLUMN_TASK, TEXTS },
	[KMP_FIELD_ZONE] = { "zone", KMP_COLUMN_FLAGS, NUMBERS | TEXTS },
	[KMP_FIELD_MIGRATETYPE] = { "migratetype", KMP_COLUMN_TYPE, TEXTS },
	[KMP_FIELD_BLOCK] = { "block", KMP_COLUMN_BLOCK_TYPE, TEXTS },
	[KMP_FIELD_GFP] = { "gfp", KMP_COLUMN_GFP, TEXTS | KMP_TAKES_HAS },
	[KMP_FIELD_FLAGS] = { "flags", KMP_COLUMN_FLAGS, TEXTS | KMP_TAKES_HAS },
	[KMP_FIELD_MEMCG] = { "memcg", KMP_COLUMN_CHARGE, TEXTS },
	[KMP_FIELD_REASON] = { "reason", KMP_COLUMN_REASON, TEXTS },
	[KMP_FIELD_STACK] = { "stack", KMP_COLUMN_STACK, KMP_TAKES_REGEX | KMP_TAKES_HAS },
	[KMP_FIELD_MODULE] = { "module", KMP_COLUMN_STACK, TEXTS },
	[KMP_FIELD_FUNCTION] = { "function", KMP_COLUMN_STACK, TEXTS },
	[KMP_FIELD_ALLOCATOR] = { "allocator", KMP_ALLOCATOR_COLUMNS, TEXTS },
	[KMP_FIELD_MIGRATED] = { "migrated", KMP_COLUMN_REASON, 0 },
	[KMP_FIELD_SLAB] = { "slab", KMP_COLUMN_FORM | KMP_COLUMN_FLAGS, 0 },
};

static struct kmp_error *unknown_field(struct parser *parser, const struct kmp_token *token)
{
	const char *names[KMP_FIELD_COUNT];
	char offer[KMP_NEAREST_SIZE];

	for (size_t i = 0; i < KMP_FIELD_COUNT; i++)
		names[i] = kmp_fields[i].name;
	kmp_nearest(parser->lex.text + token->at, token->len, names, KMP_FIELD_COUNT, offer);
	return kmp_lex_error(&parser->lex, token->at, "unknown field '%.*s'%s",
			     (int)(token->len > 40 ? 40 : token->len), parser->lex.text + token->at,
			     offer);
}

static struct kmp_error *parse_field(struct parser *parser, struct kmp_token *token,
				     enum kmp_field *field)
{
	kmp_lex_name(&parser->lex, token);
	if (!token->len)
		return kmp_lex_error(&parser->lex, token->at,
				     token->at == parser->lex.len
					     ? "the expression ends where a field is expected"
					     : "a field is expected");
	for (size_t i = 0; i < KMP_FIELD_COUNT; i++) {
		if (strlen(kmp_fields[i].name) == token->len &&
		    !memcmp(kmp_fields[i].name, parser->lex.text + token->at, token->len)) {
			*field = (enum kmp_field)i;
			return NULL;
		}
	}
	return unknown_field(parser, token);
}

static struct kmp_error *wrong_operator(struct parser *parser, enum kmp_field field, size_t at)
{
	unsigned takes = kmp_fields[field].takes;

	return kmp_lex_error(&parser->lex, at, "'%s' takes%s%s%s%s", kmp_fields[field].name,
			     takes & (KMP_TAKES_NUMBER | KMP_TAKES_TEXT) ? " == !=" : "",
			     takes & KMP_TAKES_NUMBER ? " < <= > >= in" : "",
			     takes & KMP_TAKES_REGEX ? " ~ !~" : "",
			     takes & KMP_TAKES_HAS ? " has" : "");
}

/* The ranges of numbers for which the comparison with value holds. */
static struct kmp_error *compare_with(struct kmp_filter_test *test, enum kmp_operator op,
				      uint64_t value)
{
	if (op == KMP_OP_EQUAL || op == KMP_OP_AT_MOST || op == KMP_OP_AT_LEAST)
		try(vec_push(&test->ranges,
			     (struct kmp_range){ op == KMP_OP_AT_MOST ? 0 : value,
						 op == KMP_OP_AT_LEAST ? UINT64_MAX : value }));
	if (value && (op == KMP_OP_NOT_EQUAL || op == KMP_OP_BELOW))
		try(vec_push(&test->ranges, (struct kmp_range){ 0, value - 1 }));
	if (value < UINT64_MAX && (op == KMP_OP_NOT_EQUAL || op == KMP_OP_ABOVE))
		try(vec_push(&test->ranges, (struct kmp_range){ value + 1, UINT64_MAX }));
	return NULL;
}

static struct kmp_error *number_test(struct parser *parser, struct kmp_filter_test *test,
				     enum kmp_operator op, const struct kmp_value_token *value)
{
	const char *problem;
	uint64_t number = 0;

	test->kind = KMP_TEST_RANGES;
	if (op == KMP_OP_IN)
		try(kmp_filter_list(test->field, value->text, value->len, &test->ranges, &problem));
	else
		problem = kmp_filter_number(test->field, value->text, value->len, &number);
	if (problem)
		return kmp_lex_error(&parser->lex, value->at, "%s: %s",
				     kmp_fields[test->field].name, problem);
	return op == KMP_OP_IN ? NULL : compare_with(test, op, number);
}

static struct kmp_error *regex_test(struct parser *parser, struct kmp_filter_test *test,
				    const struct kmp_value_token *value)
{
	const char *problem = kmp_filter_regex_problem(value->text);
	char reason[128];

	test->kind = KMP_TEST_REGEX;
	if (strlen(value->text) != value->len)
		problem = "a regular expression cannot hold NUL";
	if (problem)
		return kmp_lex_error(&parser->lex, value->at, "%s", problem);
	int code = regcomp(&test->regex, value->text, REG_EXTENDED | REG_NOSUB);

	if (code == REG_ESPACE)
		return &kmp_error_no_memory;
	if (code) {
		regerror(code, &test->regex, reason, sizeof(reason));
		return kmp_lex_error(&parser->lex, value->at, "not a regular expression: %s",
				     reason);
	}
	test->has_regex = true;
	return NULL;
}

static struct kmp_error *make_test(struct parser *parser, struct kmp_filter_test *test,
				   enum kmp_operator op, size_t op_at,
				   struct kmp_value_token *value)
{
	unsigned takes = kmp_fields[test->field].takes;
	bool equality = op == KMP_OP_EQUAL || op == KMP_OP_NOT_EQUAL;

	test->negate =
		op == KMP_OP_NOT_MATCHES || (op == KMP_OP_NOT_EQUAL && takes & KMP_TAKES_TEXT);
	if (op == KMP_OP_MATCHES || op == KMP_OP_NOT_MATCHES)
		return takes & KMP_TAKES_REGEX ? regex_test(parser, test, value)
					       : wrong_operator(parser, test->field, op_at);
	if (op == KMP_OP_HAS ? takes & KMP_TAKES_HAS : equality && takes & KMP_TAKES_TEXT) {
		test->kind = op == KMP_OP_HAS ? KMP_TEST_HAS : KMP_TEST_EQUAL;
		test->len = value->len;
		test->text = no_free(value->text);
		return NULL;
	}
	if (op == KMP_OP_HAS || !(takes & KMP_TAKES_NUMBER))
		return wrong_operator(parser, test->field, op_at);
	return number_test(parser, test, op, value);
}

static struct kmp_error *parse_comparison(struct parser *parser, struct kmp_filter_test *test)
{
	struct kmp_value_token value = { 0 };
	enum kmp_operator op;
	size_t op_at;

	try(kmp_lex_operator(&parser->lex, &op, &op_at));
	try(kmp_lex_value(&parser->lex, &value));
	struct kmp_error *err = make_test(parser, test, op, op_at, &value);

	free(value.text);
	return err;
}

static struct kmp_error *add_node(struct parser *parser, struct node node, int *number)
{
	*number = (int)parser->nodes.len;
	return vec_push(&parser->nodes, node);
}

static struct kmp_error *parse_test(struct parser *parser, int *number)
{
	struct kmp_filter *filter = parser->filter;
	enum kmp_field field = KMP_FIELD_COUNT;
	struct kmp_token token;

	try(parse_field(parser, &token, &field));
	if (filter->tests.len >= TESTS_MAX)
		return kmp_lex_error(&parser->lex, token.at, "more than %d comparisons", TESTS_MAX);
	uint32_t index = (uint32_t)filter->tests.len;

	try(vec_push(&filter->tests,
		     (struct kmp_filter_test){ .field = field, .kind = KMP_TEST_BARE }));
	filter->columns |= kmp_fields[field].columns;
	if (kmp_fields[field].takes)
		try(parse_comparison(parser, &filter->tests.data[index]));
	return add_node(parser, (struct node){ NODE_TEST, index, NONE, NONE }, number);
}

static struct kmp_error *parse_any(struct parser *parser, int *number);

static struct kmp_error *parse_one(struct parser *parser, int *number)
{
	size_t at = kmp_lex_skip_blanks(&parser->lex);
	int child = NONE;

	if (kmp_lex_take(&parser->lex, "!")) {
		if (++parser->depth > DEPTH_MAX)
			return kmp_lex_error(&parser->lex, at, "nested too deeply");
		try(parse_one(parser, &child));
		parser->depth--;
		return add_node(parser, (struct node){ NODE_NOT, 0, child, NONE }, number);
	}
	if (!kmp_lex_take(&parser->lex, "("))
		return parse_test(parser, number);
	if (++parser->depth > DEPTH_MAX)
		return kmp_lex_error(&parser->lex, at, "nested too deeply");
	try(parse_any(parser, number));
	parser->depth--;
	kmp_lex_skip_blanks(&parser->lex);
	if (!kmp_lex_take(&parser->lex, ")"))
		return kmp_lex_error(&parser->lex, at, "the parenthesis is not closed");
	return NULL;
}

/* Children joined by one operator; a single child stands for itself. */
static struct kmp_error *parse_joined(struct parser *parser, const char *op, enum node_kind kind,
				      struct kmp_error *(*parse_child)(struct parser *, int *),
				      int *number)
{
	int child = NONE, last = NONE;

	try(parse_child(parser, &last));
	*number = last;
	for (kmp_lex_skip_blanks(&parser->lex); kmp_lex_take(&parser->lex, op);
	     kmp_lex_skip_blanks(&parser->lex)) {
		try(parse_child(parser, &child));
		parser->nodes.data[child].previous = last;
		last = child;
	}
	if (last == *number)
		return NULL;
	return add_node(parser, (struct node){ kind, 0, last, NONE }, number);
}

static struct kmp_error *parse_all(struct parser *parser, int *number)
{
	return parse_joined(parser, "&&", NODE_ALL, parse_one, number);
}

static struct kmp_error *parse_any(struct parser *parser, int *number)
{
	return parse_joined(parser, "||", NODE_ANY, parse_all, number);
}

/* Tell each test below this node where to go; the first test to make. */
static uint32_t link_tests(struct parser *parser, int number, uint32_t yes, uint32_t no)
{
	const struct node *node = &parser->nodes.data[number];
	uint32_t entry = node->kind == NODE_ALL ? yes : no;

	if (node->kind == NODE_TEST) {
		parser->filter->tests.data[node->test].yes = yes;
		parser->filter->tests.data[node->test].no = no;
		return node->test;
	}
	if (node->kind == NODE_NOT)
		return link_tests(parser, node->last, no, yes);
	for (int child = node->last; child != NONE; child = parser->nodes.data[child].previous)
		entry = node->kind == NODE_ALL ? link_tests(parser, child, entry, no)
					       : link_tests(parser, child, yes, entry);
	return entry;
}

static struct kmp_error *parse(struct parser *parser)
{
	int root = NONE;

	if (parser->lex.len > LENGTH_MAX)
		return kmp_error_new(KMP_ERROR_USAGE, "the expression is longer than %d bytes",
				     LENGTH_MAX);
	try(parse_any(parser, &root));
	size_t at = kmp_lex_skip_blanks(&parser->lex);

	if (at < parser->lex.len)
		return kmp_lex_error(&parser->lex, at,
				     parser->lex.text[at] == ')' ? "this parenthesis was not opened"
								 : "'&&' or '||' is expected");
	parser->filter->start = link_tests(parser, root, KMP_FILTER_YES, KMP_FILTER_NO);
	return NULL;
}

struct kmp_error *kmp_filter_compile(const char *expression, struct kmp_filter **out)
{
	struct parser parser = { .lex = { .text = expression, .len = strlen(expression) } };

	parser.filter = calloc(1, sizeof(*parser.filter));
	if (!parser.filter)
		return &kmp_error_no_memory;
	struct kmp_error *err = parse(&parser);

	vec_deinit(&parser.nodes);
	if (err) {
		kmp_filter_destroy(parser.filter);
		return err;
	}
	*out = parser.filter;
	return NULL;
}

void kmp_filter_destroy(struct kmp_filter *filter)
{
	if (!filter)
		return;
	for (size_t i = 0; i < filter->tests.len; i++) {
		struct kmp_filter_test *test = &filter->tests.data[i];

		vec_deinit(&test->ranges);
		vec_deinit(&test->memo.answers);
		free(test->text);
		if (test->has_regex)
			regfree(&test->regex);
	}
	vec_deinit(&filter->tests);
	kmp_allocator_memo_deinit(&filter->allocators);
	free(filter);
}

uint32_t kmp_filter_columns(const struct kmp_filter *filter)
{
	return filter->columns;
}
