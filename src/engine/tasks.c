/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The table of tasks of an origin. Scheduler events say names and parents at their time; what none
 * has said yet is asked of the origin once per task. Knows no queries.
 */
#include "engine/tasks.h"

#include "base/arena.h"
#include "engine/code.h"
#include "engine/tab.h"

#include <stdlib.h>

#define COMM_MAX 32u
#define TASKS_MAX_BYTES ((size_t)128 << 20)
#define CLONE_THREAD_FLAG 0x10000u
#define CLONE_PARENT_FLAG 0x8000u
#define INIT_TID 1

enum role { R_UNSEEN, R_NONE, R_SWITCH, R_FORK, R_EXEC, R_EXIT, R_RENAME, R_NEWTASK, R_NAMED };

static const struct role_row {
	const char *system, *name;
	enum role role;
	const char *fields[4]; /* a tid and a name, twice */
} roles[] = {
	{"sched", "sched_switch", R_SWITCH, {"prev_pid", "prev_comm", "next_pid", "next_comm"}},
	{"sched",
	 "sched_process_fork",
	 R_FORK,
	 {"parent_pid", "parent_comm", "child_pid", "child_comm"}},
	{"sched", "sched_process_exec", R_EXEC, {"pid", "filename", "old_pid", NULL}},
	{"sched", "sched_process_exit", R_EXIT, {"pid", "comm", NULL, NULL}},
	{"task", "task_rename", R_RENAME, {"pid", "oldcomm", NULL, "newcomm"}},
	{"task", "task_newtask", R_NEWTASK, {"pid", "comm", "clone_flags", NULL}},
	/* of use where a file has them and no renames */
	{"sched", "sched_waking", R_NAMED, {"pid", "comm", NULL, NULL}},
	{"sched", "sched_wakeup", R_NAMED, {"pid", "comm", NULL, NULL}},
};

struct task {
	struct ent ent;
	char comm[COMM_MAX];
	uint32_t len;        /* 0: unknown */
	uint32_t version;    /* of the name */
	int tgid, ppid;      /* 0: unknown */
	uint32_t life, pair; /* which task of this id it is; its parent's when that got it */
	bool announced;      /* task_newtask told of its birth, sched_process_fork will as well */
	bool dead;
};

struct watch {
	enum role role;
	const struct field *f[4], *current;
};

struct tasks {
	struct tasks_seen seen; /* first */
	struct origin *origin;
	struct mem mem;
	struct tab tab;
	struct watch **watch; /* by event index; NULL: not looked at yet */
	unsigned nwatch;
	struct watch none;
	uint32_t lives;
	bool renames; /* task_rename is recorded: sched_process_exec has nothing to add */
};

static const struct role_row *role_of(const struct event *ev)
{
	for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++) {
		if (ev->system && strcmp(ev->name, roles[i].name) == 0 &&
		    strcmp(ev->system, roles[i].system) == 0)
			return &roles[i];
	}
	return NULL;
}

bool tasks_wants(const struct event *ev)
{
	const struct role_row *row = role_of(ev);

	return row && row->role != R_NAMED;
}

bool tasks_tells(const struct event *ev)
{
	return role_of(ev) != NULL;
}

static void set_comm(struct tasks *t, struct task *k, const char *p, uint32_t len)
{
	if (!k || !len)
		return;
	if (len >= COMM_MAX)
		len = COMM_MAX - 1;
	if (k->len == len && memcmp(k->comm, p, len) == 0)
		return;
	k->version++;
	t->seen.changes++;
	k->len = len;
	memcpy(k->comm, p, len);
}

static struct task *find(const struct tasks *t, int tid)
{
	return (struct task *)tab_find_int(&t->tab, (uint64_t)(int64_t)tid, 0);
}

static void set_parent(const struct tasks *t, struct task *k, int ppid)
{
	const struct task *parent = ppid ? find(t, ppid) : NULL;

	k->ppid = ppid;
	k->pair = parent ? parent->life : 0;
}

/* the task's row, made and asked of the origin when it is new; NULL without room */
static struct task *task_get(struct tasks *t, int tid)
{
	struct task *k = (struct task *)tab_find_int(&t->tab, (uint64_t)(int64_t)tid, 0);
	const char *comm;

	if (k)
		return k;
	k = (struct task *)tab_add_int(&t->tab, (uint64_t)(int64_t)tid, 0);
	if (!k)
		return NULL;
	comm = origin_comm(t->origin, tid);
	if (comm)
		set_comm(t, k, comm, (uint32_t)strnlen(comm, COMM_MAX - 1));
	k->tgid = origin_tgid(t->origin, tid);
	set_parent(t, k, origin_ppid(t->origin, tid));
	return k;
}

static void seed(void *arg, int tid, int tgid, int ppid, const char *comm)
{
	struct tasks *t = arg;
	struct task *k = (struct task *)tab_get_int(&t->tab, (uint64_t)(int64_t)tid, 0);

	if (!k)
		return;
	if (comm)
		set_comm(t, k, comm, (uint32_t)strnlen(comm, COMM_MAX - 1));
	k->tgid = tgid;
	set_parent(t, k, ppid);
}

