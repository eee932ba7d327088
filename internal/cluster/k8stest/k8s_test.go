// Package k8stest decodes the job files of package cluster as Kubernetes does, strictly: a field that batch/v1 does not have, or
// one of another type, is an error. It is a module of its own for its dependencies.
package k8stest

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/augmix-go/augmix/internal/cluster"
)

func decode(t *testing.T, text string) []batchv1.Job {
	t.Helper()
	var jobs []batchv1.Job
	for _, doc := range regexp.MustCompile(`(?m)^---$`).Split(text, -1) {
		var j batchv1.Job
		if err := yaml.UnmarshalStrict([]byte(doc), &j); err != nil {
			t.Fatalf("%v in\n%s", err, doc)
		}
		if j.APIVersion != "batch/v1" || j.Kind != "Job" {
			t.Errorf("%s %s", j.APIVersion, j.Kind)
		}
		jobs = append(jobs, j)
	}
	return jobs
}

func TestJobs(t *testing.T) {
	for _, tasks := range []int{1, 64} {
		for _, shared := range []bool{false, true} {
			text, err := cluster.Write("k8s", cluster.Job{
				Name: "augmix-corrupt", Args: []string{"corrupt", `it's "$HOME": #x`, "-o", "s3://b/out"}, Out: "s3://b/out", Tasks: tasks, CPUs: 2,
				Memory: 1024, Hours: 3, Image: "image", Shared: shared, Workers: true,
			})
			if err != nil {
				t.Fatal(err)
			}
			jobs := decode(t, text)
			j := jobs[0].Spec
			if *j.CompletionMode != batchv1.IndexedCompletion || int(*j.Completions) != tasks || *j.BackoffLimitPerIndex != cluster.Retries {
				t.Errorf("%+v", j)
			}
			if rule := j.PodFailurePolicy.Rules[0]; rule.Action != batchv1.PodFailurePolicyActionFailIndex || fmt.Sprint(rule.OnExitCodes.Values) != "[2 3]" {
				t.Errorf("%+v", rule)
			}
			pod := j.Template.Spec
			if pod.RestartPolicy != corev1.RestartPolicyNever || pod.Containers[0].Args[1] != `it's "$HOME": #x` {
				t.Errorf("%+v", pod)
			}
			if cpu := pod.Containers[0].Resources.Limits.Cpu(); cpu.Value() != 2 {
				t.Errorf("%v cores", cpu)
			}
			if want := map[bool]int{false: 1, true: 2}[shared]; len(pod.Volumes) != want {
				t.Errorf("%d volumes", len(pod.Volumes))
			}
			if len(jobs) != min(tasks, 2) {
				t.Errorf("%d jobs of %d tasks", len(jobs), tasks)
			}
		}
	}
	if err := yaml.UnmarshalStrict([]byte("spec: {complitions: 3}"), new(batchv1.Job)); err == nil || !strings.Contains(err.Error(), "unknown field") {
		t.Errorf("the decoder is not strict: %v", err)
	}
}
