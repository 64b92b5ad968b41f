#!/usr/bin/env bash
# Makes the recordings in testdata/ with the programs in this folder.
set -euo pipefail

# Each makes the file of its name, but *-snapshots makes three, *-live-N.jfr.
targets=(
	jdk17-kinds jdk25-kinds
	jdk25-ticks
	jdk17-strings jdk25-strings
	jdk17-profile jdk25-profile
	jdk17-oldobjects jdk25-oldobjects
	jdk25-virtual
	jdk25-cputime
	jdk17-chunks jdk25-chunks
	jdk17-flushed jdk25-flushed
	jdk17-live jdk25-live
	jdk25-snapshots
	jdk25-killed
	jdk17-empty jdk25-empty
	concat-jdk17-jdk25 concat-jdk25-jdk25
)

usage() {
	cat <<'EOF'
usage: make.sh                    make every recording in testdata/
       make.sh NAME...            make some, such as jdk17-kinds
       make.sh -l                 list the names
       make.sh big OUT.jfr [GiB]  make a large recording (default: 2 GiB)
       make.sh bigstacks OUT.jfr [GiB]
                                  one in which stack traces take the most room

Needs JDK 17 and JDK 25: JAVA17_HOME, else the java on PATH; JAVA25_HOME, else
a folder *25* beside JDK 17's.
EOF
}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
dest=$(dirname "$here")

