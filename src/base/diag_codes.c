/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The codes of all diagnostics, with the exit status each leads to. */
#include "base/diag.h"

const struct diag_code diag_codes[] = {
	/* script */
	{"syntax", 1, "the text does not parse at this place"},
	{"too-deep", 1, "brackets or operators nested beyond the parser's bound"},
	{"bad-number", 1, "a number, unit or size that cannot be read or does not fit 64 bits"},
	{"bad-string", 1, "a string that does not end or holds an unknown escape"},
	{"bad-regex", 1, "PCRE2 refused the pattern"},
	{"missing-bracket", 1, "an opening bracket without its closing one"},
	{"unknown-stage", 1, "no stage of this name"},
	{"unknown-clause", 1, "the stage does not know this word"},
	{"unknown-command", 1, "no command of this name"},
	{"unknown-event", 1, "no event matches the pattern"},
	{"ambiguous-event", 1, "a bare event name that several systems have"},
	{"unknown-field", 1, "no event of the source has this field"},
	{"unknown-column", 1, "the result has no column of this name"},
	{"unknown-suffix", 1, "a suffix that does not exist or does not fit the value"},
	{"unknown-function", 1, "no function of this name in expressions"},
	{"unknown-variable", 1, "a shell variable that was never set"},
	{"unknown-syscall", 1, "no system call of this name on this architecture"},
	{"unknown-file", 1, "no program or library of this name that can be probed"},
	{"unknown-symbol", 1, "no function or symbol of this name can be probed"},
	{"unknown-setting", 1, "no setting of this name"},
	{"unknown-value", 1, "the field's print format has no such name"},
	{"bad-arguments", 1,
	 "a stage, function or command with too few, too many or unfitting arguments"},
	{"bad-type", 1, "an operator or stage applied to a value of the wrong type"},
	{"bad-value", 1, "a value outside its range"},
	{"bad-stage", 1, "a stage at a place where it has no meaning"},
	{"duplicate-name", 1, "a column, variable or definition of this name is there already"},
	{"no-source", 1, "neither tracefs nor a file to read events from"},
	{"not-yet", 1, "part of the language that this version parses but does not carry out"},
	{"not-here", 1, "something that cannot be part of a compiled or armed script"},
	{"cannot-emit", 1, "a part of the script that the asked form of text cannot express"},
	{"runaway-loop", 1, "a loop in a block passed its bound"},
	/* usage */
	{"usage", 2, "the command line is wrong"},
	/* refused */
	{"refused", 3, "the kernel, the file system or a file refused something"},
	{"unsupported", 3, "this kernel lacks what the script asks for"},
	{"no-tracefs", 3, "tracefs is not mounted and could not be mounted"},
	{"bad-file", 3, "not a trace.dat, or cut before its first data"},
	{"write-failed", 3, "output could not be written"},
	/* undone in part */
	{"not-undone", 4, "something of ours could not be removed"},
	/* losses */
	{"lost", 5, "events were lost, or the input was cut short"},
	{0},
};
