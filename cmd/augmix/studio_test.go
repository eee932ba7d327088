package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/internal/npy"
	"github.com/augmix-go/augmix/nn/weights"
	"github.com/augmix-go/augmix/studio"
)

// studioOn serves a data set and returns what asks the server for something.
func studioOn(t *testing.T, o studio.Options) func(path string, parameters url.Values) []byte {
	t.Helper()
	s, err := studio.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	s.Bind(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 4000})
	return func(path string, parameters url.Values) []byte {
		t.Helper()
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, httptest.NewRequest("GET", s.URL()+path+"?"+parameters.Encode(), nil))
		if w.Code != http.StatusOK {
			t.Fatalf("%s %v: %d %s", path, parameters, w.Code, w.Body)
		}
		return w.Body.Bytes()
	}
}

// values makes parameters of "name=fog severity=3".
func values(text string) url.Values {
	v := url.Values{}
	for _, f := range strings.Fields(text) {
		name, value, _ := strings.Cut(f, "=")
		v.Set(name, value)
	}
	return v
}

// What the page shows has the bytes of the command that it copies, and the arguments in the copied Python do the same.
func TestStudioCopies(t *testing.T) {
	dir := photos(t, 11)
	ask := studioOn(t, studio.Options{Data: dir})
	t.Chdir(t.TempDir())
	for i, text := range []string{
		"image=d3 name=fog severity=1", "image=d3 name=fog severity=4 seed=7", "image=d0 name=jpeg_compression severity=5 size=36 crop=33",
		"image=d1 name=frost severity=2 profile=224", "image=d2 name=zoom_blur severity=0 size=34",
		"image=d10 name=checkerboard_cutout severity=3 crop=32", "image=d4 name=caustic_refraction severity=2 profile=299 seed=3",
		"image=d5 name=single_frequency_greyscale severity=1",
		"image=d2 spec=augmix-m3-w3-d-1 epoch=4 size=36 crop=32", "image=d2 spec=none", "image=d9 spec=pixmix-k4-b3 epoch=0 crop=32 seed=9",
		"image=d8 spec=pixmix-k4-b3 set=deadleaves epoch=5", "image=d7 spec=randaugment-n2-m9+cutout epoch=3",
	} {
		sameBytes(t, ask, i, text)
	}
	// A choice of samples, which the command that makes one of them does not need, and a mixing set of one's own.
	some := filepath.Join(t.TempDir(), "some")
	for _, name := range []string{"1", "10", "2"} {
		write(t, filepath.Join(some, "cat", name+".png"), testImage(t, len(name), 34, 32))
	}
	ask = studioOn(t, studio.Options{Data: some, Input: formats.Options{Without: []string{"cat/10"}}, Mixset: dir})
	for i, text := range []string{"image=d0 name=fog severity=2", "image=d1 spec=pixmix-k4-b3 set=own epoch=2"} {
		sameBytes(t, ask, 100+i, text)
	}
	// Keys of one character, which others hold.
	flat := filepath.Join(t.TempDir(), "flat")
	for i, name := range []string{"b", "bad", "c"} {
		write(t, filepath.Join(flat, name+".png"), testImage(t, i, 34, 32))
	}
	ask = studioOn(t, studio.Options{Data: flat})
	sameBytes(t, ask, 110, "image=d0 name=fog severity=2")
	sameBytes(t, ask, 111, "image=d0 spec=augmix")
	// A key with a comma, at which the command line splits.
	commas := filepath.Join(t.TempDir(), "commas")
	for i, name := range []string{"x,y", "yak"} {
		write(t, filepath.Join(commas, "a", name+".png"), testImage(t, i, 34, 32))
	}
	sameBytes(t, studioOn(t, studio.Options{Data: commas}), 112, "image=d0 name=fog severity=2")
	// Arrays of many channels and other values.
	deep := filepath.Join(t.TempDir(), "deep.npy")
	values16 := make([]int16, 2*36*34*5)
	for i := range values16 {
		values16[i] = int16(i*37%600 - 150)
	}
	if err := npy.WriteFile(deep, &npy.Array{Shape: []int{2, 36, 34, 5}, Data: values16}); err != nil {
		t.Fatal(err)
	}
	ask = studioOn(t, studio.Options{Data: deep, Input: formats.Options{
		Channels: []int{4, 2, 1}, Reading: data.Reading{Window: &data.Window{Lo: -100, Hi: 400}},
	}})
	for i, text := range []string{"image=d1 name=fog severity=2", "image=d0 spec=augmix epoch=2"} {
		sameBytes(t, ask, 200+i, text)
	}
	how := "--channels 4,2,1 --window=-100:400"
	augmix(t, exitDone, append([]string{"studio", deep, "--export", "deep.html"}, strings.Fields(how)...)...)
	if file, err := os.ReadFile("deep.html"); err != nil || !bytes.Contains(file, []byte(how+" --export corrupt.html")) {
		t.Errorf("the saved screen does not say %s (%v)", how, err)
	}
	if o := augmix(t, exitUsage, "studio", deep, "--channels", "all", "--window", "0:9", "--export", "all.html"); !strings.Contains(o.err, "--channels all") {
		t.Errorf("--channels all: %s", o.err)
	}
}

