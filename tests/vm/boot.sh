#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# boot.sh VMLINUZ SCRIPT FILE...: boots the kernel in QEMU (software emulation) with busybox; the FILEs lie in /x (programs
# bring their libraries), tracefs is mounted, SCRIPT runs with sh; prints what it prints.
set -eu
kernel=$1 script=$2; shift 2
d=$(mktemp -d)
trap 'rm -rf "$d" "$d.gz"' EXIT
mkdir -p "$d"/{bin,proc,sys,dev,tmp,x,etc,run,root,lib64,usr/lib/locale}
cp "$(command -v busybox)" "$d/bin/busybox"
cp "$script" "$d/x/test.sh"
for f in "$@"; do
	cp -rL "$f" "$d/x/"
	[ -f "$f" ] || continue
	for l in $(ldd "$f" 2>/dev/null | grep -o '/[^ ]*' || true); do
		mkdir -p "$d$(dirname "$l")"
		cp -L "$l" "$d$l"
	done
done
cat >"$d/init" <<'I'
#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc p /proc; mount -t sysfs s /sys; mount -t devtmpfs d /dev
mount -t tracefs t /sys/kernel/tracing; mount -t tmpfs t /tmp; mount -t tmpfs t /run
export PATH=/x:/bin HOME=/root TERM=linux LC_ALL=C TMP=/tmp
echo '=====BEGIN'
cd /x; sh /x/test.sh 2>&1
echo "=====END $?"
poweroff -f
I
chmod +x "$d/init"
(cd "$d" && find . | cpio -o -H newc 2>/dev/null | gzip -1) >"$d.gz"
# one thread for both CPUs: with a thread each, QEMU can run code that the other CPU has patched away, and the kernel
# stops at its own breakpoint (int3 in try_to_wake_up, after some hundred probes and tracepoints switched on and off)
timeout "${VM_S:-240}" qemu-system-x86_64 -accel tcg,thread=single -smp 2 -m "${MEM:-768}" -kernel "$kernel" -initrd "$d.gz" \
	-append "console=ttyS0 quiet panic=-1 ${CMDLINE:-}" -nographic -no-reboot -net none </dev/null 2>&1 |
	tr -d '\r' | sed 's/\x1b\[[0-9;?]*[a-zA-Z]//g; s/\x1bc//g' | sed -n '/=====BEGIN/,$p'
