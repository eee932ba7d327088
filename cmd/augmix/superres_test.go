package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/nn/onnx"
)

// TestSuperres: images of one's own become a network, the network distorts images and becomes an ONNX file for any size.
func TestSuperres(t *testing.T) {
	dir := t.TempDir()
	file, network := filepath.Join(dir, "edsr.safetensors"), filepath.Join(dir, "edsr.onnx")
	args := strings.Fields("superres scenes:n=30,size=40 --held 0.34 --blocks 1 --width 16 --patch 8 --batch 2 --steps 3 --json -o " + file)
	o := augmix(t, exitDone, args...)
	var r superresResult
	if err := json.Unmarshal([]byte(o.out), &r); err != nil || r.Images+r.Held != 30 || r.Held < 1 || r.Measured != r.Held || r.PSNR == nil || r.Bicubic == nil {
		t.Fatal(err, o.out)
	}
	augmix(t, exitDone, append(args, "--resume")...)
	if o := augmix(t, exitFailed, args...); !strings.Contains(o.err, "resume") {
		t.Error(o.err)
	}
	if o := augmix(t, exitUsage, append(args, "--scale", "7")...); !strings.Contains(o.err, "2 to 4") {
		t.Error(o.err)
	}
	for _, wrong := range [][2]string{{"--out=" + filepath.Join(dir, "x.npz"), ".safetensors"}, {"--cache-mb=-1", "0 to"}} {
		if o := augmix(t, exitUsage, append(args, wrong[0])...); !strings.Contains(o.err, wrong[1]) {
			t.Error(o.err)
		}
	}
	augmix(t, exitDone, "augment", "scenes:n=2,size=17", "-o", filepath.Join(dir, "distorted"), "--mix", "deepaugment-p1", "--network", file)
	augmix(t, exitDone, "export", file, "-o", network)
	m, err := onnx.ReadFile(network)
	if err != nil || len(m.Outputs) != 1 || m.Outputs[0].Name != onnx.OutputImage || m.Metadata["augmix.white"] != "255" {
		t.Errorf("%+v, %v", m, err)
	}
}

// TestSuperresSays: how many images were measured, and in one number or several.
func TestSuperresSays(t *testing.T) {
	v := 30.0
	for want, r := range map[string]superresResult{
		"x: trained on 2 images": {Images: 2},
		"x: trained on 2 images, 30.00 dB on 3 others, bicubic interpolation 30.00 dB":                         {Images: 2, Held: 3, Measured: 3, PSNR: &v, Bicubic: &v},
		"x: trained on 1 image, 30.00 dB on 1 other, bicubic interpolation 30.00 dB; 2 images held out, such ": {Images: 1, Held: 3, Measured: 1, PSNR: &v, Bicubic: &v},
		"x: trained on 1 image; 1 image held out, such ":                                                       {Images: 1, Held: 1},
	} {
		if r.Out = "x"; !strings.HasPrefix(r.text(), want) {
			t.Errorf("%s, want %s", r.text(), want)
		}
	}
}
