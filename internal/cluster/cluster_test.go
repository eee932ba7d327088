package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func job(tasks int) Job {
	return Job{
		Name: "augmix-corrupt", Args: []string{"corrupt", "it's $HOME", "-o", "s3://b/out"}, Out: "s3://b/out", Tasks: tasks, CPUs: 2,
		Memory: 1024, Hours: 3, Image: "image", Workers: true,
	}
}

func write(t *testing.T, scheduler string, j Job) string {
	t.Helper()
	text, err := Write(scheduler, j)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(text, "<no value>") || strings.Contains(text, "\t") {
		t.Errorf("%s:\n%s", scheduler, text)
	}
	return text
}

// TestSlurm runs the script as SLURM would, with programs that stand for augmix and scontrol.
func TestSlurm(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash here")
	}
	dir := t.TempDir()
	script := filepath.Join(dir, "job.sh")
	if err := os.WriteFile(script, []byte(write(t, "slurm", job(8))), 0o666); err != nil {
		t.Fatal(err)
	}
	stand := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!"+bash+"\n"+text), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	stand("augmix", `printf '%s|' "$@"; exit $STATUS`)
	stand("scontrol", `echo "$@"`)
	stand("sleep", `exit 99`) // SLURM would end the script here
	const args = "corrupt|it's $HOME|-o|s3://b/out|--shard|auto/8|--workers|2|"
	for _, c := range []struct {
		status  string
		env     string
		exit    int
		printed string
	}{
		{"0", "", 0, args},
		{"1", "", 99, args + "requeue 17\n"},
		{"130", "SLURM_RESTART_COUNT=2", 99, args + "requeue 17\n"},
		{"1", "SLURM_RESTART_COUNT=3", 1, args},
		{"2", "", 2, args},
		{"3", "", 0, args},
		{"0", "AUGMIX_JOIN=1", 0, "verify|s3://b/out|"},
		{"1", "AUGMIX_JOIN=1", 1, "verify|s3://b/out|"},
	} {
		cmd := exec.Command(bash, script)
		cmd.Env = []string{"PATH=" + dir + ":" + os.Getenv("PATH"), "STATUS=" + c.status, "SLURM_JOB_ID=17", c.env}
		out, err := cmd.Output()
		if exit := cmd.ProcessState.ExitCode(); exit != c.exit || string(out) != c.printed {
			t.Errorf("status %s, %s: exit %d, %q, %v; want %d, %q", c.status, c.env, exit, out, err, c.exit, c.printed)
		}
	}
}

// TestAWSBatch runs the script with a program that stands for aws and checks what it is given.
func TestAWSBatch(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash here")
	}
	dir := t.TempDir()
	script := filepath.Join(dir, "job.sh")
	aws := "#!" + bash + `
case $2 in
register-job-definition) f="${@: -1}"; cp "${f#file://}" ` + dir + `/definition; echo arn ;;
*) echo "$@" >>` + dir + `/jobs; echo id ;;
esac`
	for name, text := range map[string]string{"job.sh": write(t, "awsbatch", job(8)), "aws": aws} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(bash, script)
	cmd.Env = []string{"PATH=" + dir + ":" + os.Getenv("PATH"), "QUEUE=q"}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var definition struct {
		ContainerProperties struct{ Command []string }
		RetryStrategy       struct {
			Attempts       int
			EvaluateOnExit []map[string]string
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "definition"))
	if err == nil {
		err = json.Unmarshal(text, &definition)
	}
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if got := fmt.Sprintf("%q", definition.ContainerProperties.Command); got != `["corrupt" "it's $HOME" "-o" "s3://b/out" "--shard" "auto/8"]` {
		t.Error(got)
	}
	if r := definition.RetryStrategy; r.Attempts != 4 || len(r.EvaluateOnExit) != 4 {
		t.Errorf("%+v", r)
	}
	jobs, err := os.ReadFile(filepath.Join(dir, "jobs"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"--job-definition arn --array-properties size=8\n", `--depends-on jobId=id --container-overrides {"command":["verify","s3://b/out"]}`} {
		if !strings.Contains(string(jobs), want) {
			t.Errorf("%s lacks %s", jobs, want)
		}
	}
}

func TestKubernetes(t *testing.T) {
	j := job(64)
	text := write(t, "k8s", j)
	for _, want := range []string{
		"completions: 64\n", `args: ["corrupt","it's $HOME","-o","s3://b/out","--shard","auto/64"]`, "values: [2, 3]", "name: augmix-corrupt-join\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	if strings.Contains(text, "persistentVolumeClaim") {
		t.Error("a common disk for a command that needs none")
	}
	j.Shared = true
	if text := write(t, "k8s", j); strings.Count(text, "persistentVolumeClaim") != 2 {
		t.Error("no common disk")
	}
	if text := write(t, "k8s", job(1)); strings.Contains(text, "join") || strings.Contains(text, "--shard") {
		t.Errorf("one task:\n%s", text)
	}
}

func TestErrors(t *testing.T) {
	for _, change := range []func(*Job){
		func(j *Job) { j.Name = "a\n#SBATCH --x" }, func(j *Job) { j.Name = "" }, func(j *Job) { j.Tasks = 0 }, func(j *Job) { j.Tasks = 10001 },
		func(j *Job) { j.CPUs = 0 }, func(j *Job) { j.Memory = 1 }, func(j *Job) { j.Hours = 0 },
	} {
		j := job(2)
		change(&j)
		if _, err := Write("slurm", j); !errors.Is(err, ErrJob) || !strings.Contains(err.Error(), "allowed") {
			t.Errorf("%+v: %v", j, err)
		}
	}
	if _, err := Write("ray", job(2)); !errors.Is(err, ErrJob) {
		t.Error(err)
	}
}
