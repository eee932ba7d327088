package studio

import (
	"bytes"
	"errors"
	"image"
	"image/png"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
)

func TestRequest(t *testing.T) {
	values, err := url.ParseQuery("image=d1.12&size=256&crop=224&seed=18446744073709551615&name=fog&severity=4&profile=224&look=spectrum" +
		"&spec=augmix-m1%2Bcutmix&set=escape&epoch=7&view=2&part=chain.1.2&pins=0:5,2:9&runs=2,0&q=a&class=3&from=60")
	if err != nil {
		t.Fatal(err)
	}
	q, err := parseRequest(values)
	if err != nil {
		t.Fatal(err)
	}
	if q.Image.String() != "d1.12" || q.Size != 256 || q.Crop != 224 || q.Seed != 1<<64-1 || q.Name != "fog" || q.Severity != 4 ||
		q.Profile.String() != "224" || q.Look != "spectrum" || q.Spec.String() != "augmix-m1-w3-d-1+cutmix-a1-p1" || q.Set != "escape" ||
		q.Epoch != 7 || q.View != 2 || q.Part != (part{"chain", 1, 2}) || len(q.Pins) != 2 || q.Pins[1] != (pin{2, 9}) ||
		len(q.Runs) != 2 || q.Runs[0] != 2 || q.Query != "a" || q.Class != 3 || q.From != 60 {
		t.Errorf("read as %+v", q)
	}
}

// FuzzRequest: no query makes the parser panic, and what it accepts is within the limits, and means the same when its image is written
// again.
func FuzzRequest(f *testing.F) {
	for _, seed := range []string{
		"", "image=d0&size=224", "image=d1.2", "image=u0123456789abcdef0123456789abcdef", "part=chain.0.1&pins=0:1", "spec=augmix-m3%2Bpixmix",
		"runs=1,2,3", "seed=-1", "severity=9", "severity=1,2", "severity=-1", "image=d-1", "part=chain.-1.0", "pins=:", "runs=,", "name=fog%00", "class=-1",
		"lost=0/a%252Fb&kept=1/c&dataset=scenes-c", "lost=-1/a", "kept=1", "lost=0/%25", "runs=1&epoch=2&step=0", "step=-1", "set=own",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		values, err := url.ParseQuery(text)
		if err != nil {
			return
		}
		q, err := parseRequest(values)
		if err != nil {
			if !errors.Is(err, ErrRequest) {
				t.Fatalf("%v is no ErrRequest", err)
			}
			return
		}
		if q.Size < 0 || q.Size > maxSide || q.Crop < 0 || q.Crop > maxSide || q.Severity < 0 || q.Severity > 5 || q.Epoch < 0 ||
			q.Image.index < 0 || q.Image.part < 0 || q.From < 0 || q.Step < 0 || q.Lost.run < 0 || q.Kept.run < 0 || len(q.Runs) > maxRuns || len(q.Pins) > 64 || q.View < 1 || q.View > 8 {
			t.Fatalf("accepted: %+v", q)
		}
		if q.Lost.model != "" {
			if again, err := parseRunModel(q.Lost.String()); err != nil || again != q.Lost {
				t.Fatalf("%v is read again as %v, %v", q.Lost, again, err)
			}
		}
		if again, err := parseImage(q.Image.String()); err != nil || again != q.Image {
			t.Fatalf("image %v is read again as %v, %v", q.Image, again, err)
		}
	})
}

// FuzzAdmit: whatever the path and the headers say, only the right token, host and origin get in.
func FuzzAdmit(f *testing.F) {
	s, err := New(Options{Data: small})
	if err != nil {
		f.Fatal(err)
	}
	s.Bind(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 4000})
	f.Add("/", "127.0.0.1:4000", "")
	f.Add("/"+s.token+"/", "127.0.0.1:4000", "http://127.0.0.1:4000")
	f.Add("/"+s.token+"/../x", "evil", "null")
	f.Fuzz(func(t *testing.T, path, host, origin string) {
		r := httptest.NewRequest(http.MethodGet, "http://x/", nil)
		r.URL.Path, r.Host = path, host
		r.Header.Set("Origin", origin)
		rest, ok := s.admit(r)
		if !ok {
			return
		}
		if path != "/"+s.token+rest && path != s.token+rest || origin != "" && origin != "http://"+host || !strings.HasSuffix(host, ":4000") {
			t.Fatalf("admitted: %q of %q from %q", path, host, origin)
		}
	})
}

// Keys that hold each other, or what a pattern gives a meaning, are still told apart by --only, those of one character too.
func TestPattern(t *testing.T) {
	flat := t.TempDir()
	for _, name := range []string{"1", "2", "10", "11", "12", "b", "bad", "a-b", "é", "éé"} {
		put(t, filepath.Join(flat, name+".png"), blobs(t, 1, 8, 0))
	}
	for _, path := range []string{"scenes:n=120,size=16", flat} {
		allPatterns(t, path)
	}
}

func allPatterns(t *testing.T, path string) {
	t.Helper()
	src, err := formats.Open(path, formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	all := src.(data.Indexed)
	for i := range all.Len() {
		var one data.Sample
		if err := all.Read(i, &one); err != nil {
			t.Fatal(err)
		}
		p, without, err := pattern(all, one.Key)
		if err != nil {
			t.Fatal(err)
		}
		f := data.Filter{Only: []string{p}}
		if without != "" {
			f.Without = []string{without}
		}
		taken, err := f.Apply(src)
		if err != nil {
			t.Fatal(err)
		}
		var two data.Sample
		if err := taken.Next(&two); err != nil || two.Key != one.Key || taken.(data.Indexed).Len() != 1 {
			t.Fatalf("%q takes %q, %v", p, two.Key, err)
		}
	}
}

// A shell gives a quoted word back.
func TestQuote(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no sh")
	}
	for _, s := range []string{"a", "a b", "it's", "$HOME", "`ls`", "a\"b", "*", "a\nb", "-x", "~", "é"} {
		out, err := exec.Command("sh", "-c", "printf %s "+quote(s)).Output()
		if err != nil || string(out) != s {
			t.Errorf("%q is %q in a shell, %v", s, out, err)
		}
	}
}

// TestCopiesOfNetworks: what the page cannot show has no command either.
func TestCopiesOfNetworks(t *testing.T) {
	_, do := serve(t, Options{Data: small})
	for _, spec := range []string{"style", "deepaugment"} {
		if w := do("GET", "api/copy?image=d0&spec="+spec, nil, nil); w.Code != 400 || !strings.Contains(w.Body.String(), "network") {
			t.Errorf("%s: %d %s", spec, w.Code, w.Body)
		}
	}
}

// TestCopyOfPartners: the command for a mix of two images has all that the image on the page was made with.
func TestCopyOfPartners(t *testing.T) {
	_, do := serve(t, Options{Data: small})
	w := do("GET", "api/copy?image=d0&spec=mixup-a1&size=24&crop=16&seed=11&epoch=4", nil, nil)
	const want = " --mix mixup-a1 --seed 11 --epoch 4 --size 24 --crop 16 "
	if w.Code != 400 || !strings.Contains(w.Body.String(), want) || !strings.Contains(w.Body.String(), "-o mixed") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// TestUploadOf16Bits: the error about 16 bits of gray says where a window of values is given.
func TestUploadOf16Bits(t *testing.T) {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray16(image.Rect(0, 0, 40, 40))); err != nil {
		t.Fatal(err)
	}
	_, do := serve(t, Options{Data: small})
	if w := do("POST", "api/upload?name=x.png", &b, nil); w.Code < 400 || !strings.Contains(w.Body.String(), "--window") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
