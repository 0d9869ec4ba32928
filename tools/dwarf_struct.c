/* SPDX-License-Identifier: MIT */
/*
 * dwarf_struct - find a struct in the debug information of a file
 *
 * The memory for what is found is mapped before the reading process starts and is
 * shared with it, so that pointers mean the same in both and nothing has to be
 * passed over a pipe. That process ends without cleaning up: whatever libdw holds
 * goes with it.
 */
#include "dwarf_struct.h"

#include <elf.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "btf.h"
#include "cmd.h"
#include "dwarf_inner.h"
#include "out.h"

enum {
	MEMORY_BYTES = 64 << 20, /* some 200,000 fields */
	SECONDS_MOST = 300,	 /* of processor time: minutes for a kernel */
	ALIGN = 16,
	HEAD_BYTES = 64,
};

struct job {
	struct hlt_reader reader;
	const char *path, *name, *unit;
	bool deep;
	size_t modules; /* that have debug information */
	char trouble[256];
};

/* --- For the reading process ---------------------------------------------- */

void hlt_dw_fail(struct hlt_reader *reader, int status, const char *format, ...)
{
	struct hlt_debug *debug = reader->debug;
	va_list args;

	va_start(args, format);
	vsnprintf(debug->sentence, sizeof(debug->sentence), format, args);
	va_end(args);
	debug->status = status;
	debug->done = true;
	_exit(0);
}

void hlt_dw_damaged(struct hlt_reader *reader, Dwarf_Die *where,
		    const char *format, ...)
{
	char sentence[HLT_SENTENCE_BYTES / 2];
	va_list args;

	va_start(args, format);
	vsnprintf(sentence, sizeof(sentence), format, args);
	va_end(args);
	hlt_dw_fail(reader, HLT_DAMAGED,
		    "the debug information is damaged: %s, entry %#" PRIx64
		    " (%.200s): %s",
		    reader->unit != NULL ? reader->unit : "",
		    (uint64_t)dwarf_dieoffset(where), hlt_dw_name(where),
		    sentence);
}

void *hlt_dw_alloc(struct hlt_reader *reader, size_t bytes)
{
	struct hlt_debug *debug = reader->debug;
	void *memory = (char *)debug + debug->used;

	if (bytes > debug->room - debug->used - ALIGN)
		hlt_dw_fail(reader, HLT_FAILED,
			    "it has too many fields to be shown");
	debug->used += (bytes + ALIGN - 1) / ALIGN * ALIGN;
	return memset(memory, 0, bytes);
}

const char *hlt_dw_text(struct hlt_reader *reader, const char *format, ...)
{
	va_list args, again;
	char *text;
	int len;

	va_start(args, format);
	va_copy(again, args);
	len = vsnprintf(NULL, 0, format, args);
	va_end(args);
	text = hlt_dw_alloc(reader, (len > 0 ? (size_t)len : 0) + 1);
	vsnprintf(text, (len > 0 ? (size_t)len : 0) + 1, format, again);
	va_end(again);
	return text;
}

/* What the head of a file that is no ELF file says it is. */
static const char *other_kind(const unsigned char *head, size_t n)
{
	static const unsigned char bitcode[] = { 'B', 'C', 0xc0, 0xde };

	if (n == 0)
		return "it is empty";
	if (n >= 4 && memcmp(head, bitcode, 4) == 0)
		return "it is LLVM bitcode (clang -flto): look at the program "
		       "that is linked from it";
	if (n >= 8 && memcmp(head, "!<thin>\n", 8) == 0)
		return "it is a thin archive: look at the objects it names";
	if (n >= 2 && memcmp(head, "#!", 2) == 0)
		return "it is a script; libtool's programs have theirs in "
		       ".libs";
	return NULL;
}

/* Is the table of sections, which comes last, still there? */
static void check_whole(struct hlt_reader *reader, const unsigned char *head,
			uint64_t size)
{
	uint64_t at, bytes;

	if (head[EI_CLASS] == ELFCLASS64) {
		Elf64_Ehdr elf;

		memcpy(&elf, head, sizeof(elf));
		at = elf.e_shoff;
		bytes = (uint64_t)elf.e_shnum * elf.e_shentsize;
	} else {
		Elf32_Ehdr elf;

		memcpy(&elf, head, sizeof(elf));
		at = elf.e_shoff;
		bytes = (uint64_t)elf.e_shnum * elf.e_shentsize;
	}
	if (at > size || bytes > size - at)
		hlt_dw_fail(reader, HLT_DAMAGED,
			    "the file is truncated or damaged: its sections "
			    "are listed at byte %" PRIu64
			    ", and it has %" PRIu64,
			    at, size);
}