// sameBytes compares what the page shows with what the command and the Python make that it copies. number is of the test.
func sameBytes(t *testing.T, ask func(string, url.Values) []byte, number int, text string) {
	t.Helper()
	v := values(text)
	path := "image/corrupt"
	if v.Has("spec") {
		path = "image/mix"
	}
	shown := ask(path, v)
	var c struct{ Command, Go, Python string }
	if err := json.Unmarshal(ask("api/copy", v), &c); err != nil {
		t.Fatal(err)
	}
	args := strings.Fields(strings.ReplaceAll(c.Command, "'", "")) // no word here has blanks
	out := fmt.Sprintf("%d.png", number)
	args[len(args)-1] = out
	augmix(t, exitDone, args[1:]...)
	made, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(made, shown) {
		t.Errorf("%s: the bytes differ from those of %s", text, c.Command)
	}
	_, list, _ := strings.Cut(c.Python, "subprocess.run(\n    ")
	list, _, _ = strings.Cut(list, ",\n    check")
	var words []string
	if err := json.Unmarshal([]byte(list), &words); err != nil {
		t.Fatalf("%v in\n%s", err, c.Python)
	}
	if o := augmix(t, exitDone, words[1:]...); o.out != string(shown) {
		t.Errorf("%s: the bytes differ from those of Python's %v", text, words)
	}
}

// The copied Go builds and makes the bytes that are shown.
func TestStudioCopiesGo(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: it builds programs")
	}
	dir := photos(t, 3)
	ask := studioOn(t, studio.Options{Data: dir})
	for _, text := range []string{"image=d1 name=frost severity=3 seed=5 size=36 crop=32", "image=d2 spec=pixmix epoch=4 crop=32"} {
		v := values(text)
		path := "image/corrupt"
		if v.Has("spec") {
			path = "image/mix"
		}
		var c struct{ Go string }
		if err := json.Unmarshal(ask("api/copy", v), &c); err != nil {
			t.Fatal(err)
		}
		main := filepath.Join(t.TempDir(), "main.go")
		write(t, main, []byte(c.Go))
		run := exec.Command("go", "run", "-ldflags=-s -w", main) // linking takes half as long without symbols
		if said, err := run.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s\n%s", err, said, c.Go)
		}
		name := "frost-3.png"
		if v.Has("spec") {
			name = "mixed.png"
		}
		made, err := os.ReadFile(name)
		remove(t, name)
		if err != nil || !bytes.Equal(made, ask(path, v)) {
			t.Errorf("%s: the bytes differ from those of\n%s", text, c.Go)
		}
	}
}

