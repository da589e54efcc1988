// SPDX-License-Identifier: GPL-3.0-or-later
/* Which stack belongs to which event: interrupts in between, stacks that never come, bounds. */
#include "feed_util.h"

#define COMMON                                                                                     \
	"format:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"            \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"                     \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"             \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

enum { EV = 10, QUIET = 11, KS = 4, US = 13, HARD = 0x08 };

static const char ev_format[] =
	"name: ev\nID: 10\n" COMMON "\tfield:u64 n;\toffset:8;\tsize:8;\tsigned:0;\n";
static const char quiet_format[] =
	"name: quiet\nID: 11\n" COMMON "\tfield:u64 n;\toffset:8;\tsize:8;\tsigned:0;\n";
static const char ks_format[] =
	"name: kernel_stack\nID: 4\n" COMMON "\tfield:int size;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:unsigned long caller[8];\toffset:16;\tsize:64;\tsigned:0;\n";
static const char us_format[] =
	"name: user_stack\nID: 13\n" COMMON
	"\tfield:unsigned int tgid;\toffset:8;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned long caller[8];\toffset:16;\tsize:64;\tsigned:0;\n";

/* A record to come: of @id on @cpu by task @pid with @flags; @n goes into the event or is the first
 * address of the stack. */
struct in {
	int id, cpu, pid, flags;
	uint64_t n;
	int64_t missed;
};

struct fake {
	struct feed f;
	struct origin *o;
	const struct in *v;
	size_t n, at, repeat;
	uint8_t data[96];
};

static int fake_next(struct feed *f, struct rec *r)
{
	struct fake *k = (struct fake *)f;
	const struct in *i;
	uint16_t id;
	int32_t pid, size = 2;

	if (k->at == k->n * k->repeat)
		return 0;
	i = &k->v[k->at % k->n];
	memset(k->data, 0, sizeof(k->data));
	id = (uint16_t)i->id;
	pid = i->pid;
	memcpy(k->data, &id, 2);
	k->data[2] = (uint8_t)i->flags;
	memcpy(k->data + 4, &pid, 4);
	if (i->id == KS || i->id == US) {
		uint64_t next = i->n + 1;

		memcpy(k->data + 8, i->id == KS ? &size : &pid, 4);
		memcpy(k->data + 16, &i->n, 8);
		memcpy(k->data + 24, &next, 8);
	} else {
		memcpy(k->data + 8, &i->n, 8);
	}
	*r = (struct rec){.ev = event_by_id(k->o, i->id),
			  .origin = k->o,
			  .data = k->data,
			  .len = i->id == KS   ? 32
				 : i->id == US ? 80
					       : 16,
			  .cpu = i->cpu,
			  .ts = 1000 + k->at,
			  .missed = i->missed};
	k->at++;
	return 1;
}

static void fake_free(struct feed *f)
{
	free(f);
}

static const struct feed_ops fake_ops = {.next = fake_next, .free = fake_free};

/* what came out: the event's number and the first address of each stack, 0 none */
struct out {
	uint64_t n, k, u;
};

static uint64_t first(const struct rec_frames *f)
{
	uint64_t a = 0;

	if (f && f->n)
		memcpy(&a, f->p, 8);
	return a;
}

static size_t run(const struct in *v, size_t n, size_t repeat, struct out *out, size_t max,
		  uint8_t of_stacks)
{
	struct world w;
	struct fake *k = calloc(1, sizeof(*k));
	uint8_t want[64] = {0};
	struct feed *f;
	struct rec r;
	size_t got = 0;

	world_open(&w);
	k->f.ops = &fake_ops;
	k->o = catalog_add_file(w.c, "fake");
	k->o->long_size = 8;
	origin_put_format(k->o, "test", ev_format, strlen(ev_format));
	origin_put_format(k->o, "test", quiet_format, strlen(quiet_format));
	origin_put_format(k->o, "ftrace", ks_format, strlen(ks_format));
	origin_put_format(k->o, "ftrace", us_format, strlen(us_format));
	k->v = v;
	k->n = n;
	k->repeat = repeat;
	want[event_by_id(k->o, EV)->index] = WANT_EVENT | WANT_KSTACK | WANT_USTACK;
	want[event_by_id(k->o, KS)->index] = of_stacks;
	f = feed_stacks(&k->f, want, catalog_nevents(w.c));
	while (feed_next(f, &r) == 1 && got < max) {
		uint64_t num;

		memcpy(&num, r.data + 8, 8);
		out[got++] = (struct out){num, first(r.kstack), first(r.ustack)};
	}
	feed_free(f);
	world_close(&w);
	return got;
}

#define RUN(v, out) run(v, sizeof(v) / sizeof(*(v)), 1, out, sizeof(out) / sizeof(*(out)), 0)

static void same(const struct out *got, const struct out *want, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(got[i].n, want[i].n);
		assert_int_equal(got[i].k, want[i].k);
		assert_int_equal(got[i].u, want[i].u);
	}
}

