/* SPDX-License-Identifier: MIT */
/*
 * main - the hotline program: finds the command, and minds standard output
 *
 * A ring is a file that this program maps and locks. If it was started with a
 * standard descriptor closed, the next file opened would get that number, and a
 * line of text would be written into the ring: so all three are occupied first.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hotline/hotline.h>

#include "cmd.h"
#include "out.h"
#include "stop.h"

static const struct cmd commands[] = {
	{ "create", hlt_cmd_create, "create a ring" },
	{ "ls", hlt_cmd_ls, "list the rings there are" },
	{ "stat", hlt_cmd_stat, "show what a ring is and who uses it" },
	{ "why", hlt_cmd_why, "say why nothing moves, and who is in the way" },
	{ "doctor", hlt_cmd_doctor,
	  "check a ring, mend it, save its messages" },
	{ "tail", hlt_cmd_tail, "show messages as they pass" },
	{ "send", hlt_cmd_send, "send messages from standard input" },
	{ "recv", hlt_cmd_recv, "receive messages as member of a group" },
	{ "evict", hlt_cmd_evict, "remove a participant that lives" },
	{ "rm", hlt_cmd_rm, "remove rings, or drop a group" },
	{ "bench", hlt_cmd_bench, "measure rings between two cores" },
	{ "layout", hlt_cmd_layout, "draw a struct on cache lines" },
};
enum {
	NCOMMANDS = sizeof(commands) / sizeof(commands[0]),
	NAME_BYTES = 24, /* of words that can resemble a command */
};

static const char usage_head[] =
	"Usage: hotline COMMAND [OPTION]... [ARGUMENT]...\n"
	"Work with rings: message passing through shared memory.\n"
	"\n"
	"Commands:\n";
static const char usage_tail[] =
	"\n"
	"  --help      this text; 'hotline COMMAND --help' for a command\n"
	"  --version   the versions of the program and of the library\n"
	"\n"
	"A NAME without a slash is a ring in /dev/shm, or in $HOTLINE_DIR if\n"
	"that is set; a NAME with a slash is the path of a file.\n"
	"\n"
	"Exit status: 0 done, 1 failed, 2 wrong usage, 3 no such ring,\n"
	"4 nothing came in time, 5 in use, 6 damaged or not a ring,\n"
	"7 something is held back.\n";

/* Standard descriptors that are closed become ones that refuse their use. */
static void occupy_standard_descriptors(void)
{
	static const int modes[] = { O_WRONLY, O_RDONLY, O_WRONLY };

	for (int fd = 0; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF)
			continue;
		if (open("/dev/null", modes[fd]) != fd)
			_exit(HLT_FAILED);
	}
}

static size_t smallest(size_t a, size_t b, size_t c)
{
	const size_t ab = a < b ? a : b;

	return ab < c ? ab : c;
}

/* How many letters to add, drop or change to get from one word to the other. */
static size_t distance(const char *from, const char *to)
{
	const size_t nto = strlen(to);
	size_t row[NAME_BYTES + 1];

	for (size_t j = 0; j <= nto; j++)
		row[j] = j;
	for (size_t i = 1; from[i - 1] != '\0'; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= nto; j++) {
			const size_t above = row[j];
			const bool same = from[i - 1] == to[j - 1];

			row[j] = smallest(diagonal + !same, above + 1,
					  row[j - 1] + 1);
			diagonal = above;
		}
	}
	return row[nto];
}

/* The command that an unknown word may have meant, or NULL. */
static const char *nearest(const char *word)
{
	static const struct {
		const char *word, *command;
	} others[] = {
		{ "list", "ls" },	{ "info", "stat" },
		{ "inspect", "stat" },	{ "status", "stat" },
		{ "follow", "tail" },	{ "watch", "tail" },
		{ "receive", "recv" },	{ "delete", "rm" },
		{ "remove", "rm" },	{ "unlink", "rm" },
		{ "produce", "send" },	{ "new", "create" },
		{ "consume", "recv" },	{ "check", "doctor" },
		{ "repair", "doctor" }, { "salvage", "doctor" },
		{ "kick", "evict" },
	};
	const char *best = NULL;
	size_t least = 3;

	if (strlen(word) >= NAME_BYTES)
		return NULL;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		if (strcmp(word, others[i].word) == 0)
			return others[i].command;
	}
	for (size_t i = 0; i < NCOMMANDS; i++) {
		const size_t far = distance(word, commands[i].name);

		if (far < least && far < strlen(commands[i].name)) {
			least = far;
			best = commands[i].name;
		}
	}
	return best;
}

static int print_help(void)
{
	fputs(usage_head, stdout);
	for (size_t i = 0; i < NCOMMANDS; i++)
		printf("  %-8s  %s\n", commands[i].name, commands[i].summary);
	fputs(usage_tail, stdout);
	return HLT_DONE;
}

static int print_version(void)
{
	printf("hotline %s (library %s)\n", HL_VERSION, hl_version());
	return HLT_DONE;
}

static int unknown_command(const char *word)
{
	const char *meant = nearest(word);

	if (meant != NULL)
		hlt_complain(NULL, "no command '%s'; did you mean '%s'?", word,
			     meant);
	else
		hlt_complain(NULL, "no command '%s'", word);
	fputs("Try 'hotline --help'.\n", stderr);
	return HLT_USAGE;
}

static int run_command(int argc, char **argv)
{
	for (size_t i = 0; i < NCOMMANDS; i++) {
		if (strcmp(argv[0], commands[i].name) == 0) {
			hlt_out_command(commands[i].name);
			return commands[i].run(argc, argv);
		}
	}
	return unknown_command(argv[0]);
}

/* "hotline help stat" is "hotline stat --help". */
static int help_command(int argc, char **argv)
{
	char *words[] = { argc > 1 ? argv[1] : NULL, (char[]){ "--help" },
			  NULL };

	return argc > 1 ? run_command(2, words) : print_help();
}

static int dispatch(int argc, char **argv)
{
	if (argc < 2) {
		hlt_complain(NULL, "a command is missing");
		fputs("Try 'hotline --help'.\n", stderr);
		return HLT_USAGE;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
		return print_help();
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)
		return print_version();
	if (strcmp(argv[1], "help") == 0)
		return help_command(argc - 1, argv + 1);
	return run_command(argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
	occupy_standard_descriptors();
	signal(SIGPIPE, SIG_IGN); /* a reader that left is an error of write */

	const int status = hlt_out_finish(dispatch(argc, argv));

	hlt_stop_end();
	return status;
}
