/* SPDX-License-Identifier: MIT */
/*
 * replay.c - run known inputs through a fuzz target, without a fuzz engine
 *
 *     fuzz_open [FILE OR FOLDER]...
 *
 * Without arguments: the target's folder of the corpus. Speaks TAP, a line a
 * file. The target runs in a child, so that a crash or a hang is told with the
 * file that did it, and the folder of its rings goes in any case.
 */
#include "config.h"

#include "fuzz.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define FILE_SECONDS 60
#define PATH_BYTES 1024
#define INPUT_BYTES (1u << 20)

static int count;
static char folder[64];

static bool make_folder(void)
{
	snprintf(folder, sizeof(folder), "/dev/shm/hotline-fuzz-XXXXXX");
	if (!mkdtemp(folder)) {
		snprintf(folder, sizeof(folder), "/tmp/hotline-fuzz-XXXXXX");
		if (!mkdtemp(folder))
			return false;
	}
	return setenv("HOTLINE_DIR", folder, 1) == 0;
}

/* A target that crashed leaves its ring there. */
static void empty_folder(void)
{
	DIR *const dir = opendir(folder);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			(void)unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
}

static size_t read_file(const char *path, uint8_t *data)
{
	FILE *const file = fopen(path, "re");
	size_t size;

	if (!file)
		return 0;
	size = fread(data, 1, INPUT_BYTES, file);
	fclose(file);
	return size;
}

/* In memory of exactly its size, so that a read behind it is found. */
static void run_target(const char *path)
{
	uint8_t *const room = (uint8_t *)malloc(INPUT_BYTES);
	const size_t size = room ? read_file(path, room) : 0;
	uint8_t *const data = (uint8_t *)malloc(size ? size : 1);

	if (!room || !data)
		_exit(EXIT_FAILURE);
	memcpy(data, room, size);
	free(room);
	alarm(FILE_SECONDS);
	(void)LLVMFuzzerTestOneInput(data, size);
	free(data);
}

static void replay_file(const char *path, const char *name)
{
	int status = 0;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		run_target(path);
		exit(EXIT_SUCCESS); /* leaks are looked for at the end */
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
		printf("not ");
	printf("ok %d - %s survives %s\n", ++count, fuzz_target, name);
	if (status)
		printf("# wait status 0x%x, signal %d\n", status,
		       WTERMSIG(status));
	empty_folder();
}

static void replay(const char *path)
{
	struct dirent **entries;
	char file[PATH_BYTES];
	struct stat st;
	int n, i;

	if (stat(path, &st) == 0 && S_ISREG(st.st_mode)) {
		replay_file(path, path);
		return;
	}
	n = scandir(path, &entries, NULL, alphasort);
	for (i = 0; i < n; i++) {
		const char *const name = entries[i]->d_name;

		if (name[0] != '.' && snprintf(file, sizeof(file), "%s/%s",
					       path, name) < PATH_BYTES)
			replay_file(file, name);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
}

int main(int argc, char **argv)
{
	const char *const source = getenv("top_srcdir");
	char path[PATH_BYTES];
	int i;

	if (!make_folder())
		return EXIT_FAILURE;
	for (i = 1; i < argc; i++)
		replay(argv[i]);
	if (argc == 1 &&
	    snprintf(path, sizeof(path), "%s/tests/fuzz/corpus/%s",
		     source ? source : ".", fuzz_target) < PATH_BYTES)
		replay(path);
	rmdir(folder);
	if (count == 0) {
		printf("Bail out! there is no corpus\n");
		return EXIT_FAILURE;
	}
	printf("1..%d\n", count);
	return EXIT_SUCCESS; /* what failed, the lines above say */
}
