#!/usr/bin/env bash
# Runs the module's fuzz targets, several at a time, to the end, and reports every finding.
#
#   tools/fuzz.sh [options] [TIME]
#     --time TIME    for each target (30s)
#     --run REGEXP   only targets whose "package Target" matches
#     --jobs N       targets at a time (half of the processors)
#     --parallel N   processes of a target (1)
#     --out DIR      logs and new findings (a temporary folder)
#     --list         print the targets and stop
#     --build DIR    only build: DIR gets an instrumented test binary for each package and this script as fuzz-all.sh,
#                    which runs there without Go and without the sources
#
# It exits 1 if a target failed. In the sources a finding stays as testdata/fuzz/Target/..., where go test runs it as a seed.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
time=30s run=. out='' list='' build='' parallel=1
jobs=$(($(getconf _NPROCESSORS_ONLN) / 2))
[ "$jobs" -gt 0 ] || jobs=1

fail() { echo "fuzz: $*" >&2; exit 2; }

# targets_of ROOT prints "package Target" for every target in the sources.
targets_of() {
  local file
  (cd "$1" && git grep -l '^func Fuzz' -- '*_test.go') | while read -r file; do
    sed -n "s|^func \(Fuzz[A-Za-z0-9_]*\)(.*|$(dirname "$file") \1|p" "$1/$file"
  done
}

# build_to DIR builds the packages named on standard input. -fuzz instruments for coverage whatever its value is.
build_to() {
  local package
  while read -r package; do
    mkdir -p "$1/$package"
    (cd "$root" && CGO_ENABLED=0 go test -c -fuzz=. -trimpath -ldflags='-s -w' -o "$1/$package/fuzz.test" "./$package" </dev/null)
  done
}

# one PACKAGE TARGET runs one target and appends its line to the summary.
one() {
  local name log status said new
  name=${1//\//.}.$2
  log=$OUT/log/$name.txt
  mkdir -p "$OUT/log" "$CACHE/$1" "$SOURCES/$1"
  cd "$SOURCES/$1"
  touch "$OUT/log/$name.start"
  # 10x: Go's minimizer otherwise takes a minute for each input that finds something new.
  status=0
  TIMEFORMAT='%U %S'
  { time timeout -k 10 $(($(seconds "$TIME") + 120)) "$BINARIES/$1/fuzz.test" -test.run '^$' -test.fuzz "^$2\$" -test.fuzztime "$TIME" \
    -test.fuzzminimizetime 10x -test.fuzzcachedir "$CACHE/$1" -test.parallel "$PARALLEL" >"$log" 2>&1 || status=$?; } 2>"$OUT/log/$name.cpu"
  new=$(find "testdata/fuzz/$2" -type f -newer "$OUT/log/$name.start" 2>/dev/null || true)
  # At the end of its time Go can report the deadline itself as a failure: no input, no finding.
  if [ "$status" = 1 ] && [ -z "$new" ] && grep -q 'context deadline exceeded' "$log" && ! grep -Eq 'panic|hung|Failing input' "$log"; then
    status=0
  fi
  if grep -q 'not built with coverage' "$log"; then
    status=1
  fi
  said=ok
  if [ "$status" != 0 ]; then
    said="FAILED($status)"
    mkdir -p "$OUT/findings/$1"
    cp "$log" "$OUT/findings/$1/$2.txt"
    # shellcheck disable=SC2086
    [ -z "$new" ] || cp --parents $new "$OUT/findings/$1/"
  fi
  rm -f "$OUT/log/$name.start"
  printf '%-12s %-28s %-18s %s, %s s of processor time\n' "$said" "$1" "$2" "$(grep -o 'execs: [0-9]*' "$log" | tail -1)" \
    "$(awk '{ printf "%.0f", $1 + $2 }' "$OUT/log/$name.cpu")" | tee -a "$OUT/summary.txt"
}

# seconds TIME of a duration such as 90s, 10m, 1h.
seconds() {
  case $1 in
    *h) echo $((${1%h} * 3600)) ;;
    *m) echo $((${1%m} * 60)) ;;
    *s) echo "${1%s}" ;;
    *) return 1 ;;
  esac
}

if [ "${1:-}" = --one ]; then
  one "$2" "$3"
  exit
fi
while [ $# -gt 0 ]; do
  case $1 in
    --list) list=1 && shift ;;
    --time | --run | --jobs | --parallel | --out | --build)
      [ $# -ge 2 ] || fail "$1 needs a value"
      declare "${1#--}=$2" && shift 2
      ;;
    -h | --help) sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0" && exit ;;
    -*) fail "unknown option $1" ;;
    *) time=$1 && shift ;;
  esac
done
seconds "$time" >/dev/null || fail "--time $time: want whole seconds, minutes or hours, such as 90s or 10m"

if [ -f "$here/targets.txt" ]; then
  root=$here binaries=$here
  all=$(cat "$here/targets.txt")
else
  root=$(cd "$here/.." && pwd) binaries=''
  all=$(targets_of "$root")
fi
chosen=$(grep -E -- "$run" <<<"$all") || fail "--run $run: no such target"
if [ -n "$list" ]; then
  echo "$chosen"
  exit
fi

if [ -n "$build" ]; then
  [ -z "$binaries" ] || fail "--build needs the sources"
  mkdir -p "$build"
  build=$(cd "$build" && pwd)
  cut -d' ' -f1 <<<"$chosen" | sort -u | build_to "$build"
  # Tests read files beside their package.
  (cd "$root" && for d in testdata $(cut -d' ' -f1 <<<"$chosen" | sort -u | sed 's|$|/testdata|'); do [ ! -d "$d" ] || cp -r --parents "$d" "$build"; done)
  echo "$chosen" >"$build/targets.txt"
  cp "$0" "$build/fuzz-all.sh"
  echo "$(wc -l <<<"$chosen") targets in $build"
  exit
fi

[ -n "$out" ] || out=$(mktemp -d)
mkdir -p "$out"
out=$(cd "$out" && pwd)
if [ -z "$binaries" ]; then
  binaries=$out/bin
  echo "building into $binaries"
  cut -d' ' -f1 <<<"$chosen" | sort -u | build_to "$binaries"
  cache=$(go env GOCACHE)/fuzz/$(cd "$root" && go list -m)
else
  cache=$out/cache
fi
: >"$out/summary.txt"
export OUT=$out CACHE=$cache SOURCES=$root BINARIES=$binaries TIME=$time PARALLEL=$parallel
xargs -P "$jobs" -L 1 bash "$here/$(basename "$0")" --one <<<"$chosen"
failed=$(grep -c '^FAILED' "$out/summary.txt" || true)
echo "$(wc -l <"$out/summary.txt") targets, $failed failed; $(grep -o 'execs: [0-9]*' "$out/summary.txt" | awk '{n += $2} END {printf "%d", n}') executions; logs in $out"
if [ "$failed" != 0 ]; then
  find "$out/findings" -type f
  exit 1
fi
