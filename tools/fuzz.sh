#!/usr/bin/env bash
# Runs every fuzz target of the module for the given time (default 30s). Stops at the first finding.
set -euo pipefail
cd "$(dirname "$0")/.."
time=${1:-30s}
for file in $(git ls-files '*_test.go' | xargs grep -l '^func Fuzz'); do
  for target in $(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' "$file"); do
    echo "$(dirname "$file") $target"
    go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" "./$(dirname "$file")" | tail -1
  done
done
