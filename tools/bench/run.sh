#!/usr/bin/env bash
# Prints one table, "make bench": milliseconds an image on one pinned core at every level of AUGMIX_CPU that this machine has,
# of a peer doing the same, and how many times as long the peer takes. All columns of a row alternate in one run; medians of
# processor time.
# A peer whose Debian packages are not installed is left out, with a line that says which they are.
#
# IMAGES=folder    images for torchvision (default: generated ones)
# JPEGS=folder     *.jpg files for the rows of files (left out without it)
# ROWS=...         which of "augmix pixmix methods jpeg c cbar" (default: all); the peer of all methods is AugMix
# RUNS=5           repetitions        SECONDS_EACH=3  CPU seconds of one repetition, of one corruption a tenth
# CORE=1           the core to pin to
set -euo pipefail
cd "$(dirname "$0")/../.."
runs=${RUNS:-5} each=${SECONDS_EACH:-3} core=${CORE:-1} rows=${ROWS:-augmix pixmix methods jpeg c cbar}
specs=(augmix-m3-w3-d-1 pixmix-k4-b3 ipmix-k3-t3 prime-w3-d3 afa-p1-s10 apr-p1-m3 trivialaugment)
tenth=$(awk -v s="$each" 'BEGIN {print s / 10}')
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
pin() { taskset -c "$core" "$@"; }
has() { [[ " $rows " == *" $1 "* ]]; }

go build -o "$tmp/augmix" ./cmd/augmix
for p in mix corrupt corrupt/cbar internal/jpeg; do go test -c -o "$tmp/$(basename $p).test" "./$p"; done
levels=
for l in avx512 avx2 plain; do
  if AUGMIX_CPU=$l "$tmp/augmix" version >/dev/null 2>&1; then levels="$levels $l"; fi
done
python() { # module, packages: Debian's Python, or nothing
  if /usr/bin/python3 -c "import $1" 2>/dev/null; then echo /usr/bin/python3; else echo "no peer: apt-get install $2" >&2; fi
}
torch=$(python torchvision python3-torchvision)
opencv=$(python cv2,PIL "python3-opencv python3-pil")

: >"$tmp/results" # row, column, milliseconds
# ours ROW BINARY BENCHMARK SECONDS, at every level: the metric images/s, or ms/image of every corruption, the sum as ROW
ours() {
  local l
  for l in $levels; do
    AUGMIX_CPU=$l pin "$tmp/$2" -test.run '^$' -test.cpu 1 -test.benchtime "$4s" -test.bench "$3" | awk -v row="$1" -v l="$l" '
      {for (i = 2; i <= NF; i++) {
        if ($i == "images/s" && !/ms.image/) print row "\t" l "\t" 1000/$(i-1)
        if ($i == "ms/image") {split($1, n, "/"); print (n[2] == "sum" ? row : n[2]) "\t" l "\t" $(i-1)}}}' >>"$tmp/results"
  done
}
# peer ROW PYTHON ARGUMENTS: images a second
peer() {
  if [ -n "$2" ]; then echo "$1	peer	$(pin "${@:2}" | awk '{print 1000/$1}')" >>"$tmp/results"; fi
}

for _ in $(seq "$runs"); do
  for size in 32 224; do
    if has augmix; then
      peer "AugMix $size" "$torch" tools/bench/torchvision_peer.py "$size" "$each" "${IMAGES:--}"
      ours "AugMix $size" mix.test "AugMix/augmix-m3-w3-d-1\$/u8/$size\$" "$each"
    fi
    if has pixmix; then
      peer "PixMix $size" "$torch" tools/bench/pixmix_peer.py "$size" "$each"
      ours "PixMix $size" mix.test "PixMix/pixmix-k4-b3\$/u8/$size\$" "$each"
    fi
    if has methods; then
      took= # of the one peer of all
      if [ -n "$torch" ]; then took=$(pin "$torch" tools/bench/torchvision_peer.py "$size" "$each" "${IMAGES:--}"); fi
      for spec in "${specs[@]}"; do
        ours "$spec $size" mix.test "Mix/$spec\$/u8/$size\$" "$each"
        if [ -n "$took" ]; then awk -v row="$spec $size" '{print row "\tpeer\t" 1000/$1}' <<<"$took" >>"$tmp/results"; fi
      done
    fi
  done
  if has jpeg && [ -n "${JPEGS:-}" ]; then
    AUGMIX_BENCH_JPEG=$(realpath "$JPEGS")
    export AUGMIX_BENCH_JPEG
    peer "JPEG file, crop 224, AugMix" "$torch" tools/bench/torchvision_peer.py "JPEG file -> random crop 224 -> AugMix" "$each" "$JPEGS"
    ours "JPEG file, crop 224, AugMix" mix.test JPEGFolder "$each"
    peer "JPEG file to pixels" "$torch" tools/bench/torchvision_peer.py decode "$each" "$JPEGS"
    ours "JPEG file to pixels" jpeg.test DecodeFolder "$each"
  fi
  for set in c cbar; do
    if has $set; then
      binary=corrupt.test all="all 19 of ImageNet-C"
      if [ $set = cbar ]; then binary=cbar.test all="all ten of ImageNet-C-bar"; fi
      if [ -n "$opencv" ]; then
        pin "$opencv" tools/bench/corrupt_peer.py $set "$tenth" |
          awk -v all="$all" '{ms = $NF; sub(/ [^ ]*$/, ""); print ($0 == "sum" ? all : $0) "\tpeer\t" ms}' >>"$tmp/results"
      fi
      ours "$all" $binary 'Apply/.*/224$' "$tenth"
    fi
  done
done

echo "CPU features: $("$tmp/augmix" version | sed -n 's/.*features:* *//Ip' | head -1)"
echo "milliseconds of one core an image, medians of $runs alternating runs; in brackets how many times as long the peer takes"
awk -F '\t' -v columns="$levels peer" '
  {if (!($1 in seen)) {seen[$1] = 1; order[++rows] = $1}; v[$1, $2, ++n[$1, $2]] = $3}
  function median(r, c,   m, i, j, t, a) {
    m = n[r, c]
    if (!m) return 0
    for (i = 1; i <= m; i++) {a[i] = v[r, c, i]; for (j = i; j > 1 && a[j-1] + 0 > a[j] + 0; j--) {t = a[j]; a[j] = a[j-1]; a[j-1] = t}}
    return m % 2 ? a[(m+1)/2] : (a[m/2] + a[m/2+1]) / 2
  }
  function cell(ms, peer) {
    if (!ms) return "-"
    return sprintf(ms < 0.1 ? "%.4f" : "%.3f", ms) (peer ? sprintf(" (%.3g)", peer/ms) : "")
  }
  function line(name, key,   i, out) {
    out = "| " name " |"
    for (i = 1; i <= k; i++) out = out " " cell(value[key, col[i]], col[i] == "peer" ? 0 : value[key, "peer"]) " |"
    print out
  }
  END {
    k = split(columns, col, " ")
    out = "| row |"; bar = "|---|"
    for (i = 1; i <= k; i++) {out = out " " col[i] " |"; bar = bar "---|"}
    print out "\n" bar
    for (r = 1; r <= rows; r++) {
      name = order[r]
      for (i = 1; i <= k; i++) value[name, col[i]] = median(name, col[i])
      line(name, name)
    }
  }' "$tmp/results"
