#!/usr/bin/env bash
# Times the feed against PyTorch's DataLoader with torchvision's AugMix, both with two workers on the same two cores,
# alternating, and prints medians and ratios; then the reader's overhead, an epoch of training with each, and memory. With
# AVX-512 everything of augmix is measured once more with AUGMIX_CPU=avx2.
#
# JPEGS=folder     folder of *.jpg in class folders or flat (left out without it)
# RUNS=3           repetitions        SECONDS_EACH=10  of one repetition
# CORES=0,1        the cores to pin to
# EPOCH=1280       images of the training epoch    EPOCHS=100  of the measurement of memory
# AUGMIX=program   the program (default: built here)
set -euo pipefail
cd "$(dirname "$0")/../.."
runs=${RUNS:-3} each=${SECONDS_EACH:-10} cores=${CORES:-0,1} epoch=${EPOCH:-1280} epochs=${EPOCHS:-100}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
peer=/usr/bin/python3
if ! $peer -c 'import torchvision' 2>/dev/null; then
  echo "torchvision is not installed (Debian: apt-get install python3-torchvision): nothing to compare with"
  exit 0
fi
if [ -n "${AUGMIX:-}" ]; then cp "$AUGMIX" "$tmp/augmix"; else go build -o "$tmp/augmix" ./cmd/augmix; fi
export AUGMIX_BIN="$tmp/augmix" OMP_NUM_THREADS=1
bench() { taskset -c "$cores" $peer tools/bench/feed_peer.py "$@"; }
median() { sort -g | awk '{v[NR]=$1} END {print (NR%2 ? v[(NR+1)/2] : (v[NR/2]+v[NR/2+1])/2)}'; }

"$AUGMIX_BIN" version
echo "cores $cores of $(getconf _NPROCESSORS_ONLN), load $(cut -d' ' -f1-3 /proc/loadavg), $($peer -c 'import torch, torchvision; print("PyTorch", torch.__version__, "torchvision", torchvision.__version__)')"
$peer - "$tmp" <<'PY'
import sys
import numpy as np
rng = np.random.default_rng(1)  # smooth images with some noise, as photographs have
low = rng.integers(0, 256, (5000, 4, 4, 3)).repeat(8, 1).repeat(8, 2)
np.save(sys.argv[1] + "/train.npy", np.clip(low + rng.normal(0, 12, low.shape), 0, 255).astype(np.uint8))
np.save(sys.argv[1] + "/train_labels.npy", np.arange(5000) % 10)
PY

levels=best
if "$AUGMIX_BIN" version | grep -q 'pixels avx512'; then levels="best avx2"; fi
row() { # kind, data
  for level in $levels; do
    : >"$tmp/torch"; : >"$tmp/feed"; : >"$tmp/pipe"
    for _ in $(seq "$runs"); do
      bench torch "$1" "$each" "$2" >>"$tmp/torch"
      AUGMIX_CPU=${level#best} bench feed "$1" "$each" "$2" >>"$tmp/feed"
      AUGMIX_CPU=${level#best} bench pipe "$1" "$each" "$2" >>"$tmp/pipe"
    done
    awk -v k="$1" -v l="$level" -v t="$(median <"$tmp/torch")" -v f="$(median <"$tmp/feed")" -v p="$(median <"$tmp/pipe")" \
      'BEGIN {printf "%-6s AUGMIX_CPU=%-5s DataLoader %9.1f   ring %9.1f (%.1f times)   pipe %9.1f (%.1f times)\n", k, l, t, f, f/t, p, p/t}'
  done
}
echo "samples a second into the loop, float32, two workers each, median of $runs: cifar three views at 32x32, jpeg one view at 224x224"
row cifar "$tmp/train.npy"
if [ -n "${JPEGS:-}" ]; then row jpeg "$JPEGS"; else echo "jpeg: JPEGS is not set"; fi

echo "the reader"
bench overhead "$each" "$tmp/train.npy"

echo "processor time of an image of 224x224, float32, mixed by AugMix: made alone, and made, handed over and read; median of $runs"
go test -c -o "$tmp/cost.test" ./cmd/augmix
for _ in $(seq "$runs"); do
  taskset -c "$cores" "$tmp/cost.test" -test.run - -test.bench 'BenchmarkFeed$' -test.benchtime 60x >>"$tmp/cost"
done
cost() { # made, ring or pipe: the sum of both processes
  awk -v w="BenchmarkFeed/$1" 'index($1, w) == 1 {t = 0; for (i = 2; i < NF; i++) if ($(i+1) ~ /cpu-µs/) t += $i; print t}' "$tmp/cost" | median
}
made=$(cost made)
for how in ring pipe; do
  awk -v h="$how" -v m="$made" -v c="$(cost "$how")" 'BEGIN {printf "%-6s %7.1f µs, made alone %7.1f: %+.1f %%\n", h, c, m, 100*(c/m-1)}'
done

echo "training WRN-40-2, three views, batches of 64, PyTorch on the same two cores"
for side in torch feed; do printf '%-6s' "$side"; OMP_NUM_THREADS=2 bench "$side" epoch "$epoch" "$tmp/train.npy"; done

echo "resident memory of the loop and its workers over $epochs epochs of 2,000 samples"
for side in torch feed; do
  [ "$side" = torch ] && n=3 || n=$epochs # the DataLoader takes minutes for an epoch's worth of the feed's seconds
  echo "$side"; bench "$side" memory "$n" "$tmp/train.npy" | sed 's/^/  /'
done
