#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# make.sh TRACESH OUTDIR: the man pages, their reference parts taken from the tables by `help --man TOPIC`.
set -eu
t=$1 out=$2
mkdir -p "$out"
for page in "$(dirname "$0")"/*.in; do
	name=$(basename "$page" .in)
	while IFS= read -r line; do
		case $line in
		@*@)
			topic=${line#@}
			"$t" -e "help --man ${topic%@}"
			;;
		*) printf '%s\n' "$line" ;;
		esac
	done <"$page" >"$out/$name"
done