/* The machine a file is for: what scalars are aligned to there. */
static void note_machine(struct hlt_reader *reader, const unsigned char *head)
{
	uint16_t machine;

	memcpy(&machine, head + offsetof(Elf64_Ehdr, e_machine),
	       sizeof(machine));
	reader->little_endian = head[EI_DATA] == ELFDATA2LSB;
	reader->align_most = machine == EM_386 ? 4 : 16;
}

static bool native_order(const unsigned char *head)
{
	const uint16_t one = 1;

	return head[EI_DATA] ==
	       (*(const unsigned char *)&one ? ELFDATA2LSB : ELFDATA2MSB);
}

/* Refuses, with the reason, what is certainly not to be read. */
static int open_file(struct job *job)
{
	struct hlt_reader *reader = &job->reader;
	unsigned char head[HEAD_BYTES] = { 0 };
	const int fd = open(job->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat status;
	const char *kind;
	ssize_t n;

	if (fd < 0 || fstat(fd, &status) < 0)
		hlt_dw_fail(reader, errno == ENOENT ? HLT_NO_RING : HLT_FAILED,
			    "%s", strerror(errno));
	if (!S_ISREG(status.st_mode))
		hlt_dw_fail(reader, HLT_DAMAGED, "it is not a regular file");
	n = pread(fd, head, sizeof(head), 0);
	if (n < 0)
		hlt_dw_fail(reader, HLT_FAILED, "%s", strerror(errno));
	reader->little_endian = true;
	reader->align_most = 16;
	if (n >= 8 && memcmp(head, "!<arch>\n", 8) == 0)
		return fd;
	if (n < SELFMAG || memcmp(head, ELFMAG, SELFMAG) != 0) {
		kind = other_kind(head, (size_t)n);
		hlt_dw_fail(reader, HLT_DAMAGED,
			    "not an object, a library or a program (ELF)%s%s",
			    kind != NULL ? ": " : "", kind != NULL ? kind : "");
	}
	if (n < (ssize_t)sizeof(head) ||
	    (head[EI_CLASS] != ELFCLASS64 && head[EI_CLASS] != ELFCLASS32))
		hlt_dw_fail(reader, HLT_DAMAGED,
			    "the file is truncated or damaged: it has no whole "
			    "ELF header");
	note_machine(reader, head);
	if (native_order(head))
		check_whole(reader, head, (uint64_t)status.st_size);
	return fd;
}

/* Objects with -fdebug-types-section: libdw reads those once they are linked. */
static bool has_grouped_types(Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t names;

	if (elf == NULL || elf_getshdrstrndx(elf, &names) != 0)
		return false;
	while ((section = elf_nextscn(elf, section)) != NULL) {
		const char *name =
			gelf_getshdr(section, &header) != NULL ?
				elf_strptr(elf, names, header.sh_name) :
				NULL;

		if (name != NULL && header.sh_flags & SHF_GROUP &&
		    (strncmp(name, ".debug_info", 11) == 0 ||
		     strncmp(name, ".debug_types", 12) == 0))
			return true;
	}
	return false;
}

static int search_module(Dwfl_Module *module, void **userdata, const char *name,
			 Dwarf_Addr start, void *arg)
{
	struct hlt_search *search = arg;
	struct job *job = *userdata;
	Dwarf_Addr bias;
	Dwarf *dwarf;

	(void)name;
	(void)start;
	dwarf = dwfl_module_getdwarf(module, &bias);
	if (dwarf == NULL) {
		snprintf(job->trouble, sizeof(job->trouble), "%s",
			 dwfl_errmsg(-1));
		return DWARF_CB_OK;
	}
	job->modules++;
	hlt_dw_search_in(search, dwarf, job->deep);
	if (has_grouped_types(dwarf_getelf(dwarf)))
		hlt_dw_search_note(search, "types are in sections of their own "
					   "(-fdebug-types-section): look at "
					   "the linked program");
	return DWARF_CB_OK;
}

/* The userdata of a module is where the job is found again. */
static int point_to_job(Dwfl_Module *module, void **userdata, const char *name,
			Dwarf_Addr start, void *arg)
{
	(void)module;
	(void)name;
	(void)start;
	*userdata = arg;
	return DWARF_CB_OK;
}

static Dwfl *open_debug(struct job *job)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
		.section_address = dwfl_offline_section_address,
	};
	const int fd = open_file(job);
	Dwfl *dwfl = dwfl_begin(&callbacks);

	if (dwfl == NULL)
		hlt_dw_fail(&job->reader, HLT_FAILED, "%s", dwfl_errmsg(-1));
	dwfl_report_begin(dwfl);
	if (dwfl_report_offline(dwfl, job->path, job->path, fd) == NULL)
		hlt_dw_fail(&job->reader, HLT_DAMAGED,
			    "it cannot be read as an object, a library or a "
			    "program: %s",
			    dwfl_errmsg(-1));
	dwfl_report_end(dwfl, NULL, NULL);
	dwfl_getmodules(dwfl, point_to_job, job, 0);
	return dwfl;
}

