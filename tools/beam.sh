#!/usr/bin/env bash
# Runs "augmix corrupt" as a pipeline of Apache Beam on prism, kills its workers again and again, and compares the joined output
# with that of one run.
#
#   bash tools/beam.sh [--parts N] [--kills N] [--server] [IN [FLAGS OF CORRUPT...]]
#
# --server runs prism as a server in a process of its own. Of every ten kills one is of the pipeline's process, which is then
# started again; the others are of augmix, doing a part. Without IN a small data set is made.
set -euo pipefail
cd "$(dirname "$0")/.."

parts=8 kills=100 server=
while [[ ${1:-} == --* ]]; do
  case $1 in
  --parts) parts=$2; shift ;;
  --kills) kills=$2; shift ;;
  --server) server=1 ;;
  *) echo "unknown flag $1" >&2; exit 2 ;;
  esac
  shift
done

dir=$(mktemp -d)
pids=()
# shellcheck disable=SC2317
stop() {
  kill "${pipeline:-}" 2>/dev/null || true
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
  rm -rf "$dir"
}
trap stop EXIT

export CGO_ENABLED=0
go build -o "$dir/augmix" ./cmd/augmix
go build -C beam -o "$dir/augmix-beam" .
runner=()
if [ -n "$server" ]; then
  go build -C beam -o "$dir/prism" github.com/apache/beam/sdks/v2/go/cmd/prism
  port=$((20000 + RANDOM % 20000))
  "$dir/prism" --job_port $port --serve_http=false >"$dir/prism.log" 2>&1 &
  pids+=($!)
  runner=(--endpoint "localhost:$port" --environment_type LOOPBACK)
fi

if [ $# -gt 0 ]; then
  in=$1
  shift
  flags=("$@")
else
  in=$dir/in.npy
  "$dir/augmix" data convert "scenes:n=400,size=32" -o "$in" -q
  flags=(--subset "fog,pixelate,frost,spatter" --output-format wds --per-shard 7)
fi
begun=$SECONDS
"$dir/augmix" corrupt "$in" -o "$dir/whole" "${flags[@]}" -q
echo "one run: $((SECONDS - begun)) s"

begin() {
  "$dir/augmix-beam" "${runner[@]}" --parts "$parts" --tries 1000 corrupt "$in" -o "$dir/out" "${flags[@]}" --checkpoint 20ms &
  pipeline=$!
}
begun=$SECONDS
begin
killed=0 owners=0
while [ $killed -lt "$kills" ]; do
  if ! kill -0 $pipeline 2>/dev/null; then
    wait $pipeline # it is done, and its output is removed to have it done again
    diff -r "$dir/whole" "$dir/out"
    rm -rf "$dir/out"
    begin
  fi
  sleep "0.$((RANDOM % 5 + 1))"
  if [ $((killed % 10)) = 9 ]; then
    kill -KILL $pipeline 2>/dev/null || continue
    wait $pipeline || true
    owners=$((owners + 1)) killed=$((killed + 1))
    begin
    continue
  fi
  victim=$(pgrep -P $pipeline | shuf -n 1) || true
  if [ -n "$victim" ] && kill -KILL "$victim" 2>/dev/null; then killed=$((killed + 1)); fi
done
wait $pipeline
diff -r "$dir/whole" "$dir/out"
echo "$parts parts: $((SECONDS - begun)) s, $killed processes killed, $owners of them the pipeline's; the output is that of one run: $(find "$dir/whole" -type f | wc -l) files"
