#!/usr/bin/env bash
# Makes what a release packs beside the programs, in .release: manual pages, completions, the certificates of the container
# image, the studio's WebAssembly module, and the tool that lists the modules of a program. GoReleaser runs it first.
set -euo pipefail
cd "$(dirname "$0")/../.."
rm -rf .release
mkdir -p .release/completions
env -u GOOS -u GOARCH CGO_ENABLED=0 GOFLAGS=-buildvcs=true go build -trimpath -o .release/ ./cmd/augmix ./tools/sbom
.release/augmix man -q -o .release/man
gzip -9n .release/man/*.1
for shell in bash zsh fish; do
  .release/augmix completion "$shell" > ".release/completions/augmix.$shell"
done
cp /etc/ssl/certs/ca-certificates.crt .release/
env GOOS=js GOARCH=wasm CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags='-s -w' -o .release/studio.wasm ./studio/wasm
gzip -9n .release/studio.wasm
cp "$(go env GOROOT)/lib/wasm/wasm_exec.js" .release/