// The command prints the address, serves it and ends with its context.
func TestStudioCommand(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	out := make(chan string, 1)
	var errs bytes.Buffer
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, []string{"studio", "scenes:n=3,size=32"}, streams{in: strings.NewReader(""), out: writerFunc(func(p []byte) (int, error) {
			out <- string(p)
			return len(p), nil
		}), err: &errs})
	}()
	select {
	case address := <-out:
		w, err := http.Get(strings.TrimSpace(address) + "api/info")
		if err != nil || w.StatusCode != http.StatusOK {
			t.Errorf("%s: %v %v", address, w, err)
		} else {
			_ = w.Body.Close()
		}
	case <-time.After(20 * time.Second):
		t.Fatal("no address")
	}
	cancel(errInterrupted)
	if c := <-code; c != exitDone {
		t.Errorf("exit code %d: %s", c, errs.String())
	}
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// A saved screen says the command that makes it, byte for byte.
func TestStudioExport(t *testing.T) {
	t.Chdir(t.TempDir())
	augmix(t, exitDone, "studio", "scenes:n=3,size=32", "--split", "test", "-q", "--export", "first.html", "--screen", "#screen=mix&image=d1&seed=7")
	file, err := os.ReadFile("first.html")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(file), ">augmix studio ")
	command, _, _ := strings.Cut(rest, "</pre>")
	args := strings.Fields(strings.ReplaceAll(html.UnescapeString(command), "'", ""))
	augmix(t, exitDone, append([]string{"studio", "-q"}, args...)...)
	if again, err := os.ReadFile("mix.html"); err != nil || !bytes.Equal(again, file) {
		t.Errorf("%s makes another file, %v", command, err)
	}
}

// A page that augmix wrote is replaced, of whichever screen; any other file stays as it is.
func TestStudioExportReplaces(t *testing.T) {
	t.Chdir(t.TempDir())
	export := []string{"studio", "scenes:n=3,size=32", "-q", "--screen", "mix", "--export", "mine.html"}
	const mine = "<!doctype html>\n<title>mine</title>\n"
	write(t, "mine.html", []byte(mine))
	if o := augmix(t, exitUsage, export...); !strings.Contains(o.err, "mine.html: it is there and no page that augmix wrote (allowed: ") {
		t.Error(o.err)
	}
	if got, err := os.ReadFile("mine.html"); err != nil || string(got) != mine {
		t.Errorf("%q, %v", got, err)
	}
	write(t, "mine.html", []byte("<!doctype html>\n<meta name=\"generator\" content=\"augmix report\">\n"))
	augmix(t, exitDone, export...)
	augmix(t, exitDone, export...)
}

func TestStudioRefuses(t *testing.T) {
	bare := filepath.Join(t.TempDir(), "bare.safetensors")
	if err := weights.WriteFile(bare, []weights.Tensor{{Name: "linear.bias", Shape: []int{1}, Data: []float32{1}}}, nil); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args []string
		want int
		says string
	}{
		{[]string{"no-such-data"}, exitFailed, "no-such-data"},
		{[]string{"scenes:n=0"}, exitFailed, "allowed: 1 to"},
		{[]string{"--runs", "no-such-run"}, exitFailed, "no-such-run is no run"},
		{[]string{"--runs", t.TempDir()}, exitFailed, "results.jsonl"},
		{[]string{"--listen", "nowhere"}, exitUsage, "HOST:PORT"},
		{[]string{"scenes:n=3", "--model", bare}, exitUsage, "say it (--arch"},
		{[]string{"--arch", "densenet-7-2"}, exitUsage, "--model FILE"},
		{[]string{"--wasm", "studio.wasm"}, exitUsage, "--static"},
		{[]string{"--screen", "mix"}, exitUsage, "--export"},
		{[]string{"--export", "x.html", "--static", "site"}, exitUsage, "allowed: one"},
		{[]string{"--export", "x.html", "--screen", "break"}, exitUsage, "allowed: corrupt, mix"},
		{[]string{"--export", "x.html", "--screen", "image=d500"}, exitFailed, "d500"},
		{[]string{"--static", "site", "--runs", "runs"}, exitUsage, "--runs"},
		{[]string{"--static", "site", "--channels", "1,2,3"}, exitUsage, "--channels"},
		{[]string{"--static", "site", "--window", "0:4095"}, exitUsage, "--window"},
		{[]string{"--static", "site", "--layout", "nchw"}, exitUsage, "--layout"},
		{[]string{"--static", "site", "--wasm", "no-such.wasm"}, exitFailed, "no-such.wasm"},
	} {
		ctx, cancel := context.WithTimeoutCause(t.Context(), 5*time.Second, errInterrupted)
		o := augmixIn(ctx, nil, append([]string{"studio"}, test.args...)...)
		cancel()
		if o.code != test.want || !strings.Contains(o.err, test.says) || strings.Count(o.err, "\n") > 2 {
			t.Errorf("%v: exit code %d, want %d, %s", test.args, o.code, test.want, o.err)
		}
	}
}
