/* SPDX-License-Identifier: MIT */
/*
 * nacha_gen - write a valid NACHA ACH file of any size
 *
 *     nacha_gen [--entries N] [--batches B] [--seed S]
 *               [--addenda none|some|all] [--out FILE|-]
 *
 * The file is the same for the same options, on every machine: check digits,
 * hashes, totals and the filling of the last block are right, and amounts are
 * small enough that the totals fit their columns. Names, accounts and banks are
 * made up; that a routing number may exist all the same is chance.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nacha_totals.h"

/* What the columns of the control records can state. */
#define TOTAL_CENTS_MAX UINT64_C(999999999999)
#define RECORDS_MAX UINT64_C(9999990)
#define BATCH_ENTRIES_MAX UINT64_C(999999)

#define LARGEST_CENTS UINT64_C(500000)
#define ORIGIN_BANK8 UINT32_C(9130002)
#define NBANKS 24

enum addenda {
	ADDENDA_NONE,
	ADDENDA_SOME,
	ADDENDA_ALL
};

struct options {
	uint64_t entries;
	uint64_t batches;
	uint64_t seed;
	enum addenda addenda;
	const char *out;
};

struct writer {
	FILE *file;
	const struct options *options;
	uint64_t random;
	uint64_t cents_max;
	uint64_t lines;
	uint64_t entry; /* entries so far, in the whole file */
	struct nacha_totals totals;
};

static const char *const first_names[] = { "Ada",   "Bo",   "Cleo",  "Dag",
					   "Edith", "Finn", "Greta", "Hugo" };
static const char *const last_names[] = { "Ahlgren", "Brook",  "Castle",
					  "Dunmore", "Ebbing", "Falk",
					  "Grove",   "Harrow", "Ingram" };

