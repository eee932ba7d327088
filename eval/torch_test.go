package eval_test

import (
	"bytes"
	"errors"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/augmix-go/augmix/eval"
	"github.com/augmix-go/augmix/internal/npy"
	"github.com/augmix-go/augmix/mix"
)

// torchProgram saves a ResNet-18 of torchvision with random weights in three ways, an input and its logits in float64.
const torchProgram = `
import sys, numpy as np, torch, torchvision
torch.manual_seed(0)
d = sys.argv[1]
m = torchvision.models.resnet18(weights=None).eval()
for k, v in m.state_dict().items():
    if "running_mean" in k: v.normal_(0, .1)
    if "running_var" in k: v.uniform_(.5, 2)
x = torch.rand(1, 3, 96, 96)
torch.save(m.state_dict(), d + "/plain.pth")
torch.save(m.state_dict(), d + "/legacy.pt", _use_new_zipfile_serialization=False)
torch.save({"epoch": 3, "state_dict": torch.nn.DataParallel(m).state_dict(), "best_acc1": torch.tensor(71.2),
    "optimizer": torch.optim.Adam(m.parameters()).state_dict()}, d + "/checkpoint.pth.tar")
with torch.no_grad(): y = m.double()(x.double())
np.save(d + "/x.npy", x.numpy()); np.save(d + "/y.npy", y.numpy())
`

// TestTorchWeights: a network that torch.save wrote has torch's logits.
func TestTorchWeights(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs PyTorch")
	}
	dir := t.TempDir()
	var out []byte
	var err error
	for _, python := range []string{"python3", "/usr/bin/python3"} {
		cmd := exec.Command(python, "-c", torchProgram, dir)
		cmd.Env = append(os.Environ(), "OMP_NUM_THREADS=1") // several would wait for each other in a loop
		if out, err = cmd.CombinedOutput(); err == nil {
			break
		}
	}
	if err != nil {
		if bytes.Contains(out, []byte("No module")) || errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
			t.Skip("python3 has no torchvision")
		}
		t.Fatalf("%v: %s", err, out)
	}
	x, err := npy.ReadFile(filepath.Join(dir, "x.npy"))
	if err != nil {
		t.Fatal(err)
	}
	want, err := npy.ReadFile(filepath.Join(dir, "y.npy"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"plain.pth", "legacy.pt", "checkpoint.pth.tar"} {
		n, err := eval.LoadNetwork(filepath.Join(dir, name), eval.LoadOptions{
			Model: "resnet18", H: 96, W: 96, Norm: &mix.Unit,
		})
		if err != nil {
			t.Fatal(err)
		}
		got := make([]float32, n.Classes())
		if err := n.Predict(got, x.Data.([]float32), 1); err != nil {
			t.Fatal(err)
		}
		worst, largest := 0.0, 0.0
		for i, v := range want.Data.([]float64) {
			worst, largest = max(worst, math.Abs(float64(got[i])-v)), max(largest, math.Abs(v))
		}
		t.Logf("%s: largest difference %.2g of logits up to %.3g: %.2g relative", name, worst, largest, worst/largest)
		if worst > 1e-5*largest {
			t.Errorf("%s: logits differ by %v of %v", name, worst, largest)
		}
	}
}
