package results

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	_ "github.com/augmix-go/augmix/internal/fixedseed"
	"pgregory.net/rapid"
)

func TestNames(t *testing.T) {
	for name, want := range map[string]string{
		"cifar10-c": "CIFAR-10-C", "imagenet": "ImageNet", "tiny-imagenet-p": "Tiny-ImageNet-P", "mine-c-bar": "mine-C\u0304", "own": "own",
	} {
		if got := DisplayName(name); got != want {
			t.Errorf("%s is shown as %s, want %s", name, got, want)
		}
	}
	if ByClasses(100) != "cifar100" || ByClasses(7) != "" {
		t.Errorf("%q, %q", ByClasses(100), ByClasses(7))
	}
	for _, c := range []struct {
		dataset string
		classes int
		want    string
	}{
		{"imagenet-c-64", 200, "200 classes under the name imagenet-c-64, which has 1000: published numbers are of those"},
		{"cifar10", 4, "4 classes under the name cifar10, which has 10: published numbers are of those"},
		{"cifar100-p", 100, ""},
		{"imagenet", 1001, ""},
		{"imagenet-r", 200, ""},
		{"own-c", 3, ""},
		{"tiny-imagenet", 200, ""},
	} {
		if got := OtherClasses(c.dataset, c.classes); got != c.want {
			t.Errorf("%d classes as %s: %q, want %q", c.classes, c.dataset, got, c.want)
		}
	}
	dir := filepath.Join(t.TempDir(), "augmix.v2")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"a/resnet20.npz": "resnet20", "runs/wrn/best.safetensors": "wrn", "runs/wrn/last.onnx": "wrn", "runs/model.npy": "model",
		dir: "augmix.v2", "a/b.c.csv": "b.c",
	} {
		if got := ModelName(path); got != want {
			t.Errorf("%s is called %s, want %s", path, got, want)
		}
	}
}

func TestEncode(t *testing.T) {
	if got := (View{Attack: AttackPGD, Limit: 1000}).Encode(); got != "attack=pgd&limit=1000" {
		t.Error(got)
	}
	if got := (View{Limit: 1281167}).Encode(); got != "limit=1281167" {
		t.Errorf("%q", got)
	}
	if (View{}).Encode() != "" {
		t.Errorf("%q", View{}.Encode())
	}
	rapid.Check(t, func(t *rapid.T) {
		r := sample()
		drawView(t, &r)
		if back, err := DecodeView(r.Encode()); err != nil || back != r.View {
			t.Fatalf("%+v, %v", back, err)
		}
	})
	for _, word := range []string{"limit=x", "limit=1&limit=2", "color=red", "ten_crop=1", "part=%ff", "%zz", "limit=1 1"} {
		if v, err := DecodeView(word); !errors.Is(err, ErrFormat) {
			t.Errorf("%q: %+v, %v", word, v, err)
		}
	}
}