find_jdks() {
	local j
	if [ -z "${JAVA17_HOME:-}" ]; then
		j=$(command -v java) || { echo "make.sh: no java on PATH and no JAVA17_HOME" >&2; exit 1; }
		JAVA17_HOME=$(dirname "$(dirname "$(readlink -f "$j")")")
	fi
	if [ -z "${JAVA25_HOME:-}" ]; then
		for j in "$(dirname "$JAVA17_HOME")"/*25*; do
			if [ -x "$j/bin/javac" ]; then JAVA25_HOME=$j; fi
		done
	fi
	for j in "17 $JAVA17_HOME" "25 ${JAVA25_HOME:-}"; do
		if ! "${j#* }/bin/javac" -version 2>&1 | grep -q "^javac ${j%% *}"; then
			echo "make.sh: no JDK ${j%% *}: set JAVA${j%% *}_HOME" >&2
			exit 1
		fi
	done
}

# Compiles into the working folder, once for each JDK.
compile() {
	"$JAVA17_HOME/bin/javac" --release 17 -encoding UTF-8 -d classes17 "$here"/*.java
	"$JAVA25_HOME/bin/javac" --release 25 -encoding UTF-8 -d classes25 "$here"/*.java "$here"/jdk25/*.java
}

# java_run JDK ARGS...: runs a program in the working folder, with a repository
# of its own there. All paths are relative, since a recording keeps the command
# line. ${recorder} takes further options of the recorder.
recorder=
java_run() {
	local jdk=$1 home=JAVA${1}_HOME
	shift
	rm -rf repository
	mkdir repository
	"${!home}/bin/java" -cp "classes$jdk" -Dgen.repository=repository -Duser.language=en -Xmx128m \
		-XX:-UsePerfData -Xlog:disable -Xlog:all=error:stderr \
		-XX:FlightRecorderOptions:repository=repository${recorder:+,$recorder} "$@"
}

# A recording that is there from the JVM's start and is flushed each second.
flushed=-XX:StartFlightRecording:settings=none,flush-interval=1s

# Small buffers fill soon, and full ones are written between flushes.
small_buffers=numglobalbuffers=16,globalbuffersize=64k,threadbuffersize=4k

# make_one TARGET: leaves TARGET*.jfr in the working folder.
make_one() {
	local target=$1 jdk=${1%%-*} name=${1#*-} recorder=
	jdk=${jdk#jdk}
	case $target in
	jdk25-kinds) java_run 25 -XX:+UseSerialGC gen.Kinds25 "$target.jfr" ;;
	jdk17-kinds) java_run 17 -XX:+UseSerialGC gen.Kinds "$target.jfr" ;;
	jdk25-ticks)
		# A header that tells another clock than the JVM had: ticks of one
		# nanosecond, usual in virtual machines, would hide rounding.
		java_run 25 -XX:+UseSerialGC gen.Kinds25 "$target.jfr"
		printf '\x00\x00\x00\x00\x8f\x0d\x15\x73' | # 2 399 999 347 Hz
			dd of="$target.jfr" bs=1 seek=56 conv=notrunc status=none
		;;
	*-strings) java_run "$jdk" -XX:+UseSerialGC gen.Strings "$target.jfr" ;;
	*-profile)
		recorder=stackdepth=512
		java_run "$jdk" -Xmx64m -XX:+UseG1GC gen.Profile "$target.jfr"
		;;
	*-oldobjects)
		recorder=old-object-queue-size=64
		# Samples are taken when a thread needs a new buffer to allocate from.
		java_run "$jdk" -XX:+UseSerialGC -XX:TLABSize=8k -XX:-ResizeTLAB gen.OldObjects "$target.jfr"
		;;
	*-virtual) java_run "$jdk" -XX:+UseZGC gen.Virtual "$target.jfr" ;;
	*-cputime) java_run "$jdk" -XX:+UseParallelGC gen.CpuTime "$target.jfr" ;;
	*-chunks) java_run "$jdk" -XX:+UseSerialGC gen.Chunks "$target.jfr" ;;
	*-empty) java_run "$jdk" -XX:+UseSerialGC gen.Empty "$target.jfr" ;;
	*-flushed) java_run "$jdk" -XX:+UseSerialGC "$flushed" gen.Growing finished "$target" ;;
	*-snapshots) java_run "$jdk" -XX:+UseSerialGC "$flushed" gen.Growing snapshots "jdk$jdk-live" ;;
	*-live)
		recorder=$small_buffers
		java_run "$jdk" -XX:+UseSerialGC "$flushed" gen.Growing live "$target"
		;;
	*-killed)
		recorder=$small_buffers
		# In a shell of its own, whose word about the kill is not wanted.
		(java_run "$jdk" -XX:+UseSerialGC "$flushed" gen.Growing killed "$target") 2>/dev/null || [ $? = 137 ]
		find repository -name '*.jfr' -exec mv {} "$target.jfr" \;
		;;
	concat-jdk17-jdk25)
		java_run 17 -XX:+UseSerialGC gen.Round part1.jfr 1
		java_run 25 -XX:+UseSerialGC gen.Round part2.jfr 2
		cat part1.jfr part2.jfr >"$target.jfr"
		;;
	concat-jdk25-jdk25)
		java_run 25 -XX:+UseSerialGC gen.Round part1.jfr 1
		java_run 25 -XX:+UseSerialGC gen.Round part2.jfr 2 extra
		cat part1.jfr part2.jfr >"$target.jfr"
		;;
	*)
		echo "make.sh: no such recording: $target (make.sh -l lists them)" >&2
		exit 1
		;;
	esac
}

case ${1:-} in
-h | --help) usage; exit ;;
-l) printf '%s\n' "${targets[@]}"; exit ;;
-*) usage >&2; exit 2 ;;
esac

find_jdks

case ${1:-} in
big | bigstacks)
	out=${2:?make.sh $1: no OUT.jfr}
	gib=${3:-2}
	mkdir -p "$(dirname "$out")"
	out=$(cd "$(dirname "$out")" && pwd)/$(basename "$out")
	# Beside OUT, which has room for it, rather than in /tmp.
	work=$(mktemp -d "$(dirname "$out")/make-big.XXXXXX")
	;;
*)
	out=
	work=$(mktemp -d)
	;;
esac
trap 'rm -rf "$work"' EXIT
cd "$work"
compile

case ${1:-} in
big)
	recorder=maxchunksize=256M
	java_run 25 -Xmx512m -XX:+UseParallelGC gen.Big big.jfr "$gib"
	;;
bigstacks)
	recorder=maxchunksize=64M,stackdepth=128
	java_run 25 -Xmx512m -XX:+UseG1GC gen.BigStacks big.jfr "$gib"
	;;
esac
if [ -n "$out" ]; then
	mv big.jfr "$out"
	exit
fi

if [ $# = 0 ]; then set -- "${targets[@]}"; fi
for target; do
	make_one "$target"
	for f in *.jfr; do
		case $f in part*) rm "$f" ;; *) mv "$f" "$dest/"; echo "$f" ;; esac
	done
done
