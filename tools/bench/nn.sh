#!/usr/bin/env bash
# Times training steps and inference of package nn against PyTorch's on the same batch, alternating in one run, and prints
# medians and ratios: images a second by the clock, by CPU time, and the peak of memory. PyTorch runs in both of its
# layouts, NCHW and channels_last; the ratio is to the better one. Use the clock's ratio on an idle machine, the CPU's on a
# busy one.
#
# RUNS=3     repetitions            STEPS=3        steps of one repetition, after one to warm up
# THREADS=1  workers, or "1 2"      CORES=0        cores to pin to (one thread: the first of them)
# ROWS=...   "MODEL/BATCH ..."      MODES="Train Infer"
set -euo pipefail
cd "$(dirname "$0")/../.."
runs=${RUNS:-3} steps=${STEPS:-3} cores=${CORES:-0,1} modes=${MODES:-Train Infer}
rows=${ROWS:-resnet20/128 wrn-40-2/128 wrn-40-2/32 densenet-bc-100-12/32 resnext29-4x32/32 allconv/32 resnet50/8}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
median() { sort -g | awk '{v[NR]=$1} END {print (NR%2 ? v[(NR+1)/2] : (v[NR/2]+v[NR/2+1])/2)}'; }
go test -c -o "$tmp/nn.test" ./nn

peer=/usr/bin/python3
if ! $peer -c 'import torch' 2>/dev/null; then
  echo "torch is not installed (Debian: apt-get install python3-torch python3-torchvision): no peer figures"
  peer=
fi
# OpenBLAS, with which PyTorch convolves small batches on one thread, treats processors that are newer than itself as one of
# 2004. That would flatter us five times.
if [ -n "$peer" ] && [ -z "${OPENBLAS_CORETYPE:-}" ] && OPENBLAS_VERBOSE=2 $peer -c 'import torch' 2>&1 | grep -q 'Core: Prescott'; then
  if grep -qw avx512f /proc/cpuinfo; then export OPENBLAS_CORETYPE=SkylakeX; elif grep -qw avx2 /proc/cpuinfo; then export OPENBLAS_CORETYPE=Haswell; fi
  echo "OpenBLAS does not know this processor: OPENBLAS_CORETYPE=${OPENBLAS_CORETYPE:-}"
fi

# ours MODE ROW THREADS FILE: appends "wall cpu peak" in images a second and MiB.
ours() {
  AUGMIX_WORKERS=$3 GOMAXPROCS=$3 taskset -c "$pin" "$tmp/nn.test" -test.run '^$' -test.benchtime "${steps}x" \
    -test.bench "^Benchmark$1\$${2:+/${2/\//\$/}\$}" |
    awk '/images\/s/ {for (i=2;i<=NF;i++) {if ($i=="images/s") w=$(i-1); if ($i=="images/cpu-s") c=$(i-1); if ($i=="peak-MiB") p=$(i-1)} print w, c, p}' >>"$4"
}

theirs() { # mode row threads layout file
  taskset -c "$pin" $peer tools/bench/nn_peer.py "${2%/*}" "$(tr '[:upper:]' '[:lower:]' <<<"$1")" "${2#*/}" "$3" "$steps" "$4" |
    awk -v b="${2#*/}" '{print b/$1, b/$2, $3}' >>"$5"
}

column() { cut -d' ' -f"$1" "$2" | median; }

printf '%-5s %-24s %s  %s\n' mode model/batch threads 'ours images/s (CPU) MiB | torch nchw | torch channels_last | ratio to the better (CPU) memory'
for threads in ${THREADS:-1}; do
  pin=${cores%%,*}
  if [ "$threads" -gt 1 ]; then pin=$cores; fi
  for mode in $modes; do
    for row in $rows; do
      rm -f "$tmp"/{a,b,c}
      for _ in $(seq "$runs"); do
        ours "$mode" "$row" "$threads" "$tmp/a"
        if [ -n "$peer" ]; then
          theirs "$mode" "$row" "$threads" nchw "$tmp/b"
          theirs "$mode" "$row" "$threads" nhwc "$tmp/c"
        fi
      done
      printf '%-5s %-24s %d  %7.1f (%.1f) %.0f' "$mode" "$row" "$threads" "$(column 1 "$tmp/a")" "$(column 2 "$tmp/a")" "$(column 3 "$tmp/a")"
      if [ -n "$peer" ]; then
        for f in b c; do printf ' | %.1f (%.1f) %.0f' "$(column 1 "$tmp/$f")" "$(column 2 "$tmp/$f")" "$(column 3 "$tmp/$f")"; done
        awk -v a="$(column 1 "$tmp/a")" -v b="$(column 1 "$tmp/b")" -v c="$(column 1 "$tmp/c")" \
          -v ac="$(column 2 "$tmp/a")" -v bc="$(column 2 "$tmp/b")" -v cc="$(column 2 "$tmp/c")" \
          -v am="$(column 3 "$tmp/a")" -v bm="$(column 3 "$tmp/b")" -v cm="$(column 3 "$tmp/c")" \
          'BEGIN {printf " | %.2f (%.2f) %.2f", a/(b>c?b:c), ac/(bc>cc?bc:cc), am/(bm<cm?bm:cm)}'
      fi
      echo
    done
  done
done

echo
: >"$tmp/plain"
: >"$tmp/jsd"
pin=${cores%%,*}
for _ in $(seq "$runs"); do
  ours Train wrn-40-2/32 1 "$tmp/plain"
  ours JSD '' 1 "$tmp/jsd"
done
awk -v a="$(column 2 "$tmp/plain")" -v b="$(column 2 "$tmp/jsd")" \
  'BEGIN {printf "JSD step of 3 views against a plain step, wrn-40-2, batch 32: %.2f times the CPU time\n", a/b}'
uptime
