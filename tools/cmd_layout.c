/* SPDX-License-Identifier: MIT */
/*
 * cmd_layout - hotline layout: a struct on cache lines
 *
 * Has nothing to do with rings: it reads the debug information of a compiled
 * file, and says how many lines a fast path touches that reads some of a struct's
 * fields.
 */
#include "cmd.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf_struct.h"
#include "layout.h"
#include "opt.h"
#include "out.h"

static const char usage[] =
	"Usage: hotline layout [OPTION]... FILE STRUCT\n"
	"Draw a struct on cache lines, from the debug information of an object,\n"
	"a library or a program.\n"
	"\n"
	"  -H, --hot A,B.C       the fields that are read for each message\n"
	"  -s, --stride BYTES    from one message to the next: a number, 'size'\n"
	"                        (sizeof) or 'packed' (no padding at the end)\n"
	"  -l, --line BYTES      size of a cache line (64)\n"
	"  -u, --suggest         a better order of the fields\n"
	"      --cold A,B        fields that it moves behind an offset\n"
	"      --cold-size N     so are arrays of N or more characters (32)\n"
	"  -c, --check           only say what is wrong, and exit with 1 then:\n"
	"                        hot fields that straddle lines or lie beyond\n"
	"                        the first\n"
	"  -m, --max-lines N     the same for more than N lines on average\n"
	"  -C, --cu NAME         which source file's definition, if they differ\n"
	"  -e, --expand          structs in the struct too\n"
	"  -w, --wide            names and types in full\n"
	"  -j, --json            as one JSON object\n"
	"  -h, --help            this text\n"
	"\n"
	"See hotline-layout(1).\n";

enum {
	OPT_COLD = 256,
	OPT_COLD_SIZE,
	COLD_BYTES = 32,
	LINE_BYTES = 64,
	LINES_MOST = 1000000,
};