struct tasks *tasks_new(struct origin *o)
{
	struct tasks *t = xcalloc(1, sizeof(*t));

	t->origin = o;
	t->mem.max = TASKS_MAX_BYTES;
	t->none.role = R_NONE;
	tab_init(&t->tab, &t->mem, sizeof(struct task) - sizeof(struct ent), false);
	/* tasks that end before tracing has begun everywhere are known now or never */
	tasks_seed(t);
	return t;
}

void tasks_seed(struct tasks *t)
{
	if (t->origin->kind == ORIGIN_LIVE)
		origin_tasks(t->origin, seed, t);
}

void tasks_free(struct tasks *t)
{
	if (!t)
		return;
	tab_clear(&t->tab);
	for (unsigned i = 0; i < t->nwatch; i++) {
		if (t->watch[i] != &t->none)
			free(t->watch[i]);
	}
	free(t->watch);
	free(t);
}

static struct watch *watch_of(struct tasks *t, struct event *ev)
{
	const struct role_row *row;
	struct watch *w;

	if (ev->index < t->nwatch && t->watch[ev->index])
		return t->watch[ev->index];
	if (ev->index >= t->nwatch) {
		unsigned n = ev->index + 64;

		t->watch = xrealloc(t->watch, n * sizeof(struct watch *));
		memset(t->watch + t->nwatch, 0, (n - t->nwatch) * sizeof(struct watch *));
		t->nwatch = n;
	}
	row = role_of(ev);
	w = &t->none;
	if (row && (row->role != R_NAMED || t->origin->kind != ORIGIN_LIVE)) {
		w = xcalloc(1, sizeof(*w));
		w->role = row->role;
		for (int i = 0; i < 4; i++)
			w->f[i] = row->fields[i] ? event_field(ev, row->fields[i]) : NULL;
		w->current = event_field(ev, "common_pid");
	}
	t->watch[ev->index] = w;
	return w;
}

static bool tid_at(const struct rec *r, const struct field *f, int *tid)
{
	uint64_t u;

	if (!f || f->kind != FK_INT || !rec_int(r, f, &u))
		return false;
	*tid = (int)u;
	return true;
}

/* the idle tasks share a tid and are named by their CPU */
static struct task *task_at(struct tasks *t, const struct rec *r, const struct field *f)
{
	int tid;

	return tid_at(r, f, &tid) && tid != 0 ? task_get(t, tid) : NULL;
}

static void name_at(struct tasks *t, struct task *k, const struct rec *r, const struct field *f)
{
	const char *p;
	uint32_t len;

	if (k && f && f->kind != FK_INT && rec_bytes(r, f, &p, &len))
		set_comm(t, k, p, len);
}

/* a new task takes over the tid of whoever had it */
static struct task *born(struct tasks *t, const struct rec *r, const struct field *f)
{
	struct task *k;
	int tid;

	if (!tid_at(r, f, &tid) || tid == 0)
		return NULL;
	k = (struct task *)tab_get_int(&t->tab, (uint64_t)(int64_t)tid, 0);
	if (!k)
		return NULL;
	k->version++;
	t->seen.changes++;
	k->len = 0;
	k->tgid = k->ppid = 0;
	k->announced = k->dead = false;
	k->life = ++t->lives;
	return k;
}

static void fork_seen(struct tasks *t, const struct rec *r, const struct watch *w)
{
	struct task *parent = task_at(t, r, w->f[0]), *k;
	int tid, child = 0, ptgid;

	name_at(t, parent, r, w->f[1]);
	if (!tid_at(r, w->f[0], &tid))
		tid = 0;
	ptgid = parent && parent->tgid ? parent->tgid : tid;
	k = tid_at(r, w->f[2], &child) ? find(t, child) : NULL;
	if (k && k->announced) {
		k->announced = false;
		return;
	}
	k = born(t, r, w->f[2]);
	name_at(t, k, r, w->f[3]);
	if (!k)
		return;
	/* whether it is a thread only task_newtask tells, or the origin's list of processes */
	k->tgid = origin_tgid(t->origin, child);
	set_parent(t, k, k->tgid == ptgid && parent ? parent->ppid : ptgid);
}

static void newtask_seen(struct tasks *t, const struct rec *r, const struct watch *w)
{
	struct task *by = task_at(t, r, w->current), *k = born(t, r, w->f[0]);
	uint64_t flags = 0;
	int tid = 0, tgid;

	name_at(t, k, r, w->f[1]);
	if (!k || !w->f[2] || !rec_int(r, w->f[2], &flags))
		return;
	k->announced = true;
	tid_at(r, w->current, &tid);
	tgid = by && by->tgid ? by->tgid : tid;
	k->tgid = flags & CLONE_THREAD_FLAG ? tgid : (int)k->ent.key;
	if (!(flags & (CLONE_THREAD_FLAG | CLONE_PARENT_FLAG)))
		set_parent(t, k, tgid);
	else if (by)
		set_parent(t, k, by->ppid);
}

