#!/usr/bin/env bash
# Times AugMix against torchvision's, and PixMix against the same in Pillow and PyTorch (pixmix_peer.py), on one pinned
# core, alternating, and prints medians and ratios; then the benchmarks of every operation. "make bench". A peer that is
# not installed is left out, with a line that says so.
#
# IMAGES=folder    images for the peer (default: generated ones)
# JPEGS=folder     *.jpg files for the last two rows (left out without it)
# RUNS=5           repetitions        SECONDS_EACH=3  CPU seconds of one repetition
# CORE=1           the core to pin to
set -euo pipefail
cd "$(dirname "$0")/../.."
runs=${RUNS:-5} each=${SECONDS_EACH:-3} core=${CORE:-1}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
pin() { taskset -c "$core" "$@"; }
median() { sort -g | awk '{v[NR]=$1} END {print (NR%2 ? v[(NR+1)/2] : (v[NR/2]+v[NR/2+1])/2)}'; }

go build -o "$tmp/augmix" ./cmd/augmix
go test -c -o "$tmp/mix.test" ./mix
images=${IMAGES:--}

peer=/usr/bin/python3
if ! $peer -c 'import torchvision' 2>/dev/null; then
  echo "torchvision is not installed (Debian: apt-get install python3-torchvision): no peer figures"
  peer=
fi

echo "AugMix, severity 3, width 3, depth 1-3, nine operations; images a second on one core, median of $runs"
for size in 32 224; do
  : >"$tmp/ours"; : >"$tmp/floats"; : >"$tmp/theirs"
  for _ in $(seq "$runs"); do
    if [ -n "$peer" ]; then pin $peer tools/bench/torchvision_peer.py "$size" "$each" "$images" >>"$tmp/theirs"; fi
    pin "$tmp/mix.test" -test.run '^$' -test.cpu 1 -test.benchtime "${each}s" \
      -test.bench "AugMix/augmix-m3-w3-d-1\$/(u8|f32)/$size\$" |
      awk -v o="$tmp/ours" -v f="$tmp/floats" '/images\/s/ {for (i=2;i<=NF;i++) if ($i=="images/s") print $(i-1) >> ($1 ~ /f32/ ? f : o)}'
  done
  ours=$(median <"$tmp/ours") floats=$(median <"$tmp/floats")
  printf '%4d  8-bit %9.0f   float32 planes %9.0f' "$size" "$ours" "$floats"
  if [ -n "$peer" ]; then
    theirs=$(median <"$tmp/theirs")
    awk -v a="$ours" -v f="$floats" -v b="$theirs" 'BEGIN {printf "   torchvision %7.0f   ratio %.1f (float32 %.1f)", b, a/b, f/b}'
  fi
  echo
done

echo "PixMix, k 4, beta 3, severity 3, nine operations, mixing set in memory; images a second on one core, median of $runs"
for size in 32 224; do
  : >"$tmp/ours"; : >"$tmp/floats"; : >"$tmp/theirs"
  for _ in $(seq "$runs"); do
    if [ -n "$peer" ]; then pin $peer tools/bench/pixmix_peer.py "$size" "$each" >>"$tmp/theirs"; fi
    pin "$tmp/mix.test" -test.run '^$' -test.cpu 1 -test.benchtime "${each}s" \
      -test.bench "PixMix/pixmix-k4-b3\$/(u8|f32)/$size\$" |
      awk -v o="$tmp/ours" -v f="$tmp/floats" '/images\/s/ {for (i=2;i<=NF;i++) if ($i=="images/s") print $(i-1) >> ($1 ~ /f32/ ? f : o)}'
  done
  ours=$(median <"$tmp/ours") floats=$(median <"$tmp/floats")
  printf '%4d  8-bit %9.0f   float32 planes %9.0f' "$size" "$ours" "$floats"
  if [ -n "$peer" ]; then
    awk -v a="$ours" -v f="$floats" -v b="$(median <"$tmp/theirs")" \
      'BEGIN {printf "   Pillow and PyTorch %7.0f   ratio %.1f (float32 %.1f)", b, a/b, f/b}'
  fi
  echo
done

if [ -n "${JPEGS:-}" ]; then
  go test -c -o "$tmp/jpeg.test" ./internal/jpeg
  row() { # name, peer's mode, binary, benchmark
    : >"$tmp/ours"; : >"$tmp/theirs"
    for _ in $(seq "$runs"); do
      if [ -n "$peer" ]; then pin $peer tools/bench/torchvision_peer.py "$2" "$each" "$JPEGS" >>"$tmp/theirs"; fi
      AUGMIX_BENCH_JPEG=$(realpath "$JPEGS") pin "$tmp/$3" -test.run '^$' -test.cpu 1 -test.benchtime "${each}s" -test.bench "$4" |
        awk '/images\/s/ {for (i=2;i<=NF;i++) if ($i=="images/s") print $(i-1)}' >>"$tmp/ours"
    done
    printf '%s %9.0f' "$1" "$(median <"$tmp/ours")"
    if [ -n "$peer" ]; then
      awk -v a="$(median <"$tmp/ours")" -v b="$(median <"$tmp/theirs")" 'BEGIN {printf "   peer %7.0f   ratio %.2f", b, a/b}'
    fi
    echo
  }
  row "JPEG file -> random crop 224 -> AugMix" jpeg mix.test JPEGFolder
  row "JPEG file -> pixels (peer: Pillow)" decode jpeg.test DecodeFolder
fi

echo
echo "single operations, $("$tmp/augmix" version | grep -i cpu || true)"
pin go test -run '^$' -cpu 1 -bench 'Ops' ./augment | grep -E '^Benchmark'
pin go test -run '^$' -cpu 1 -bench . ./internal/kernel | grep -E '^Benchmark'
