/* SPDX-License-Identifier: MIT */
/*
 * machine.c - cores, clocks, and how far two cores are from each other
 */
#include "machine.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"

int machine_pin(int core)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)core, &set);
	return sched_setaffinity(0, sizeof(set), &set) < 0 ? -errno : 0;
}

/* Is it the first of those that share a core's execution units? */
static bool first_of_its_core(int cpu)
{
	char path[96];
	int first = cpu;
	FILE *file;

	snprintf(path, sizeof(path),
		 "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list",
		 cpu);
	file = fopen(path, "r");
	if (!file)
		return true;
	if (fscanf(file, "%d", &first) != 1)
		first = cpu;
	fclose(file);
	return first == cpu;
}

static void find_cores(struct machine *machine)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	sched_getaffinity(0, sizeof(set), &set);
	for (int strict = 1; strict >= 0 && machine->ncores < 2; strict--) {
		machine->ncores = 0;
		for (int cpu = 0;
		     cpu < CPU_SETSIZE && machine->ncores < MACHINE_CORES_MAX;
		     cpu++) {
			if (CPU_ISSET((size_t)cpu, &set) &&
			    (!strict || first_of_its_core(cpu)))
				machine->cores[machine->ncores++] = cpu;
		}
	}
}

static int parse_cores(struct machine *machine, const char *list)
{
	char *end;

	while (*list) {
		const long cpu = strtol(list, &end, 10);

		if (end == list || cpu < 0 || cpu >= CPU_SETSIZE ||
		    machine->ncores == MACHINE_CORES_MAX)
			return -EINVAL;
		machine->cores[machine->ncores++] = (int)cpu;
		list = *end == ',' ? end + 1 : end;
	}
	return machine->ncores ? 0 : -EINVAL;
}

static void find_model(struct machine *machine)
{
	char line[256];
	FILE *const file = fopen("/proc/cpuinfo", "r");

	snprintf(machine->model, sizeof(machine->model), "unknown processor");
	while (file && fgets(line, sizeof(line), file)) {
		const char *const colon = strchr(line, ':');

		if (strncmp(line, "model name", 10) != 0 || !colon)
			continue;
		snprintf(machine->model, sizeof(machine->model), "%.*s",
			 (int)strcspn(colon + 2, "\n"), colon + 2);
		break;
	}
	if (file)
		fclose(file);
}

static void set_clock(struct machine *machine)
{
	const int64_t begin_ns = machine_now_ns();
	const uint64_t begin = machine_ticks();
	int64_t now;

	do
		now = machine_now_ns();
	while (now - begin_ns < 20000000);
	machine->ticks_per_ns =
		(double)(machine_ticks() - begin) / (double)(now - begin_ns);
}

int machine_init(struct machine *machine, const char *list)
{
	struct utsname name;
	int ret = 0;

	memset(machine, 0, sizeof(*machine));
	if (list)
		ret = parse_cores(machine, list);
	else
		find_cores(machine);
	if (ret < 0)
		return ret;
	find_model(machine);
	uname(&name);
	snprintf(machine->kernel, sizeof(machine->kernel), "%.32s %.32s %.32s",
		 name.sysname, name.release, name.machine);
#ifdef __clang__
	snprintf(machine->compiler, sizeof(machine->compiler), "%s",
		 __VERSION__);
#else
	snprintf(machine->compiler, sizeof(machine->compiler), "gcc %s",
		 __VERSION__);
#endif
	set_clock(machine);
	return 0;
}

static void wait_for(const _Atomic uint64_t *word, uint64_t value)
{
	while (atomic_load_explicit(word, memory_order_acquire) != value)
		bench_pause();
}

double machine_probe(struct machine_lines *lines, bool leads, unsigned time)
{
	uint64_t turn = 2ULL * PROBE_ROUNDS * PROBE_BLOCKS * (time - 1);
	double least = 0;

	for (int block = 0; block < PROBE_BLOCKS; block++) {
		const int64_t start = machine_now_ns();
		double ns;

		for (int i = 0; i < PROBE_ROUNDS; i++) {
			turn += 2;
			if (leads) {
				atomic_store_explicit(&lines->there, turn - 1,
						      memory_order_release);
				wait_for(&lines->there, turn);
			} else {
				wait_for(&lines->there, turn - 1);
				atomic_store_explicit(&lines->there, turn,
						      memory_order_release);
			}
		}
		ns = (double)(machine_now_ns() - start) / PROBE_ROUNDS;
		if (block == 0 || ns < least)
			least = ns;
	}
	return least;
}

void machine_use(const struct machine *machine, struct machine_use *use)
{
	const int64_t tick_ns = 1000000000 / sysconf(_SC_CLK_TCK);
	FILE *const file = fopen("/proc/stat", "r");
	char line[512];

	use->busy_ns = use->steal_ns = 0;
	while (file && fgets(line, sizeof(line), file)) {
		long long user, nice, sys, idle, iowait, irq, soft, steal;
		int cpu;

		if (sscanf(line,
			   "cpu%d %lld %lld %lld %lld %lld %lld %lld %lld",
			   &cpu, &user, &nice, &sys, &idle, &iowait, &irq,
			   &soft, &steal) != 9)
			continue;
		for (unsigned i = 0; i < machine->ncores; i++) {
			if (machine->cores[i] != cpu)
				continue;
			use->busy_ns +=
				(user + nice + sys + irq + soft) * tick_ns;
			use->steal_ns += steal * tick_ns;
		}
	}
	if (file)
		fclose(file);
}

uint64_t machine_delay_ns(void)
{
	FILE *const file = fopen("/proc/self/schedstat", "r");
	unsigned long long ran, waited = 0;

	if (!file)
		return 0;
	if (fscanf(file, "%llu %llu", &ran, &waited) != 2)
		waited = 0;
	fclose(file);
	return waited;
}
