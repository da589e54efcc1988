// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * What tracesh is measured against. loop FILE: counts events and one field with libtracecmd's own
 * iteration; loop -r FILE: the sum of all bytes of the file, mapped. Prints the count or sum.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <trace-cmd.h>

struct state {
	int id;
	struct tep_format_field *field;
	unsigned long long events, sum;
};

static int each(struct tracecmd_input *in, struct tep_record *rec, int cpu, void *arg)
{
	struct state *s = arg;
	struct tep_handle *tep = tracecmd_get_tep(in);
	unsigned long long v;

	(void)cpu;
	s->events++;
	if (tep_data_type(tep, rec) == s->id && s->field &&
	    tep_read_number_field(s->field, rec->data, &v) == 0)
		s->sum += v;
	return 0;
}

static int read_all(const char *path)
{
	struct stat st;
	uint64_t sum = 0, w;
	int fd = open(path, O_RDONLY);
	const char *p;

	if (fd < 0 || fstat(fd, &st))
		return 1;
	p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED)
		return 1;
	for (off_t i = 0; i + 8 <= st.st_size; i += 8) {
		memcpy(&w, p + i, 8);
		sum += w;
	}
	printf("%llu\n", (unsigned long long)sum);
	return 0;
}

int main(int argc, char **argv)
{
	struct tracecmd_input *in;
	struct state s = {.id = -1};
	struct tep_event *e;

	if (argc == 3 && strcmp(argv[1], "-r") == 0)
		return read_all(argv[2]);
	if (argc != 2 || !(in = tracecmd_open(argv[1], 0)))
		return 1;
	e = tep_find_event_by_name(tracecmd_get_tep(in), "sched", "sched_switch");
	if (e) {
		s.id = e->id;
		s.field = tep_find_field(e, "next_pid");
	}
	tracecmd_iterate_events(in, NULL, 0, each, &s);
	for (int i = 0; i < tracecmd_buffer_instances(in); i++) {
		struct tracecmd_input *b = tracecmd_buffer_instance_handle(in, i);

		if (b)
			tracecmd_iterate_events(b, NULL, 0, each, &s);
	}
	printf("%llu %llu\n", s.events, s.sum);
	tracecmd_close(in);
	return 0;
}
