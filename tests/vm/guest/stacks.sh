# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Stacks by the kernel's rules, each compared with what its unwinder says: of code that is built
# in, of a module that goes and comes again, and while the tracing of functions leads returns astray.
. /test/lib.sh

tracing=/sys/kernel/tracing
mkdir t
mount -t tmpfs -o size=200M t t
trap 'umount -l o t 2>/dev/null || true' EXIT

cat >load <<'END'
dd if=/dev/zero of=$1/zero bs=64k count=100
cat $1/zero $1/zero >$1/copy
ls -lR /proc >$1/names
for i in 1 2 3 4 5 6 7 8 9 10; do sh -c 'echo | sort'; done
rm $1/*
END

# A recording of the load in a directory, and what it said of stacks.
record() { # DIRECTORY
	KMEMPROF_STACKS=compare kmemprof record --by stack --format folded -- \
		sh ./load "$1" >out 2>log || true
	said=$(grep -o '[0-9]* by the kernel.*' log)
	walked=${said%% *}
	unwound=$(echo "$said" | sed 's/.*, \([0-9]*\) by its.*/\1/')
	differ=$(echo "$said" | sed 's/.*; \([0-9]*\) of those.*/\1/')
}
agrees() { # WHAT CONDITION…
	what="$1: ${said:-nothing}"
	shift
	if [ "${differ:-1}" = 0 ] && [ "$@" ]; then pass "$what"; else fail "$what" "$(cat log)"; fi
}

record t
agrees "built-in code" $((unwound * 10)) -lt "$walked"

if echo 'r:kmemprof handle_mm_fault' >$tracing/kprobe_events 2>err; then
	echo 1 >$tracing/events/kprobes/kmemprof/enable
	record t
	agrees "with a return probe" "$unwound" -gt 100
	echo 0 >$tracing/events/kprobes/kmemprof/enable
	echo >$tracing/kprobe_events
	record t
	agrees "without it" $((unwound * 10)) -lt "$walked"
else
	skip "with a return probe" "$(cat err)"
fi

if grep -q function_graph $tracing/available_tracers; then
	echo handle_mm_fault >$tracing/set_ftrace_filter
	echo function_graph >$tracing/current_tracer
	record t
	agrees "with a function graph" "$unwound" -gt 100
	echo nop >$tracing/current_tracer
	echo >$tracing/set_ftrace_filter
else
	skip "with a function graph" "this kernel has none"
fi

overlay=$(find /row/modules -name 'overlay.ko*' 2>/dev/null)
if [ -n "$overlay" ]; then
	mkdir t/lower t/upper t/work o
	in_module() { # WHAT: the same in a file system that is a module
		mount -t overlay -o lowerdir=t/lower,upperdir=t/upper,workdir=t/work o o
		record o
		agrees "$1" $((unwound * 10)) -lt "$walked"
		umount o
	}
	# What stays of the recording is what was held at its end: files, so long as they are there.
	sed -i 's/^rm .*//' load
	in_module "a module"
	if grep -q 'ovl_write_iter' out; then
		pass "the module's functions are in stacks"
	else
		fail "the module's functions are in stacks" "$(head -n 5 out)"
	fi
	# The same recording goes on while the module goes and comes.
	KMEMPROF_STACKS=compare kmemprof record --all >all 2>all.log &
	recorder=$!
	attached $recorder
	in_module "under two recordings"
	rmmod overlay
	insmod "$overlay"
	in_module "the module again"
	kill -INT $recorder
	wait $recorder || true
	cp all.log log
	said=$(grep -o '[0-9]* by the kernel.*' log)
	differ=$(echo "$said" | sed 's/.*; \([0-9]*\) of those.*/\1/')
	agrees "a module that went and came" -n "$said"
fi
