package studio

import (
	"bytes"
	"context"
	"encoding/json"
	"net/url"
	"strconv"
	"testing"

	"github.com/augmix-go/augmix/raster"
)

// The parts of a drawing fit together: the last step is the result, whichever way it was made.
func TestDrawingEndsInResult(t *testing.T) {
	_, do := serve(t, Options{Data: small})
	get := func(path, query string) []byte {
		t.Helper()
		w := do("GET", path+"?"+query, nil, nil)
		if w.Code != 200 {
			t.Fatalf("%s?%s: %d %s", path, query, w.Code, w.Body)
		}
		return w.Body.Bytes()
	}
	for _, spec := range []string{
		"augmix-m5-w2-d3", "augmix-w1-d1-all+gaussian", "pixmix-k4-b3-m8-all", "pixmix-k8-b1-input", "randaugment-n3-m9", "trivialaugment",
		"autoaugment-cifar10", "augmix+mixup", "randaugment+cutmix", "cutout+augmix", "none", "standard+pixmix",
	} {
		for epoch := range 6 {
			base := "image=d5&seed=3&epoch=" + strconv.Itoa(epoch) + "&spec=" + url.QueryEscape(spec)
			result := get("image/mix", base)
			var d drawnMix
			if err := json.Unmarshal(get("api/mix", base), &d); err != nil {
				t.Fatal(err)
			}
			last := "stage." + strconv.Itoa(len(d.Stages)-1)
			if !bytes.Equal(get("image/mix", base+"&part="+last), result) {
				t.Errorf("%s, epoch %d: the last stage is not the result", spec, epoch)
			}
			first := get("image/mix", base+"&part=stage.0")
			part := ""
			switch {
			case d.Chains != nil:
				part = "result"
				if len(d.Stages) > 1 {
					continue // the result of the first stage has no name of its own but stage.0
				}
			case d.PixMix:
				part = "round." + strconv.Itoa(len(d.Rounds))
			case len(d.Steps) > 0:
				part = "step." + strconv.Itoa(len(d.Steps)-1)
			default:
				continue
			}
			if !bytes.Equal(get("image/mix", base+"&part="+part), first) {
				t.Errorf("%s, epoch %d: %s is not the first stage's result", spec, epoch, part)
			}
			for i := range d.Rounds {
				get("image/mix", base+"&part=other."+strconv.Itoa(i))
			}
			for i, c := range d.Chains {
				for k := range c.Steps {
					get("image/mix", base+"&part=chain."+strconv.Itoa(i)+"."+strconv.Itoa(k))
				}
			}
		}
	}
}

// What is drawn open as AugMix is what it makes: opening the draw and replaying it gives the bytes of the result, and a pinned chain is
// the one of the other draw.
func TestPins(t *testing.T) {
	s, _ := serve(t, Options{Data: small})
	image := func(query string) (*raster.Image, *opened) {
		t.Helper()
		values, _ := url.ParseQuery("image=d2&spec=augmix-m8-w3-d-1&" + query)
		q, err := parseRequest(values)
		if err != nil {
			t.Fatal(err)
		}
		clean, err := s.prepared(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		d, err := s.open(context.Background(), q, clean.image, clean.key)
		if err != nil {
			t.Fatal(err)
		}
		m, err := s.mixed(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		if !raster.Equal(d.part(part{kind: "result"}), m) {
			t.Errorf("%s: the open draw's result differs", query)
		}
		return m, d
	}
	plain, a := image("epoch=1")
	_, b := image("epoch=6")
	mixed, both := image("epoch=1&pins=1:6,2:1")
	if raster.Equal(plain, mixed) {
		t.Error("a pinned chain changes nothing")
	}
	for chain, want := range []*opened{a, b, a} {
		from, to := chainSpan(&both.draw, chain)
		wantFrom, wantTo := chainSpan(&want.draw, chain)
		if to-from != wantTo-wantFrom {
			t.Fatalf("chain %d has %d operations, want %d", chain, to-from, wantTo-wantFrom)
		}
		for i := range to - from {
			if both.draw.Steps[from+i] != want.draw.Steps[wantFrom+i] {
				t.Errorf("chain %d: operation %d differs", chain, i)
			}
		}
	}
	if _, again := image("epoch=1&pins=0:1,1:1,2:1"); len(again.draw.Steps) != len(a.draw.Steps) {
		t.Error("pins of the same draw change it")
	}
}

// What a round mixes in is the operation on the original, alone.
func TestOther(t *testing.T) {
	s, _ := serve(t, Options{Data: small})
	found := 0
	for epoch := range 20 {
		values, _ := url.ParseQuery("image=d2&spec=pixmix-k4-input&epoch=" + strconv.Itoa(epoch))
		q, err := parseRequest(values)
		if err != nil {
			t.Fatal(err)
		}
		clean, err := s.prepared(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		d, err := s.open(context.Background(), q, clean.image, clean.key)
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range d.pixDraw.Rounds {
			want := new(raster.Image)
			r.Step.Op.Apply(want, clean.image, r.Step.Value, raster.RGB{})
			if !raster.Equal(d.part(part{"other", i, 0}), want) {
				t.Errorf("epoch %d, round %d: another image than %s makes", epoch, i, r.Step.Op.Name)
			}
			found++
		}
	}
	if found < 10 {
		t.Errorf("only %d rounds", found)
	}
}
