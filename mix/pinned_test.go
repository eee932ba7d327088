package mix

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"testing"

	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// The bytes that a seed gives are part of the project's interface: they must not depend on assembly, architecture or Go
// release. A change here is a break that the changelog has to announce.
var pinned = map[string]string{
	"augmix-m3-w3-d-1":              "0b7037da40f90e49163f615454f5985b",
	"augmix-m10-w4-d3-all":          "a0e566129c94d544a8ec6e74f2080f11",
	"augmix-m1-w3-d-1-a0.5-f80c0ff": "b5556584897f675bfdb756f51ea01353",

	"pixmix-k4-b3":                                   "e8a6b66572f8294f69f4a63305c2c933",
	"pixmix-k8-b0.5-m10-all-f80c0ff":                 "1acf316fa2b7de1b7abfefc91b8329bc",
	"pixmix-k4-b3-input":                             "b2bd39ff865c8cd2b37411de1b279e17",
	"pixmix-k4-b3-aug":                               "56ac4b7fae5c2d41ac28b66262244bae",
	"ipmix-k3-t3":                                    "5aaa2b834444e1866f0864e8526e8fbc",
	"ipmix-k5-t8-b0.5-m10-all-f80c0ff":               "a099637d298bf67decb1132aae08d2d2",
	"standard-p4":                                    "c28b2075cd23b7a65ff3053828f8268c",
	"cutout-r0.5":                                    "bab65e65317c612b54724c6a5f0a125e",
	"cutout-s9-f102030":                              "c42b7e25469b568bbd19937f8a116ca3",
	"randomerasing-p1-l0.02-h0.4-r0.3":               "78e87b5b7846cec8a9306e68ef1fdab3",
	"randomerasing-p1-l0.02-h0.4-r0.3-mean":          "c27b5f0105448f954a217e0ca7d593cf",
	"patchgaussian-w25-s1":                           "dd6dd1ba1db5133b12a83c575516619a",
	"patchuniform-w25-s1-upto":                       "63d785cefe1b28166a610875461c889e",
	"autoaugment-cifar10":                            "ce8c79b9a229cfbf3f2706a1aa6cf510",
	"autoaugment-cifar10full":                        "4392884192d18db8ce492df511bf96d3",
	"autoaugment-imagenet":                           "37ccc5970068f119d1868c149e3bece6",
	"autoaugment-svhn-star":                          "28c06ade70fa59c58cef5a40f61f65ee",
	"autoaugment-svhn-torchvision":                   "4ec6c53b7c4c1b47aee7c627e08158ac",
	"randomautoaugment-m3-d-1":                       "615e7e2c73333f4b213550ac8b93a5c8",
	"randaugment-n2-m9":                              "f4bed9101f827dcde7b47b692d4343fe",
	"trivialaugment-wide":                            "c194fcbabd09c490b58db3e918539ace",
	"trivialaugment-standard":                        "007f1be8c1c17362224a80449a441a39",
	"gaussian-p0.5":                                  "393285e75d0fff8e1a29c5fadf72626e",
	"speckle-p1":                                     "b202f120b37a3a68c1e450294c749273",
	"afa-p1-s10":                                     "caa67cafc73765990a81d79186569b07",
	"prime-w3-d3":                                    "8f3f1d7015c29b49580f82aa1cf9a83e",
	"prime-w2-d5-s0.5-t0.001":                        "46b6fa36e7781ef7ebaea1fb8e30d2e4",
	"apr-p0.5-m3":                                    "381ed489cf28dc9c7815c0aeefb9d08d",
	"apr-p1-m10-all-f80c0ff":                         "46062ce124d49a70c52cc53196625b99",
	"mixup-a1":                                       "f45b47410e565e3b60311de234066819",
	"mixup-a0.2-each":                                "4bf18d7e9fcfdc01d277cacc573c6998",
	"cutmix-a1-p1":                                   "9569f246d8b387d7be795e6e208b8419",
	"cutmix-a1-p0.5":                                 "d49715f6e4257cd66e349a77aaf15890",
	"pixmix-k4-b3+cutmix-a1-p1":                      "72fea247875fc678e42f6fe10bcf2651",
	"augmix-m3-w3-d-1+mixup-a1":                      "6914f0c99a5bf0e47b03d4b691706ccd",
	"standard-p4+pixmix-k4-b3+gaussian-p1+cutout-s8": "c5c85d44018649ec3bdfd179457552c9",
}

func TestPinnedBytes(t *testing.T) {
	set := imageList(benchImages(9, 110))
	for spec, want := range pinned {
		m, err := ParseMethod(spec, Options{MixingSet: set})
		if err != nil {
			t.Fatal(err)
		}
		h := sha256.New()
		var s Scratch
		for _, side := range []int{7, 32, 101} {
			images := benchImages(20, side)
			for i, src := range images {
				dst, planes := new(raster.Image), make([]float32, 3*side*side)
				r := rng.NewKey(3).Str(spec).Uint(uint64(i)).Rand()
				if m.NeedsPartner() {
					in := Sample{Image: src, Label: i, Key: rng.NewKey(4).Uint(uint64(i)), Partner: partnerFrom(images)}
					target, err := m.Apply(dst, &in, nil, &s)
					if err != nil {
						t.Fatal(err)
					}
					for _, sh := range target {
						hashFloats(h, []float32{float32(sh.Class), sh.Weight})
					}
					if _, err := m.ApplyPlanes(planes, &in, &ImageNet, nil, &s); err != nil {
						t.Fatal(err)
					}
				} else {
					a := m.single()
					a.Apply(dst, src, &r, &s)
					a.ApplyPlanes(planes, src, &ImageNet, &r, &s)
				}
				h.Write(dst.Pix)
				hashFloats(h, planes)
			}
		}
		if got := hex.EncodeToString(h.Sum(nil))[:32]; got != want {
			t.Errorf("%s gives %s, pinned is %s", spec, got, want)
		}
	}
}

func hashFloats(h hash.Hash, v []float32) {
	if err := binary.Write(h, binary.LittleEndian, v); err != nil {
		panic(err)
	}
}

// What a training step gives: batches of images with soft targets, in several views.
func TestPinnedTrain(t *testing.T) {
	h := sha256.New()
	for _, spec := range chained {
		in, size := trainStep(9, 21, 4)
		in.Views, in.Clean = 2, 1
		dst, targets := make([]float32, 2*9*size), make([]float32, 9*4)
		var b Batch
		b.Train(mustMethod(t, spec), dst, targets, in)
		hashFloats(h, dst)
		hashFloats(h, targets)
	}
	const want = "054f4d7755145c8e2f8af83161112aa4"
	if got := hex.EncodeToString(h.Sum(nil))[:32]; got != want {
		t.Errorf("training steps give %s, pinned is %s", got, want)
	}
}
