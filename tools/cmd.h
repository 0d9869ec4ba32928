/* SPDX-License-Identifier: MIT */
/*
 * cmd - what a command of the hotline program is, and what it exits with
 *
 * Each command is one file, cmd_<name>.c, with one function hlt_cmd_<name>().
 * It gets its own arguments with its name as argv[0], writes data to standard
 * output and all else to standard error, and returns an exit status. main.c
 * has the table of commands and sees that what was written arrived.
 */
#ifndef HLT_CMD_H
#define HLT_CMD_H

/* Exit statuses, the same for every command; hotline(1) explains them. */
enum hlt_exit {
	HLT_DONE = 0,
	HLT_FAILED = 1, /* any error that has no status of its own */
	HLT_USAGE = 2,	/* wrong arguments, whoever noticed; nothing was done */
	HLT_NO_RING = 3, /* no ring of that name */
	HLT_NOTHING = 4, /* nothing came, or no room, in the time given */
	HLT_TAKEN = 5,	 /* the name, the ring or the place is in use */
	HLT_DAMAGED = 6, /* not a ring, a damaged one, or of another version */
	HLT_HELD = 7,	 /* something is held back, or recovery is pending */
};

struct cmd {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *summary; /* for the list in --help */
};

int hlt_cmd_create(int argc, char **argv);
int hlt_cmd_ls(int argc, char **argv);
int hlt_cmd_stat(int argc, char **argv);
int hlt_cmd_tail(int argc, char **argv);
int hlt_cmd_send(int argc, char **argv);
int hlt_cmd_recv(int argc, char **argv);
int hlt_cmd_rm(int argc, char **argv);
int hlt_cmd_bench(int argc, char **argv);
int hlt_cmd_why(int argc, char **argv);
int hlt_cmd_doctor(int argc, char **argv);
int hlt_cmd_evict(int argc, char **argv);
int hlt_cmd_layout(int argc, char **argv);

#endif /* HLT_CMD_H */
