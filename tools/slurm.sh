#!/usr/bin/env bash
# Runs "augmix corrupt" as an array of a real SLURM on this machine, kills its tasks again and again, and compares the joined
# output with that of one run; where the array ends before all kills are done, the same again. It installs SLURM where apt-get
# has it, starts a cluster of one node in a folder of its own, and stops what it started.
#
#   bash tools/slurm.sh [--tasks N] [--kills N] [--s3] [IN [FLAGS OF CORRUPT...]]
#
# With --s3 everything reads from and the array writes to an object store, versitygw over a folder of this machine.
# Without IN a small data set is made, and corrupted to a WebDataset whose tar files do not end where the parts do.
set -euo pipefail
cd "$(dirname "$0")/.."

tasks=8 kills=30 s3=
while [[ ${1:-} == --* ]]; do
  case $1 in
  --tasks) tasks=$2; shift ;;
  --kills) kills=$2; shift ;;
  --s3) s3=1 ;;
  *) echo "unknown flag $1" >&2; exit 2 ;;
  esac
  shift
done

export PATH=$PATH:/usr/sbin
if ! command -v slurmctld >/dev/null || ! command -v munged >/dev/null; then
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "no SLURM here and no apt-get to install it: not run"
    exit 0
  fi
  (apt-get update && apt-get install -y --no-install-recommends slurm-wlm munge) >/dev/null
fi

dir=$(mktemp -d)
pids=()
# shellcheck disable=SC2317
stop() {
  status=$?
  scancel --user="$(id -un)" 2>/dev/null || true
  sleep 2
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
  for pid in "${pids[@]}"; do wait "$pid" 2>/dev/null || true; done
  if [ $status != 0 ]; then tail -n 15 "$dir"/*.log 2>/dev/null || true; fi
  rm -rf "$dir"
}
trap stop EXIT

go build -o "$dir/augmix" ./cmd/augmix
export PATH=$dir:$PATH

# A cluster.
port=$((20000 + RANDOM % 20000))
host=$(hostname -s)
mkdir "$dir/state" "$dir/spool"
chmod 711 "$dir"
cat >"$dir/slurm.conf" <<END
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthInfo=socket=$dir/munge.socket,cred_expire=5
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
ReturnToService=2
KillWait=5
SchedulerParameters=sched_interval=2,batch_sched_delay=1
SlurmdParameters=config_overrides
NodeName=$host NodeAddr=127.0.0.1 CPUs=$tasks RealMemory=100000 State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
END
export SLURM_CONF=$dir/slurm.conf
(umask 077 && head -c 1024 /dev/urandom >"$dir/munge.key")
munged --foreground --force --socket="$dir/munge.socket" --key-file="$dir/munge.key" --pid-file="$dir/munge.pid" \
  --log-file="$dir/munged.log" --seed-file="$dir/munge.seed" >/dev/null 2>&1 &
pids+=($!)
sleep 1
slurmctld -D -i -f "$SLURM_CONF" >"$dir/slurmctld.log" 2>&1 &
pids+=($!)
slurmd -D -f "$SLURM_CONF" -N "$host" >"$dir/slurmd.log" 2>&1 &
pids+=($!)
for _ in $(seq 60); do
  [ "$(sinfo --noheader --format=%T 2>/dev/null)" = idle ] && break
  sleep 1
done
[ "$(sinfo --noheader --format=%T)" = idle ] || { sinfo; echo "the node does not come up"; exit 1; }

# One run, and the same as an array.
if [ $# -gt 0 ]; then
  in=$1
  shift
  flags=("$@")
else
  in=$dir/in.npy
  augmix data convert "scenes:n=240,size=32" -o "$in" -q
  flags=(--subset "fog,pixelate,frost,spatter" --output-format wds --per-shard 7)
fi
if [ -n "$s3" ]; then
  export PATH=$PATH:$HOME/go/bin
  command -v versitygw >/dev/null || go install github.com/versity/versitygw/cmd/versitygw@v1.8.0
  mkdir -p "$dir/store/data" "$dir/store/out"
  cp -r "$in" "$dir/store/data/"
  in=s3://data/$(basename "$in")
  export AWS_ENDPOINT_URL=http://127.0.0.1:$((port + 2)) AWS_REGION=us-east-1 AWS_ACCESS_KEY_ID=augmix AWS_SECRET_ACCESS_KEY=augmix-secret
  versitygw --quiet --access augmix --secret augmix-secret --port "127.0.0.1:$((port + 2))" posix "$dir/store" >"$dir/gateway.log" 2>&1 &
  pids+=($!)
  sleep 2
fi
begun=$SECONDS
augmix corrupt "$in" -o "$dir/whole" "${flags[@]}" -q
echo "one run: $((SECONDS - begun)) s"
cd "$dir"

# Half of the kills are requeues, which SLURM does when a node fails; the others cancel a task, which is submitted again.
total=0 round=0
while [ $total -lt "$kills" ] || [ $round = 0 ]; do
  round=$((round + 1))
  out=$dir/out made=$dir/out
  [ -z "$s3" ] || out=s3://out/$round made=$dir/store/out/$round
  export AUGMIX_STAGE=$dir/stage
  augmix cluster slurm --tasks "$tasks" --cpus 1 --memory 1000 --hours 2 corrupt "$in" -o "$out" "${flags[@]}" --checkpoint 200ms >job.sh
  sbatch --test-only job.sh
  begun=$SECONDS
  jobs=$(sbatch --parsable job.sh)
  killed=0
  while [ -n "$(squeue --noheader)" ]; do
    if [ $((total + killed)) -lt "$kills" ]; then
      victim=$(squeue --noheader --array --states=RUNNING --format="%i %K" | shuf -n 1)
      if [ -n "$victim" ]; then
        if [ $((killed % 2)) = 0 ]; then
          scontrol requeue "${victim% *}" 2>/dev/null && killed=$((killed + 1))
        else
          scancel --signal=KILL --full "${victim% *}" && scancel "${victim% *}" && killed=$((killed + 1))
          jobs=$jobs,$(sbatch --parsable --array="${victim#* }" job.sh)
        fi
      fi
    fi
    sleep 0.3
  done
  total=$((total + killed))
  echo "array of $tasks: $((SECONDS - begun)) s, $killed tasks killed, jobs $jobs"

  # The joining step.
  join=$(sbatch --parsable --array=0 --export=ALL,AUGMIX_JOIN=1 job.sh)
  while [ -n "$(squeue --noheader)" ]; do sleep 0.5; done
  tail -n 2 augmix-corrupt-"${join}"_0.log
  diff -r "$dir/whole" "$made"
  rm -r "$made"
done
echo "$total tasks killed in $round rounds; the joined output is that of one run: $(find "$dir/whole" -type f | wc -l) files"
