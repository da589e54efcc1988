// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Types for tests/data/catalog-probes/btf, which is the .BTF section of this file compiled with
 * -gbtf: names as in the kernel, places of members of our own.
 * gcc -gbtf -O0 -c types.c && objcopy --dump-section .BTF=../catalog-probes/btf types.o
 */
typedef unsigned int u32;
typedef unsigned long u64;
typedef u64 loff_t;

struct list_head {
	struct list_head *next, *prev;
};

struct sched_avg {
	u64 last_update_time, load_sum;
	unsigned long load_avg;
};

struct cfs_rq {
	u32 nr_running;
	struct {
		long hidden;
		union {
			int in_union;
			char bytes[16];
		};
	};
	struct sched_avg avg;
};

enum state { RUNNING, SLEEPING = -1 };

struct task_struct {
	volatile long state;
	int pid;
	unsigned char on_rq : 1, frozen : 3;
	unsigned in_execve : 1;
	signed short prio;
	_Bool done;
	enum state how;
	struct {
		const u64 vruntime;
	} se;
	char comm[16];
	struct task_struct *parent;
	u32 cpus[4];
	struct list_head children[2];
	double load;
};

struct qstr {
	u32 hash, len;
	const unsigned char *name;
};

struct dentry {
	u32 flags;
	struct qstr d_name;
};

struct file {
	u32 f_flags;
	struct dentry *f_dentry;
	void *private_data;
};

long vfs_read(struct file *file, char *buf, unsigned long count, loff_t *pos)
{
	return file->f_flags + buf[0] + count + *pos;
}

int do_sys_openat2(int dfd, const char *filename, struct file *how)
{
	return dfd + filename[0] + how->f_flags;
}

struct task_struct *wake_up_process(struct task_struct *p)
{
	return p->parent;
}

void __probestub_pelt_cfs_tp(void *__data, struct cfs_rq *cfs_rq)
{
	cfs_rq->nr_running++;
}

typedef void (*btf_trace_sched_only_tp)(void *, struct task_struct *, int);
btf_trace_sched_only_tp only;