static void plain(void **state)
{
	static const struct in v[] = {
		{EV, 0, 7, 0, 1, 0}, {KS, 0, 7, 0, 100, 0}, {US, 0, 7, 0, 200, 0},
		{EV, 0, 7, 0, 2, 0}, {KS, 0, 7, 0, 101, 0}, {US, 0, 7, 0, 201, 0},
	};
	static const struct out want[] = {{1, 100, 200}, {2, 101, 201}};
	struct out out[8];

	(void)state;
	assert_int_equal(RUN(v, out), 2);
	same(out, want, 2);
}

static void interrupted(void **state)
{
	/* an interrupt between an event and its stack, and one between its two stacks */
	static const struct in v[] = {
		{EV, 0, 7, 0, 1, 0},   {EV, 0, 7, HARD, 2, 0}, {KS, 0, 7, HARD, 102, 0},
		{KS, 0, 7, 0, 101, 0}, {EV, 0, 7, HARD, 3, 0}, {KS, 0, 7, HARD, 103, 0},
		{US, 0, 7, 0, 201, 0},
	};
	static const struct out want[] = {{1, 101, 201}, {2, 102, 0}, {3, 103, 0}};
	struct out out[8];

	(void)state;
	assert_int_equal(RUN(v, out), 3);
	same(out, want, 3);
}

static void other_cpus(void **state)
{
	static const struct in v[] = {
		{EV, 0, 7, 0, 1, 0},  {EV, 1, 7, 0, 2, 0},    {KS, 1, 7, 0, 102, 0},
		{EV, 64, 7, 0, 3, 0}, {KS, 64, 7, 0, 103, 0}, {KS, 0, 7, 0, 101, 0},
	};
	static const struct out want[] = {{1, 101, 0}, {2, 102, 0}, {3, 103, 0}};
	struct out out[8];

	(void)state;
	assert_int_equal(RUN(v, out), 3);
	same(out, want, 3);
}

/* An event whose stack is missing must not get that of an event that nobody asked for, nor one from
 * behind a loss. */
static void not_anothers(void **state)
{
	static const struct in v[] = {
		{EV, 0, 7, 0, 1, 0},   {QUIET, 0, 7, 0, 2, 0}, {KS, 0, 7, 0, 102, 0},
		{EV, 0, 7, 0, 3, 0},   {EV, 0, 8, 0, 4, 5},    {KS, 0, 7, 0, 103, 0},
		{KS, 0, 8, 0, 104, 0}, {KS, 0, 8, 0, 105, 0},
	};
	static const struct out want[] = {{1, 0, 0}, {3, 0, 0}, {4, 104, 0}};
	struct out out[8];

	(void)state;
	assert_int_equal(RUN(v, out), 3);
	same(out, want, 3);
}

/* taking a program's stack can fault: the fault's event comes between the event and its stack */
static void fault_inside(void **state)
{
	static const struct in v[] = {
		{EV, 0, 7, 0, 1, 0},   {KS, 0, 7, 0, 101, 0}, {EV, 0, 7, 0, 2, 0},
		{KS, 0, 7, 0, 102, 0}, {US, 0, 7, 0, 202, 0}, {US, 0, 7, 0, 201, 0},
	};
	static const struct out want[] = {{1, 101, 201}, {2, 102, 202}};
	struct out out[8];

	(void)state;
	assert_int_equal(RUN(v, out), 2);
	same(out, want, 2);
}

static void stacks_as_events(void **state)
{
	static const struct in v[] = {
		{EV, 0, 7, 0, 1, 0},
		{KS, 0, 7, 0, 100, 0},
		{EV, 0, 7, 0, 3, 0},
	};
	struct out out[8];

	(void)state;
	assert_int_equal(run(v, 3, 1, out, 8, WANT_EVENT), 3);
	assert_int_equal(out[0].k, 100);
	assert_int_equal(out[1].n & 0xffffffff, 2); /* its size */
	assert_int_equal(out[2].n, 3);
}

/* far more records than the queue holds, all behind one whose stack never comes */
static void bounded(void **state)
{
	static const struct in v[] = {
		{EV, 0, 7, 0, 1, 0}, {EV, 1, 7, 0, 2, 0}, {KS, 1, 7, 0, 102, 0}};
	struct out *out = calloc(40000, sizeof(*out));
	size_t n = run(v, 3, 20000, out, 40000, 0);

	(void)state;
	assert_int_equal(n, 40000);
	for (size_t i = 0; i < n; i += 2) {
		assert_int_equal(out[i].n, 1);
		assert_int_equal(out[i].k, 0);
		assert_int_equal(out[i + 1].n, 2);
		assert_int_equal(out[i + 1].k, 102);
	}
	free(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain),        cmocka_unit_test(interrupted),
		cmocka_unit_test(other_cpus),   cmocka_unit_test(not_anothers),
		cmocka_unit_test(fault_inside), cmocka_unit_test(stacks_as_events),
		cmocka_unit_test(bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
