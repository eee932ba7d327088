#!/usr/bin/env bash
# Counts instructions of internal/kernel on arm64, in plain Go and with NEON, for each pixel of a 32x32 image, or each number of
# as many. An emulator runs them one by one and logs each; what other packages do, such as copying, is not counted.
#
#   bash tools/bench/instructions.sh
set -euo pipefail
cd "$(dirname "$0")/../../internal/kernel"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
GOARCH=arm64 go test -c -o "$dir/test" .
# The addresses of the package's functions.
range=$(go tool nm -n "$dir/test" | awk '$3 ~ /augmix\/internal\/kernel\./ && $2 ~ /[Tt]/ {if (!a) a = $1; b = $1} END {print "0x" a "..0x" b}')
AUGMIX_INSTRUCTIONS=1 qemu-aarch64-static -singlestep -d exec,nochain -dfilter "$range" "$dir/test" -test.run '^TestInstructions$' \
  2>&1 >"$dir/names" | awk '/kernel\.mark$/ {if (!in_mark) {if (++marks % 2 == 0) print n; n = 0}; in_mark = 1; next} {in_mark = 0; n++}' >"$dir/counts"
grep '^loop ' "$dir/names" | paste -d ' ' "$dir/counts" - | awk '
  {name = $4; for (i = 5; i <= NF; i++) name = name " " $i}
  $3 == "plain" {plain = $1; next}
  plain < 1024 {printf "| %s | elsewhere | %.1f | |\n", name, $1 / 1024; next}
  {printf "| %s | %.1f | %.1f | %.1f |\n", name, plain / 1024, $1 / 1024, plain / $1}'