static const struct option options[] = {
	{ "hot", required_argument, NULL, 'H' },
	{ "stride", required_argument, NULL, 's' },
	{ "line", required_argument, NULL, 'l' },
	{ "suggest", no_argument, NULL, 'u' },
	{ "cold", required_argument, NULL, OPT_COLD },
	{ "cold-size", required_argument, NULL, OPT_COLD_SIZE },
	{ "check", no_argument, NULL, 'c' },
	{ "max-lines", required_argument, NULL, 'm' },
	{ "cu", required_argument, NULL, 'C' },
	{ "expand", no_argument, NULL, 'e' },
	{ "wide", no_argument, NULL, 'w' },
	{ "json", no_argument, NULL, 'j' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

struct request {
	const char *file, *name, *unit;
	const char *hot, *cold;
	enum hlt_stride stride_kind;
	uint64_t stride;
	uint64_t line_bytes;
	uint64_t cold_bytes;
	uint64_t max_lines; /* thousandths, 0 for no limit */
	bool suggest, check, json, help;
	struct hlt_drawing drawing;
};

/* --- Options -------------------------------------------------------------- */

static int read_stride(const char *value, struct request *request)
{
	if (strcmp(value, "size") == 0 || strcmp(value, "sizeof") == 0) {
		request->stride_kind = HLT_STRIDE_SIZE;
		return 0;
	}
	if (strcmp(value, "packed") == 0) {
		request->stride_kind = HLT_STRIDE_PACKED;
		return 0;
	}
	request->stride_kind = HLT_STRIDE_NUMBER;
	return hlt_opt_size("--stride", value, 1, HLT_BYTES_MOST,
			    &request->stride);
}

static int read_line(const char *value, struct request *request)
{
	if (hlt_opt_size("--line", value, HLT_LINE_LEAST, HLT_LINE_MOST,
			 &request->line_bytes) != 0)
		return HLT_USAGE;
	if (!hlt_line_ok(request->line_bytes))
		return hlt_usage("--line %s: not a power of two", value);
	return 0;
}

/* "1.25", in thousandths. */
static int read_max_lines(const char *value, struct request *request)
{
	const size_t whole = strspn(value, "0123456789");
	const char *fraction = value + whole;
	uint64_t thousandths = 0, place = 100;

	if (*fraction == '.') {
		fraction++;
		for (; *fraction >= '0' && *fraction <= '9'; place /= 10)
			thousandths += place * (unsigned)(*fraction++ - '0');
	}
	if (whole < 1 || whole > 6 || *fraction != '\0' ||
	    fraction > value + whole + 4 || fraction == value + whole + 1)
		return hlt_usage("--max-lines %s: not a number of lines, with "
				 "three digits behind the point at most",
				 value);
	request->max_lines = strtoull(value, NULL, 10) * 1000 + thousandths;
	if (request->max_lines == 0)
		return hlt_usage("--max-lines %s: must be more than 0", value);
	return 0;
}

static int read_option(int c, struct request *request)
{
	switch (c) {
	case 'H':
		request->hot = optarg;
		return 0;
	case 's':
		return read_stride(optarg, request);
	case 'l':
		return read_line(optarg, request);
	case 'u':
		request->suggest = true;
		return 0;
	case OPT_COLD:
		request->cold = optarg;
		return 0;
	case OPT_COLD_SIZE:
		return hlt_opt_size("--cold-size", optarg, 1, HLT_BYTES_MOST,
				    &request->cold_bytes);
	case 'm':
		request->check = true;
		return read_max_lines(optarg, request);
	case 'c':
		request->check = true;
		return 0;
	case 'C':
		request->unit = optarg;
		return 0;
	case 'e':
		request->drawing.expand = true;
		return 0;
	case 'w':
		request->drawing.wide = true;
		return 0;
	case 'j':
		request->json = true;
		hlt_out_json(HLT_JSON_DOCUMENT);
		return 0;
	case 'h':
		request->help = true;
		return 0;
	default:
		return HLT_USAGE;
	}
}

static int read_arguments(int argc, char **argv, struct request *request)
{
	int c;

	while ((c = hlt_getopt(argc, argv, ":H:s:l:ucm:C:ewjh", options)) !=
	       -1) {
		if (read_option(c, request) != 0)
			return HLT_USAGE;
		if (request->help)
			return 0;
	}
	if (argc - optind < 1)
		return hlt_usage("the file and the struct's name are missing");
	if (argc - optind < 2)
		return hlt_usage("the struct's name is missing");
	if (argc - optind > 2)
		return hlt_usage("one argument too many: %s (a name of two "
				 "words is quoted: 'struct payment')",
				 argv[optind + 2]);
	if (request->check && request->hot == NULL)
		return hlt_usage("--check and --max-lines need --hot");
	if (request->check && request->suggest)
		return hlt_usage("--check and --suggest exclude each other");
	if (request->cold != NULL && !request->suggest)
		return hlt_usage("--cold needs --suggest");
	request->file = argv[optind];
	request->name = argv[optind + 1];
	return 0;
}

/* --- Suggestions ---------------------------------------------------------- */

/* The fields that --cold names. */
static int mark_cold(const struct request *request,
		     const struct hlt_layout *layout, enum hlt_heat *heat)
{
	const struct hlt_shape *shape = layout->shape;
	const char *at = request->cold;

	while (at != NULL) {
		const size_t len = strcspn(at, ",");
		size_t i = 0;

		while (i < shape->nfields &&
		       (strlen(shape->fields[i].name) != len ||
			strncmp(shape->fields[i].name, at, len) != 0))
			i++;
		if (i == shape->nfields || len == 0) {
			hlt_complain(layout->file,
				     "--cold %.*s: no such field of %s %s",
				     (int)len, at, shape->keyword, shape->name);
			return HLT_NO_RING;
		}
		if (heat[i] == HLT_HOT)
			return hlt_usage("--cold %.*s: it is hot too", (int)len,
					 at);
		heat[i] = HLT_COLD;
		at = at[len] == ',' ? at + len + 1 : NULL;
	}
	return 0;
}

static int sort_by_heat(const struct request *request,
			const struct hlt_layout *layout, enum hlt_heat *heat)
{
	const struct hlt_shape *shape = layout->shape;

	for (size_t i = 0; i < shape->nfields; i++) {
		const struct hlt_field *f = &shape->fields[i];

		heat[i] = f->is_flexible || (f->is_characters &&
					     f->size_bits / 8 >=
						     request->cold_bytes) ?
				  HLT_COLD :
				  HLT_WARM;
	}
	for (size_t i = 0; i < layout->nhot; i++) {
		const struct hlt_field *top = layout->hot[i].spot.top;

		if (top != NULL && top->is_flexible)
			return hlt_usage("--suggest: %s is of variable length, "
					 "and would leave the struct",
					 top->name);
		if (top != NULL)
			heat[top - shape->fields] = HLT_HOT;
	}
	return mark_cold(request, layout, heat);
}

static void suggestion_to_json(json_t *document,
			       const struct hlt_layout *better,
			       const struct hlt_suggestion *suggestion)
{
	json_t *object = hlt_layout_to_json(better);
	json_t *moved = json_array();
	char *source = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&source, &size);

	if (stream != NULL) {
		hlt_suggestion_print(stream, suggestion);
		fclose(stream);
		hlt_json_set(object, "source", hlt_json_bytes(source, size));
		free(source);
	}
	for (size_t i = 0; i < suggestion->nmoved; i++)
		hlt_json_append(moved, json_string(suggestion->moved[i]->name));
	hlt_json_set(object, "moved", moved);
	hlt_json_set(document, "suggestion", object);
}

/* A little over a whole number of lines: that little costs a whole one. */
static void print_hint(const struct hlt_layout *better)
{
	const uint64_t bytes = hlt_shape_packed_bytes(better->shape);
	const uint64_t over = bytes % better->line_bytes;

	if (bytes > better->line_bytes && over > 0 &&
	    over <= better->line_bytes / 4)
		printf("\n%llu byte%s fewer would save a line: see --cold.\n",
		       (unsigned long long)over, over == 1 ? "" : "s");
}

static void print_suggestion(const struct request *request,
			     const struct hlt_layout *better,
			     const struct hlt_suggestion *suggestion)
{
	printf("\nSuggestion%s\n\n",
	       suggestion->is_message ?
		       ", with the ring's words of a message left in place:" :
		       ":");
	hlt_suggestion_print(stdout, suggestion);
	putchar('\n');
	hlt_layout_print(better, &request->drawing);
	print_hint(better);
}

/*
 * A suggestion's figures are those of its own stride, sizeof, unless that of the
 * user is a number that it fits into.
 */
static int show_suggestion(const struct request *request,
			   const struct hlt_layout *layout, json_t *document)
{
	enum hlt_heat *heat =
		hlt_alloc((layout->shape->nfields + 1) * sizeof(*heat));
	struct hlt_suggestion suggestion = { 0 };
	struct hlt_layout better = { 0 };
	const char *why = NULL;
	int ret = sort_by_heat(request, layout, heat);

	if (ret != 0)
		goto out;
	if (hlt_suggest(layout->shape, heat, layout->line_bytes, &suggestion,
			&why) != 0) {
		hlt_complain(layout->file, "--suggest: %s %s: %s",
			     layout->shape->keyword, layout->shape->name, why);
		ret = HLT_FAILED;
		goto out;
	}
	ret = hlt_layout_init(&better, layout->file, &suggestion.shape,
			      request->hot);
	if (ret == 0)
		ret = hlt_layout_measure(&better, layout->line_bytes,
					 HLT_STRIDE_SIZE, 0);
	if (ret == 0 && document != NULL)
		suggestion_to_json(document, &better, &suggestion);
	else if (ret == 0)
		print_suggestion(request, &better, &suggestion);
out:
	hlt_layout_fini(&better);
	hlt_suggestion_fini(&suggestion);
	free(heat);
	return ret;
}

/* --- The command ---------------------------------------------------------- */

static int check(const struct request *request, const struct hlt_layout *layout,
		 json_t *document)
{
	struct hlt_findings findings;
	json_t *object, *array;
	int ret;

	hlt_layout_check(layout, request->max_lines, &findings);
	ret = findings.n > 0 ? HLT_FAILED : HLT_DONE;
	if (document != NULL) {
		object = json_object();
		array = json_array();
		hlt_json_set(object, "passed", json_boolean(findings.n == 0));
		for (size_t i = 0; i < findings.n; i++)
			hlt_json_append(array, json_string(findings.list[i]));
		hlt_json_set(object, "findings", array);
		hlt_json_set(document, "check", object);
	}
	hlt_findings_fini(&findings);
	return ret;
}

static int show(const struct request *request, const struct hlt_layout *layout)
{
	json_t *document = request->json ? hlt_layout_to_json(layout) : NULL;
	int ret = HLT_DONE;

	if (document == NULL && !request->check)
		hlt_layout_print(layout, &request->drawing);
	if (request->check)
		ret = check(request, layout, document);
	else if (request->suggest)
		ret = show_suggestion(request, layout, document);
	if (document != NULL)
		hlt_json_print(document);
	return ret;
}

int hlt_cmd_layout(int argc, char **argv)
{
	struct request request = { .line_bytes = LINE_BYTES,
				   .cold_bytes = COLD_BYTES };
	struct hlt_layout layout = { 0 };
	struct hlt_debug *debug = NULL;
	int ret = read_arguments(argc, argv, &request);

	if (ret != 0)
		return ret;
	if (request.help)
		return hlt_help(usage);
	ret = hlt_debug_read(request.file, request.name, request.unit, &debug);
	if (ret == 0)
		ret = hlt_layout_init(&layout, request.file,
				      hlt_debug_shape(debug), request.hot);
	if (ret == 0)
		ret = hlt_layout_measure(&layout, request.line_bytes,
					 request.stride_kind, request.stride);
	if (ret == 0)
		ret = show(&request, &layout);
	hlt_layout_fini(&layout);
	hlt_debug_free(debug);
	return ret;
}
