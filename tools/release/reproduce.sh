#!/usr/bin/env bash
# Builds the current commit twice, in different folders and with empty build caches, and compares the programs.
# GOOS and GOARCH choose for what; a released program's sum is compared when it is given: reproduce.sh [SHA256].
set -euo pipefail
cd "$(dirname "$0")/../.."
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
sums=()
for folder in one another/that-is-deeper; do
  git clone -q . "$tmp/$folder"
  (
    cd "$tmp/$folder"
    GOCACHE="$tmp/cache" GOFLAGS=-buildvcs=true CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' -o "$tmp/augmix" ./cmd/augmix
  )
  sums+=("$(sha256sum <"$tmp/augmix" | cut -d' ' -f1)")
  echo "${sums[-1]}  $(stat -c %s "$tmp/augmix") bytes"
  rm -rf "$tmp/cache" "$tmp/augmix"
done
[ "${sums[0]}" = "${sums[1]}" ] || { echo "two builds of one commit differ"; exit 1; }
[ "${sums[0]}" = "${1:-${sums[0]}}" ] || { echo "this is not the program with the sum $1"; exit 1; }
