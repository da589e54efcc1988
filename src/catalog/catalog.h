/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What can be traced here: events with their fields and print formats, functions, symbols, task
 * names. It is made from an *origin*: live tracefs, a trace.dat, or a saved directory. Reading a
 * format is put off until somebody asks for a field.
 */
#ifndef TRACESH_CATALOG_CATALOG_H
#define TRACESH_CATALOG_CATALOG_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/session.h"

#include <stdbool.h>
#include <stdint.h>

struct catalog;
struct origin;
struct event;

enum field_kind {
	FK_INT,    /* 1, 2, 4, 8 bytes */
	FK_STRING, /* fixed char array, ends at NUL or its size */
	FK_DYN,    /* __data_loc: u32 at offset: low 16 offset in record, high 16 length; string */
	FK_REL,    /* __rel_loc: offset counted from the end of this field; string */
	FK_ARRAY,  /* fixed array of integers or bytes */
	FK_DYN_ARRAY, /* __data_loc of a non-char array */
	FK_REL_ARRAY,
	FK_TAIL, /* string to the end of the record (ftrace:print buf, size 0) */
};

/* A value name of a print format: __print_symbolic / __print_flags. */
struct symname {
	uint64_t value;
	const char *name;
};

struct field {
	const char *name;
	const char *type; /* C type as in the format file, without the name: "pid_t", "char[16]" */
	enum field_kind kind;
	uint32_t offset, size; /* bytes in the record */
	uint32_t elem;         /* array kinds: bytes of an element */
	bool is_signed;
	bool is_pointer; /* shown as an address */
	bool is_common;  /* common_type, common_pid ... */
	/* from the print format, where it names this very field (possibly masked) */
	const struct symname *syms; /* __print_symbolic rows; nsyms of them */
	unsigned nsyms;
	const struct symname *flags; /* __print_flags rows */
	unsigned nflags;
	const char *delim; /* of __print_flags */
};

struct event {
	const char *system, *name;
	int id;         /* in its origin's id space */
	unsigned index; /* dense over the whole catalog: 0 .. catalog_nevents()-1 */
	struct origin *origin;
	/* filled by event_load(): */
	bool loaded, broken;  /* broken: the format could not be parsed (said once) */
	struct field *fields; /* common fields first */
	unsigned nfields;
	uint32_t min_size;     /* a record shorter than this lacks fixed fields */
	const char *print_fmt; /* text after "print fmt: ", NULL if none */
};

enum origin_kind { ORIGIN_LIVE, ORIGIN_FILE, ORIGIN_DIR };

/* Where events come from; event ids, word size, byte order, symbols and clock belong to it. */
struct origin {
	enum origin_kind kind;
	unsigned index;     /* 0.. in catalog */
	const char *path;   /* tracefs directory, file, or saved directory */
	unsigned long_size; /* 4 or 8 */
	bool big_endian;    /* differs from the host: values must be swapped */
	const char *clock;  /* "local", "mono", "x86-tsc" ...; NULL unknown */
	/* header_page: byte offset/size of commit and data */
	uint32_t page_size; /* sub-buffer bytes */
	uint32_t commit_off, commit_size, data_off;
	const char *uname;          /* or NULL */
	const char *const *buffers; /* names of its buffer instances by rec.buffer, "" = top */
	unsigned nbuffers;
	const char *arch; /* "x86_64", "aarch64" ...: from uname or the host; NULL unknown */
	struct origin_priv *priv;
};

/* ---- making one ---- */
struct catalog *catalog_new(struct session *s);
void catalog_free(struct catalog *c);

/**
 * catalog_add_live - find or mount tracefs (set.tracefs, /sys/kernel/tracing, debugfs) and list
 * events Only names and ids on demand: no format is read. Returns the origin or NULL with a diag
 * (code "no-tracefs" or "refused").
 */
struct origin *catalog_add_live(struct catalog *c);
/* catalog_keep - @fn(@arg) is called by catalog_free, when borrowed text is no longer used (last
 * first) */
void catalog_keep(struct catalog *c, void (*fn)(void *arg), void *arg);
/* catalog_add_dir - a directory laid out like tracefs (events/SYS/NAME/format,
 * available_filter_functions...) */
struct origin *catalog_add_dir(struct catalog *c, const char *path);
/**
 * catalog_add_file - an origin to be filled by the trace.dat container reader through the
 * origin_put_ calls
 */
struct origin *catalog_add_file(struct catalog *c, const char *path);

/* Called by feed's container reader for each piece of metadata; the text is copied or borrowed as
 * said. */
/* header_page text: fills page_size (unless set), commit_off... 0 or -EINVAL */
int origin_put_header_page(struct origin *o, const char *text, size_t len);
/* one event format text (borrowed until catalog_free); system NULL/"ftrace" for ftrace's own; 0 or
 * -EINVAL */
int origin_put_format(struct origin *o, const char *system, const char *text, size_t len);
void origin_put_kallsyms(struct origin *o, const char *text,
			 size_t len); /* borrowed, parsed when needed */
/* @fn gives them when they are needed */
void origin_put_kallsyms_later(struct origin *o, const char *(*fn)(void *arg, size_t *len),
			       void *arg);
void origin_put_printk(struct origin *o, const char *text, size_t len); /* borrowed */
void origin_put_cmdlines(struct origin *o, const char *text,
			 size_t len); /* "PID NAME" lines; borrowed */
void origin_put_tgids(struct origin *o, const char *text,
		      size_t len); /* "PID TGID" lines; borrowed */

