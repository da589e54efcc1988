/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A grammar for tests of the parser: every stage and command of the language, without the layers
 * that carry them out.
 */
#ifndef TRACESH_TESTS_LANG_GRAMMAR_H
#define TRACESH_TESTS_LANG_GRAMMAR_H

#include "lang/syntax.h"

#include <limits.h>
#include <string.h>

#define BY                                                                                         \
	{                                                                                          \
		"by", CL_LIST                                                                      \
	}

static const struct stage_syntax lang_stages[] = {
	{"where", 1, 1, ST_COND, {{0}}},
	{"let", 1, UINT_MAX, ST_NAMED | ST_COND, {{0}}},
	{"count", 0, 0, 0, {BY}},
	{"sum", 1, 1, 0, {BY}},
	{"avg", 1, 1, 0, {BY}},
	{"min", 1, 1, 0, {BY}},
	{"max", 1, 1, 0, {BY}},
	{"stats", 1, 1, 0, {BY}},
	{"hist",
	 1,
	 1,
	 0,
	 {BY, {"step", CL_ONE}, {"from", CL_ONE}, {"to", CL_ONE}, {"digits", CL_ONE}}},
	{"quantile", 1, 1, 0, {BY, {"p*", CL_NONE}}},
	{"distinct", 1, 1, 0, {BY}},
	{"agg", 1, UINT_MAX, ST_NAMED, {BY}},
	{"sort", 1, 1, 0, {{"desc", CL_NONE}}},
	{"top", 1, 1, 0, {{"by", CL_ONE}}},
	{"limit", 1, 1, 0, {{0}}},
	{"every", 1, 1, 0, {{"keep", CL_NONE}}},
	{"print", 0, UINT_MAX, 0, {{0}}},
	{"printf", 1, UINT_MAX, 0, {{0}}},
	{"stack", 0, 1, 0, {{0}}},
	{"ustack", 0, 1, 0, {{0}}},
	{"speculate",
	 0,
	 0,
	 ST_COND,
	 {BY, {"from", CL_ONE}, {"commit", CL_ONE}, {"discard", CL_ONE}}},
	{"do", 0, 0, ST_BLOCK, {{0}}},
	{"record", 1, 1, 0, {{"last", CL_ONE}}},
	{"snapshot", 0, 1, 0, {{0}}},
	{"stop", 0, 0, 0, {{"after", CL_ONE}}},
	{"table", 0, 0, 0, {{0}}},
	{"plot", 0, 0, 0, {{0}}},
	{"csv", 0, 0, 0, {{0}}},
	{"json", 0, 0, 0, {{0}}},
	{"folded", 0, 0, 0, {{0}}},
	{"myplugin", 0, UINT_MAX, ST_PLUGIN, {BY}},
	{0},
};

static const struct command_syntax lang_commands[] = {
	{"ls", CMD_WORDS},
	{"describe", CMD_WORDS},
	{"funcs", CMD_WORDS},
	{"syscalls", CMD_WORDS},
	{"explain", CMD_PIPELINE},
	{"jobs", CMD_WORDS},
	{"show", CMD_WORDS},
	{"clear", CMD_WORDS},
	{"pause", CMD_WORDS},
	{"cont", CMD_WORDS},
	{"stop", CMD_WORDS},
	{"wait", CMD_WORDS},
	{"run", CMD_REST},
	{"open", CMD_WORDS},
	{"close", CMD_WORDS},
	{"info", CMD_WORDS},
	{"set", CMD_WORDS},
	{"source", CMD_WORDS},
	{"echo", CMD_WORDS},
	{"exit", CMD_WORDS},
	{"arm", CMD_WORDS},
	{"collect", CMD_WORDS},
	{"emit", CMD_WORDS},
	{"doctor", CMD_WORDS},
	{"cleanup", CMD_WORDS},
	{"plugin", CMD_WORDS},
	{"help", CMD_WORDS},
	{"history", CMD_WORDS},
	{0},
};

static inline const struct stage_syntax *lang_stage(const char *name)
{
	for (size_t i = 0; lang_stages[i].name; i++) {
		if (strcmp(lang_stages[i].name, name) == 0)
			return &lang_stages[i];
	}
	return NULL;
}

static inline const struct command_syntax *lang_command(const char *name)
{
	for (size_t i = 0; lang_commands[i].name; i++) {
		if (strcmp(lang_commands[i].name, name) == 0)
			return &lang_commands[i];
	}
	return NULL;
}

static inline const char *lang_stage_name(unsigned i)
{
	return lang_stages[i].name;
}

static inline const char *lang_command_name(unsigned i)
{
	return lang_commands[i].name;
}

static const struct grammar lang_grammar = {lang_stage,        lang_command, lang_stage_name,
					    lang_command_name, NULL,         NULL};

#endif