/* splitmix64: any seed will do, zero too. */
static uint64_t next_random(struct writer *writer)
{
	uint64_t z = writer->random += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* Bank number i, with its check digit: spread over the Federal districts. */
static uint32_t bank_number(uint32_t i)
{
	const uint32_t eight = (1 + i % 12) * 1000000 + (i * 7919 + 104) % 9999;

	return eight * 10 + nacha_check_digit(eight);
}

static void write_file_header(struct writer *writer)
{
	fprintf(writer->file,
		"101 %09" PRIu32 " %09" PRIu32
		"2601021200A094101%-23s%-23s%8s\n",
		bank_number(0),
		ORIGIN_BANK8 * 10 + nacha_check_digit(ORIGIN_BANK8),
		"Example Operator", "Example Bank", "");
	writer->lines++;
}

static void write_batch_header(struct writer *writer, uint64_t number)
{
	fprintf(writer->file,
		"5200%-16s%20s%-10s%-3s%-10s%6s%6s%3s1%08" PRIu32 "%07" PRIu64
		"\n",
		"Example Payroll", "", "1987654321", "PPD", "Salary", "",
		"260105", "", ORIGIN_BANK8, number);
	writer->lines++;
}

static void write_addenda(struct writer *writer)
{
	char text[81];

	snprintf(text, sizeof(text), "Reference %010" PRIu64,
		 next_random(writer) % UINT64_C(10000000000));
	fprintf(writer->file, "705%-80s%04d%07" PRIu64 "\n", text, 1,
		writer->entry);
	writer->lines++;
}

/* Most entries pay; about one in eight collects, and few are prenotes. */
static unsigned int pick_code(struct writer *writer)
{
	static const unsigned int codes[16] = {
		22, 22, 22, 22, 22, 22, 32, 32, 32, 42, 52, 22, 22, 23, 27, 37
	};

	return codes[next_random(writer) % 16];
}

static void write_entry(struct writer *writer, struct nacha_totals *batch)
{
	const enum addenda addenda = writer->options->addenda;
	const unsigned int code = pick_code(writer);
	const uint32_t bank =
		bank_number((uint32_t)(next_random(writer) % NBANKS));
	const uint64_t cents =
		nacha_code_is_prenote(code) ?
			0 :
			1 + next_random(writer) % writer->cents_max;
	const uint64_t account = next_random(writer) % 100000000;
	const uint64_t name = next_random(writer);
	const bool more =
		addenda == ADDENDA_ALL ||
		(addenda == ADDENDA_SOME && next_random(writer) % 4 == 0);
	char full_name[23];

	writer->entry++;
	snprintf(full_name, sizeof(full_name), "%s %s", first_names[name % 8],
		 last_names[name / 8 % 9]);
	fprintf(writer->file,
		"6%02u%09" PRIu32 "%-17" PRIu64 "%010" PRIu64 "ID%-13" PRIu64
		"%-22s%2s%d%08" PRIu32 "%07" PRIu64 "\n",
		code, bank, account, cents, writer->entry, full_name, "", more,
		ORIGIN_BANK8, writer->entry);
	writer->lines++;
	nacha_totals_add_entry(batch, bank, code, cents);
	if (more) {
		write_addenda(writer);
		nacha_totals_add_addenda(batch, 1);
	}
}

static void write_batch(struct writer *writer, uint64_t number,
			uint64_t entries)
{
	struct nacha_totals batch = { 0 };

	write_batch_header(writer, number);
	for (uint64_t i = 0; i < entries; i++)
		write_entry(writer, &batch);
	fprintf(writer->file,
		"8200%06" PRIu64 "%010" PRIu64 "%012" PRIu64 "%012" PRIu64
		"%-10s%25s%08" PRIu32 "%07" PRIu64 "\n",
		batch.entries, batch.hash, batch.debit_cents,
		batch.credit_cents, "1987654321", "", ORIGIN_BANK8, number);
	writer->lines++;
	nacha_totals_add_batch(&writer->totals, &batch);
}

static void write_file_control(struct writer *writer)
{
	const struct nacha_totals *totals = &writer->totals;

	fprintf(writer->file,
		"9%06" PRIu64 "%06" PRIu64 "%08" PRIu64 "%010" PRIu64
		"%012" PRIu64 "%012" PRIu64 "%39s\n",
		totals->batches, nacha_totals_blocks(totals), totals->entries,
		totals->hash, totals->debit_cents, totals->credit_cents, "");
	writer->lines++;
	for (; writer->lines % 10 != 0; writer->lines++) {
		for (int i = 0; i < 94; i++)
			fputc('9', writer->file);
		fputc('\n', writer->file);
	}
}

static int write_file(FILE *file, const struct options *options)
{
	struct writer writer = {
		.file = file,
		.options = options,
		.random = options->seed,
		.cents_max = TOTAL_CENTS_MAX / (options->entries + 1),
	};

	if (writer.cents_max > LARGEST_CENTS)
		writer.cents_max = LARGEST_CENTS;
	write_file_header(&writer);
	for (uint64_t i = 0; i < options->batches; i++) {
		const uint64_t from = options->entries * i / options->batches;
		const uint64_t to =
			options->entries * (i + 1) / options->batches;

		write_batch(&writer, i + 1, to - from);
	}
	write_file_control(&writer);
	if (fflush(file) != 0 || ferror(file))
		return -EIO;
	return 0;
}

static bool parse_number(const char *text, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && *end == '\0' && errno == 0;
}

static bool parse_addenda(const char *text, enum addenda *value)
{
	static const char *const names[] = { "none", "some", "all" };

	for (int i = 0; i < 3; i++) {
		if (strcmp(text, names[i]) == 0) {
			*value = (enum addenda)i;
			return true;
		}
	}
	return false;
}

static bool parse_options(int argc, char **argv, struct options *options)
{
	static const struct option known[] = {
		{ "entries", required_argument, NULL, 'e' },
		{ "batches", required_argument, NULL, 'b' },
		{ "seed", required_argument, NULL, 's' },
		{ "addenda", required_argument, NULL, 'a' },
		{ "out", required_argument, NULL, 'o' },
		{ NULL, 0, NULL, 0 },
	};
	bool good = true;
	int c;

	while (good && (c = getopt_long(argc, argv, "", known, NULL)) != -1) {
		if (c == 'e')
			good = parse_number(optarg, &options->entries);
		else if (c == 'b')
			good = parse_number(optarg, &options->batches);
		else if (c == 's')
			good = parse_number(optarg, &options->seed);
		else if (c == 'a')
			good = parse_addenda(optarg, &options->addenda);
		else if (c == 'o')
			options->out = optarg;
		else
			good = false;
	}
	return good && optind == argc;
}

/* As if each entry had the addenda that it may have. */
static bool fits(const struct options *options)
{
	const uint64_t lines = options->addenda == ADDENDA_NONE ? 1 : 2;
	const uint64_t entries = options->entries;
	const uint64_t batches = options->batches;

	if (batches < 1 || batches > RECORDS_MAX || entries > RECORDS_MAX)
		return false;
	return entries * lines + batches * 2 + 2 <= RECORDS_MAX &&
	       (entries / batches + 1) * lines <= BATCH_ENTRIES_MAX;
}

int main(int argc, char **argv)
{
	struct options options = { 200, 4, 1, ADDENDA_SOME, "-" };
	FILE *file = stdout;
	int ret;

	if (!parse_options(argc, argv, &options)) {
		fprintf(stderr, "usage: nacha_gen [--entries N] [--batches B] "
				"[--seed S] [--addenda none|some|all] "
				"[--out FILE|-]\n");
		return 2;
	}
	if (!fits(&options)) {
		fprintf(stderr,
			"nacha_gen: a file has at least 1 batch, at most "
			"9,999,990 lines, and 999,999 entries and addenda "
			"in a batch\n");
		return 2;
	}
	if (strcmp(options.out, "-") != 0)
		file = fopen(options.out, "w");
	if (!file) {
		fprintf(stderr, "nacha_gen: %s: %s\n", options.out,
			strerror(errno));
		return 1;
	}
	ret = write_file(file, &options);
	if (file != stdout && fclose(file) != 0)
		ret = -EIO;
	if (ret < 0)
		fprintf(stderr, "nacha_gen: %s: cannot write\n", options.out);
	return ret < 0;
}