/* libdw could make nothing of it: says whether there is anything. */
static void fail_unread(struct job *job)
{
	if (strncmp(job->trouble, "No DWARF", 8) == 0)
		hlt_dw_fail(&job->reader, HLT_NO_RING,
			    "no debug information in it or beside it: it was "
			    "compiled without -g, or stripped");
	hlt_dw_fail(&job->reader, HLT_DAMAGED,
		    "its debug information cannot be read: %s",
		    job->trouble[0] != '\0' ? job->trouble : "nothing in it");
}

__attribute__((noreturn)) static void end_reading(struct hlt_reader *reader,
						  const struct hlt_shape *shape)
{
	reader->debug->shape = shape;
	reader->debug->done = true;
	_exit(0);
}

/* From BTF, if there is any. */
static void try_btf(struct job *job)
{
	const struct hlt_shape *const shape =
		hlt_btf_shape(&job->reader, job->path, job->name, job->unit);

	if (shape != NULL)
		end_reading(&job->reader, shape);
}

/* All of the reading process. */
static void read_debug(struct job *job)
{
	struct hlt_reader *reader = &job->reader;
	struct hlt_search *search;
	Dwfl *dwfl;

	if (hlt_btf_begins(job->path))
		try_btf(job);
	dwfl = open_debug(job);
	search = hlt_dw_search(reader, job->name, job->unit);
	dwfl_getmodules(dwfl, search_module, search, 0);
	if (job->modules == 0) {
		try_btf(job);
		fail_unread(job);
	}
	if (!hlt_dw_search_found(search)) {
		job->deep = true;
		dwfl_getmodules(dwfl, search_module, search, 0);
	}
	end_reading(reader, hlt_dw_search_end(search));
}

/* --- For the caller ------------------------------------------------------- */

static void limit_process(void)
{
	const struct rlimit time = { SECONDS_MOST, SECONDS_MOST };
	const struct rlimit core = { 0, 0 };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setrlimit(RLIMIT_CPU, &time);
	setrlimit(RLIMIT_CORE, &core);
}

/* Waits for the reading process. Returns its exit status, as wait() has it. */
static int wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return -1;
	}
	return status;
}

int hlt_debug_read(const char *path, const char *name, const char *unit,
		   struct hlt_debug **out)
{
	struct hlt_debug *debug =
		mmap(NULL, MEMORY_BYTES, PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct job job = { .path = path, .name = name, .unit = unit };
	pid_t pid;
	int ret;

	*out = NULL;
	if (debug == MAP_FAILED)
		return hlt_fail(path, -errno, NULL);
	*out = debug;
	debug->used = (sizeof(*debug) + ALIGN - 1) / ALIGN * ALIGN;
	debug->room = MEMORY_BYTES;
	job.reader.debug = debug;
	fflush(NULL);
	pid = fork();
	if (pid < 0)
		return hlt_fail(path, -errno, NULL);
	if (pid == 0) {
		limit_process();
		read_debug(&job);
	}
	ret = wait_for(pid);
	if (!debug->done) {
		hlt_complain(path,
			     "reading the debug information %s (%s): the "
			     "file is damaged, or changed meanwhile",
			     WIFSIGNALED(ret) && WTERMSIG(ret) == SIGXCPU ?
				     "took too long" :
				     "failed",
			     WIFSIGNALED(ret) ? strsignal(WTERMSIG(ret)) :
						"no signal");
		return HLT_DAMAGED;
	}
	if (debug->status != 0) {
		hlt_complain(path, "%s", debug->sentence);
		return debug->status;
	}
	return 0;
}

const struct hlt_shape *hlt_debug_shape(const struct hlt_debug *debug)
{
	return debug->shape;
}

void hlt_debug_free(struct hlt_debug *debug)
{
	if (debug != NULL)
		munmap(debug, MEMORY_BYTES);
}
