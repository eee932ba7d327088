#!/usr/bin/env bash
# Prints what CHANGELOG.md says about a version: notes.sh v0.1.0. Fails if it says nothing.
set -euo pipefail
cd "$(dirname "$0")/../.."
notes=$(awk -v tag="$1" '
  /^## / {inside = $2 == tag || $2 == substr(tag, 2) || $2 == "[" substr(tag, 2) "]"; next}
  inside' CHANGELOG.md)
[ -n "${notes//[[:space:]]/}" ] || { echo "CHANGELOG.md says nothing about $1" >&2; exit 1; }
printf '%s\n' "$notes"