/* ---- events ---- */
unsigned catalog_nevents(const struct catalog *c);
struct event *catalog_event(const struct catalog *c, unsigned index);
unsigned catalog_norigins(const struct catalog *c);
struct origin *catalog_origin(const struct catalog *c, unsigned index);
/* event_by_id - the event of an id in an origin, NULL if unknown (then a new look is taken live,
 * once) */
struct event *event_by_id(struct origin *o, int id);
/* catalog_find - exact system (NULL: any) and name; the first match; NULL if none */
struct event *catalog_find(const struct catalog *c, const char *system, const char *name);

/* ---- events that a run makes itself (probes, synthetic events) ---- */
/**
 * event_declare - an event that will exist once the plan is written
 * @owner: arena of the run; the event belongs to it until catalog_undeclare(). @fields are those it
 * is expected to have, common ones included; the array is copied, its texts are borrowed. No
 * pattern and no catalog_find of another run's names finds it by accident: its system is the run's
 * own.
 */
struct event *event_declare(struct catalog *c, struct origin *o, struct arena *owner,
			    const char *system, const char *name, const struct field *fields,
			    unsigned n);
/* event_redeclare - it will have these fields instead */
void event_redeclare(struct event *e, const struct field *fields, unsigned n);
bool event_declared(const struct event *e);
/* catalog_reload - read formats and ids of @owner's events, which exist now; 0 or a negative errno
 * with the event in *failed */
int catalog_reload(struct catalog *c, struct arena *owner, struct event **failed);
/* catalog_undeclare - @owner's events are gone */
void catalog_undeclare(struct catalog *c, struct arena *owner);
/* catalog_owned - a place where whoever declares events for @owner keeps its own list */
void **catalog_owned(struct catalog *c, struct arena *owner);
/* catalog_new_group - a system for events of a run: "tracesh_PID_N" that nobody uses, or that of
 * session.run_name; in @owner */
const char *catalog_new_group(struct catalog *c, struct origin *o, struct arena *owner);

struct event_list {
	struct event **v;
	unsigned n;
};
/**
 * catalog_match - events of a pattern as in LANGUAGE.md: NAME, SYS:NAME (also SYS/NAME), globs,
 * SYS:/regex/flags, /regex/. A bare name in two systems pushes "ambiguous-event" with the
 * candidates, no match "unknown-event" with the nearest name as a hint. Returns 0 or -1 (one diag
 * pushed). The ftrace system is matched by exact names only, never by globs without "ftrace:".
 */
int catalog_match(struct catalog *c, struct arena *a, struct diags *d, const char *pattern,
		  struct span at, struct event_list *out);

/* event_id - the id in its origin; live it is read from tracefs on first use; -1 unknown */
int event_id(struct event *e);
/**
 * field_symvalue - the value that the print format calls @name ("D", "GFP_ATOMIC", "A|B" for flags)
 * A field's value v has this name when (v & *mask) == *value. false: the format has no such name.
 */
bool field_symvalue(const struct field *f, const char *name, uint64_t *value, uint64_t *mask);

/* event_load - parse the format on first use; 0, or -1 when it is broken (fields may be partly
 * there) */
int event_load(struct event *e);
/* event_field - by name, NULL if it has none; loads the event */
const struct field *event_field(struct event *e, const char *name);

/* ---- symbols and tasks of an origin ---- */
/* origin_ksym - function containing @addr: name and offset; false if unknown. Loads kallsyms once.
 */
bool origin_ksym(struct origin *o, uint64_t addr, const char **name, uint64_t *off);
/* origin_kaddr - address of a symbol, 0 if unknown or hidden by kptr_restrict */
uint64_t origin_kaddr(struct origin *o, const char *name);
/* origin_ksym_count - how many functions have this very name; false: no symbols can be read here */
bool origin_ksym_count(struct origin *o, const char *name, unsigned *n);
/* What a function that is not there may be called now. */
struct ksym_near {
	enum { KSYM_NEAR, KSYM_SYSCALL, KSYM_VARIANT } how;
	char name[256];
};
/* origin_ksym_near - 0, or -1 when nothing is like @name */
int origin_ksym_near(struct origin *o, const char *name, struct ksym_near *out);
/* origin_kprobe_blacklisted - the kernel's list says that it may not be probed */
bool origin_kprobe_blacklisted(struct origin *o, const char *name);
/* origin_comm - name of a task from saved_cmdlines (file) or /proc, saved_cmdlines (live); NULL
 * unknown */
const char *origin_comm(struct origin *o, int tid);
/* origin_tgid - 0 unknown */
int origin_tgid(struct origin *o, int tid);
/* origin_ppid - tgid of the parent; live from /proc only; 0 unknown */
int origin_ppid(struct origin *o, int tid);
/* origin_tasks - call fn for each known task (saved_cmdlines/tgids; live: /proc as well) */
void origin_tasks(struct origin *o,
		  void (*fn)(void *arg, int tid, int tgid, int ppid, const char *comm), void *arg);

struct btf;
/**
 * catalog_btf - types of the kernel: `--btf FILE`, else those of the running kernel, else "btf" in
 * a saved directory; read when first asked for. NULL: *why says what is missing.
 */
const struct btf *catalog_btf(struct catalog *c, const char **why);

/* functions that can be traced, each once: available_filter_functions; -ENOENT where there is none.
 * Stops when @fn returns non-zero and returns that. */
int catalog_functions(struct catalog *c, const char *glob, int (*fn)(void *arg, const char *name),
		      void *arg);

#endif