/* Whoever calls exec leads its process after it. */
static void exec_seen(struct tasks *t, const struct rec *r, const struct watch *w)
{
	struct task *k = task_at(t, r, w->f[0]);
	const char *p, *base;
	uint32_t len;

	if (!k)
		return;
	k->tgid = (int)k->ent.key;
	if (t->renames)
		return;
	if (!w->f[1] || w->f[1]->kind == FK_INT || !rec_bytes(r, w->f[1], &p, &len))
		return;
	base = memrchr(p, '/', len);
	if (base) {
		len -= (uint32_t)(base + 1 - p);
		p = base + 1;
	}
	set_comm(t, k, p, len < 15 ? len : 15);
}

static void exit_seen(struct tasks *t, const struct rec *r, const struct watch *w)
{
	struct task *k = task_at(t, r, w->f[0]);

	if (k)
		k->dead = true;
}

void tasks_before(struct tasks *t, const struct rec *r)
{
	const struct watch *w = watch_of(t, r->ev);

	switch (w->role) {
	case R_SWITCH:
		name_at(t, task_at(t, r, w->f[0]), r, w->f[1]);
		name_at(t, task_at(t, r, w->f[2]), r, w->f[3]);
		break;
	case R_EXEC: exec_seen(t, r, w); break;
	case R_EXIT:
	case R_NAMED:
	case R_RENAME: name_at(t, task_at(t, r, w->f[0]), r, w->f[1]); break;
	default: break;
	}
}

/* A task that @r is the first to tell of: it had that name from the beginning, or no known one.
 * Those that later ones tell of have a row by then. */
static void first_told(struct tasks *t, const struct rec *r, const struct field *f,
		       const struct field *name)
{
	struct task *k;
	int tid;

	if (!tid_at(r, f, &tid) || tid == 0 || find(t, tid))
		return;
	k = task_get(t, tid);
	if (!k)
		return;
	k->version++;
	t->seen.changes++;
	k->len = 0;
	name_at(t, k, r, name);
}

void tasks_ahead(struct tasks *t, const struct rec *r)
{
	const struct watch *w = watch_of(t, r->ev);

	switch (w->role) {
	case R_SWITCH:
		first_told(t, r, w->f[0], w->f[1]);
		first_told(t, r, w->f[2], w->f[3]);
		break;
	case R_FORK:
		first_told(t, r, w->f[0], w->f[1]);
		first_told(t, r, w->f[2], NULL);
		break;
	case R_EXEC:
	case R_NEWTASK: first_told(t, r, w->f[0], NULL); break;
	case R_EXIT:
	case R_RENAME:
	case R_NAMED: first_told(t, r, w->f[0], w->f[1]); break;
	default: break;
	}
}

void tasks_after(struct tasks *t, const struct rec *r)
{
	const struct watch *w = watch_of(t, r->ev);

	switch (w->role) {
	case R_FORK: fork_seen(t, r, w); break;
	case R_NEWTASK: newtask_seen(t, r, w); break;
	case R_EXIT: exit_seen(t, r, w); break;
	case R_RENAME:
		name_at(t, task_at(t, r, w->f[0]), r, w->f[3]);
		t->renames = true;
		break;
	default: break;
	}
}

struct val tasks_comm(struct tasks *t, int tid, int cpu, struct scratch *s)
{
	const struct task *k;

	if (tid == 0)
		return cpu >= 0 ? val_printf(s, "swapper/%d", cpu) : val_text(s, "swapper", 7);
	k = task_get(t, tid);
	if (!k || !k->len)
		return (struct val){.p = "<...>", .len = 5};
	return (struct val){.p = k->comm, .len = k->len};
}

bool tasks_name(struct tasks *t, int tid, uint32_t *place, uint32_t *version)
{
	const struct task *k = tid ? task_get(t, tid) : NULL;

	if (!k)
		return false;
	*place = k->ent.live - 1;
	*version = k->version;
	return true;
}

struct val tasks_pid(struct tasks *t, int tid)
{
	const struct task *k = tid ? task_get(t, tid) : NULL;

	return val_int((uint64_t)(int64_t)(k && k->tgid ? k->tgid : tid), false);
}

/* The parent ended, whoever has its id now: init takes the orphan over, or a task that asked to,
 * which only /proc tells. */
static void reparent(struct tasks *t, struct task *k)
{
	const struct task *parent = find(t, k->ppid);
	int now;

	if (!parent || (!parent->dead && parent->life == k->pair))
		return;
	now = origin_ppid(t->origin, k->tgid ? k->tgid : (int)k->ent.key);
	set_parent(t, k, now && now != k->ppid ? now : INIT_TID);
}

struct val tasks_ppid(struct tasks *t, int tid)
{
	struct task *k = tid ? task_get(t, tid) : NULL;

	if (tid == 0)
		return val_int(0, false);
	if (k && k->ppid > INIT_TID)
		reparent(t, k);
	return k && k->ppid ? val_int((uint64_t)(int64_t)k->ppid, false) : val_null();
}
