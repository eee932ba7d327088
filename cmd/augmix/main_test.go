package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/augmix-go/augmix/data/fetch"
	"github.com/augmix-go/augmix/data/stats"
	"github.com/augmix-go/augmix/internal/cpu"
	"github.com/augmix-go/augmix/internal/memtemp"
)

// commands lists every command line prefix, from the program's own tables.
func commands(t *testing.T) []string {
	t.Helper()
	parser := newParser(&cli{}, nil)
	var out []string
	for _, c := range completions(parser.Model) {
		out = append(out, c.Path)
	}
	return out
}

func TestHelp(t *testing.T) {
	paths := commands(t)
	if len(paths) < 12 {
		t.Fatalf("commands %v", paths)
	}
	for _, path := range paths {
		o := augmix(t, exitDone, append(strings.Fields(path), "--help")...)
		want := exitStatus
		if path == "feed" {
			want = feedCmd{}.exitStatus()
		}
		if !strings.HasSuffix(o.out, want+"\n") {
			t.Errorf("%q --help does not end with the exit status", path)
		}
		if o.err != "" {
			t.Errorf("%q --help talks on standard error: %q", path, o.err)
		}
		group := path == "data" || path == "list"
		if !group && !strings.Contains(o.out, "EXAMPLES\n  ") {
			t.Errorf("%q --help has no examples", path)
		}
		for line := range strings.SplitSeq(o.out, "\n") {
			if len(line) > 104 {
				t.Errorf("%q --help has a line of %d columns: %s", path, len(line), line)
			}
		}
		if unfilled := regexp.MustCompile(`\$\{(default|enum|env)\}`).FindString(o.out); unfilled != "" {
			t.Errorf("%q --help has an unfilled %s", path, unfilled)
		}
	}
	if o := augmix(t, exitDone); !strings.Contains(o.out, "Usage: augmix") {
		t.Error("no arguments: no help")
	}
}

// Every example in a help text parses.
func TestHelpExamples(t *testing.T) {
	var c cli
	parser := newParser(&c, nil)
	count := 0
	for _, path := range commands(t) {
		o := augmix(t, exitDone, append(strings.Fields(path), "--help")...)
		for line := range strings.SplitSeq(o.out, "\n") {
			line, isExample := strings.CutPrefix(line, "  augmix ")
			line, _, _ = strings.Cut(line, "   ") // what it is for
			for _, cut := range []string{" < ", " > ", " | "} {
				line, _, _ = strings.Cut(line, cut)
			}
			if !isExample {
				continue
			}
			count++
			c = cli{}
			if _, err := parser.Parse(strings.Fields(line)); err != nil {
				t.Errorf("example %q: %v", line, err)
			}
		}
	}
	if count < 20 {
		t.Errorf("only %d examples found", count)
	}
}

func TestVersion(t *testing.T) {
	o := augmix(t, exitDone, "version")
	level := `(plain|avx2|avx512|neon)`
	kernels := fmt.Sprintf(`kernels: convolution %[1]s, elementwise %[1]s, pixels %[1]s, softmax %[1]s\n$`, level)
	if !regexp.MustCompile(`^augmix \S+.*\ngo1\.\d+\S* \w+/\w+\n(cpu features: \w.*\n)?` + kernels).MatchString(o.out) {
		t.Errorf("version says %q", o.out)
	}
	var v versionInfo
	if err := json.Unmarshal([]byte(augmix(t, exitDone, "version", "--json").out), &v); err != nil || v.Go == "" || v.Arch == "" {
		t.Errorf("%+v, %v", v, err)
	}
	for _, s := range cpu.Selections() {
		if got := v.Kernels[s.Kernels]; got != s.Level.String() || runtime.GOARCH == "amd64" && s.Level != cpu.Use() {
			t.Errorf("%s: level %q in JSON, %v selected, %v in use", s.Kernels, got, s.Level, cpu.Use())
		}
	}
}

// TestMistypedCPU runs this program again with a mistake in AUGMIX_CPU: no command, not even help, does anything then.
func TestMistypedCPU(t *testing.T) {
	const child = "AUGMIX_TEST_CHILD"
	if args := os.Getenv(child); args != "" {
		os.Exit(run(t.Context(), strings.Fields(args), standardStreams()))
	}
	for _, args := range []string{"version", "--help", "list models"} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestMistypedCPU$")
		cmd.Env = append(os.Environ(), child+"="+args, cpu.Variable+"=avx3")
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		err := cmd.Run()
		if code := cmd.ProcessState.ExitCode(); code != exitUsage || out.Len() > 0 {
			t.Errorf("augmix %s: %v, exit code %d, want %d; output %q", args, err, code, exitUsage, out.String())
		}
		if said := errs.String(); !strings.Contains(said, `AUGMIX_CPU="avx3"`) || !strings.Contains(said, "allowed here: plain") {
			t.Errorf("augmix %s says %q", args, said)
		}
	}
}

func TestList(t *testing.T) {
	for what, want := range map[string][]string{
		"ops":           {"autocontrast", "solarize", "threshold", "sharpness"},
		"mixes":         {"augmix-m3-w3-d-1", "ICLR 2020"},
		"formats":       {"folder", "cifar10", "npz"},
		"corruptions":   {"gaussian_noise", "saturate", "validation", "cbar        both", "ripple", "least width and height"},
		"perturbations": {"tilt", "extra", "31 31 31 31", "16 31 41 41"},
	} {
		text := augmix(t, exitDone, "list", what)
		var rows []map[string]any
		if err := json.Unmarshal([]byte(augmix(t, exitDone, "list", what, "--json").out), &rows); err != nil || len(rows) < 2 {
			t.Errorf("list %s --json: %d rows, %v", what, len(rows), err)
		}
		for _, w := range want {
			if !strings.Contains(text.out, w) {
				t.Errorf("list %s lacks %q:\n%s", what, w, text.out)
			}
		}
		for _, row := range rows {
			if !strings.Contains(text.out, row["name"].(string)) {
				t.Errorf("list %s lacks %v, which its JSON has", what, row["name"])
			}
		}
	}
}

func TestCompletion(t *testing.T) {
	for shell, check := range map[string][]string{"bash": {"bash", "-n"}, "zsh": {"zsh", "-n"}, "fish": {"fish", "-n"}} {
		o := augmix(t, exitDone, "completion", shell)
		for _, w := range []string{"augment", "verify", "on-error", "autocontrast", "augmix-m3-w3-d-1", "cifar100"} {
			if !strings.Contains(o.out, w) {
				t.Errorf("%s: the script lacks %q", shell, w)
			}
		}
		program, err := exec.LookPath(check[0])
		if err != nil {
			t.Logf("%s is not here to check the script", shell)
			continue
		}
		cmd := exec.Command(program, check[1:]...)
		cmd.Stdin = strings.NewReader(o.out)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s -n: %v\n%s", shell, err, out)
		}
	}
}

// The bash script completes as a shell would.
func TestBashCompletes(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash here")
	}
	script := augmix(t, exitDone, "completion", "bash").out
	dir := t.TempDir()
	write(t, filepath.Join(dir, "cat.png"), nil)
	for line, want := range map[string]string{
		"augmix au":                                 "augment",
		"augmix data f":                             "fetch",
		"augmix list f":                             "formats",
		"augmix completion z":                       "zsh",
		"augmix augment --vie":                      "--views --view-axis",
		"augmix augment --on-error s":               "skip",
		"augmix augment x --op equ":                 "equalize",
		"augmix data convert --input-format cifar1": "cifar10 cifar100",
		"augmix augment ca":                         "cat.png",
		"augmix sheet -o ca":                        "cat.png",
		"augmix data info --js":                     "--json",
		"augmix corrupt --subset fo":                "fog",
		"augmix perturb --subset ti":                "tilt",
		"augmix feed --perturb ti":                  "tilt",
		"augmix feed --corrupt fo":                  "fog",
		"augmix corrupt --profile medmnist-c/pa":    "medmnist-c/pathmnist",
		"augmix corrupt --profile ca":               "cat.png",
		"augmix report --table ":                    "help",
	} {
		words := strings.Split(line, " ")
		test := script + "\nCOMP_WORDS=(" + "'" + strings.Join(words, "' '") + "'" + ")\nCOMP_CWORD=$((${#COMP_WORDS[@]}-1))\n_augmix\necho \"${COMPREPLY[*]}\"\n"
		cmd := exec.Command(bash, "--norc", "-c", test)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if got := strings.TrimSpace(string(out)); err != nil || got != want {
			t.Errorf("%q completes to %q, want %q (%v)", line, got, want, err)
		}
	}
}

func TestSheet(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "sheet.png")
	augmix(t, exitDone, "sheet", "-o", out)
	first := tree(t, dir)["sheet.png"]
	o := augmix(t, exitDone, "sheet", "-o", out, "--json")
	if tree(t, dir)["sheet.png"] != first {
		t.Error("two sheets of one seed differ")
	}
	m, err := png.Decode(strings.NewReader(first))
	if err != nil {
		t.Fatal(err)
	}
	var r sheetResult
	if err := json.Unmarshal([]byte(o.out), &r); err != nil || r.Width != m.Bounds().Dx() || r.Height != m.Bounds().Dy() || r.Images != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	if !strings.Contains(first, "seed: 0\n") {
		t.Error("the options are not in the file")
	}
	// A folder, an image and standard input together; only the sheet is left behind.
	o = augmixIn(t.Context(), testImage(t, 5, 64, 80), "sheet", photos(t, 4), "-", "-o", "-", "--mix", "augmix-m5", "--count", "3")
	if m, err := png.Decode(strings.NewReader(o.out)); o.code != exitDone || err != nil || m.Bounds().Dx() != 1800 {
		t.Errorf("exit code %d, %v: %s", o.code, err, o.err)
	}
	if len(tree(t, dir)) != 1 {
		t.Error("a sheet left more than itself")
	}
	o = augmix(t, exitDone, "sheet", photos(t, 6), "-o", out, "--mix", "augmix", "--samples", "1", "--images", "cat/*", "--json")
	if !strings.Contains(o.out, `"images": 2`) {
		t.Error(o.out)
	}
	// A sheet is a PNG file, whatever the name would like.
	for _, name := range []string{"sheet.jpg", "sheet"} {
		o := augmix(t, exitUsage, "sheet", "-o", filepath.Join(dir, name))
		if !strings.Contains(o.err, ".png") || len(tree(t, dir)) != 1 {
			t.Errorf("%s: %q", name, o.err)
		}
	}
}

func TestSheetOfTests(t *testing.T) {
	for _, flag := range []string{"--corruptions", "--cbar", "--perturbations"} {
		var sizes []int
		for _, images := range [][]string{nil, {photos(t, 2)}} {
			o := augmix(t, exitDone, append([]string{"sheet", "-o", "-", "--tile", "64", flag}, images...)...)
			m, err := png.DecodeConfig(strings.NewReader(o.out))
			if err != nil || m.Width != 1160 {
				t.Fatalf("%s: %d wide, %v", flag, m.Width, err)
			}
			sizes = append(sizes, m.Height)
		}
		if sizes[1] < 3*sizes[0]/2 {
			t.Errorf("%s: the sheet of two images is not that of one twice: %v", flag, sizes)
		}
	}
	o := augmix(t, exitFailed, "sheet", "-o", "-", "--corruptions", "--frost-dir", t.TempDir())
	if !strings.Contains(o.err, "frost1.png") {
		t.Errorf("says %q", o.err)
	}
}

func TestDataInfo(t *testing.T) {
	in := photos(t, 10)
	write(t, filepath.Join(in, "cat", "zz.png"), []byte("not an image"))
	o := augmix(t, exitRejected, "data", "info", in, "--stats", "--json", "-j", "3")
	var r infoResult
	if err := json.Unmarshal([]byte(o.out), &r); err != nil {
		t.Fatal(err)
	}
	if r.Format != "folder" || r.Samples != 11 || len(r.Classes) != 3 || r.Classes[0] != (stats.Class{Label: 0, Name: "cat", Count: 4}) ||
		*r.Width != (stats.Range{Min: 40, Median: 42, Max: 44}) || *r.Height != (stats.Range{Min: 36, Median: 37, Max: 38}) ||
		len(r.Rejected) != 1 || len(r.Mean) != 3 {
		t.Errorf("%+v", r)
	}
	if one := augmix(t, exitRejected, "data", "info", in, "--stats", "--json", "-j", "1"); one.out != o.out {
		t.Error("the result depends on the number of workers")
	}
	text := augmix(t, exitRejected, "data", "info", in).out
	for _, w := range []string{"40 to 44, median 42", "3 classes", "fish", "unreadable: "} {
		if !strings.Contains(text, w) {
			t.Errorf("%q lacks %q", text, w)
		}
	}
}

// Any format to any format keeps images and labels.
func TestConvert(t *testing.T) {
	base := t.TempDir()
	from := filepath.Join(base, "start.npz")
	augmix(t, exitDone, "data", "convert", photos(t, 30), "-o", from, "--size", "34", "--crop", "32")
	info := func(path string) infoResult {
		var r infoResult
		if err := json.Unmarshal([]byte(augmix(t, exitDone, "data", "info", path, "--stats", "--json").out), &r); err != nil {
			t.Fatal(err)
		}
		return r
	}
	want := info(from)
	if want.Samples != 30 || len(want.Classes) != 3 || want.Classes[2].Name != "fish" {
		t.Fatalf("%+v", want)
	}
	for i, flags := range [][]string{nil, {"--output-format", "cifar10"}, nil, {"--output-format", "wds", "--per-shard", "7"}, nil, {"--deflate"}} {
		name := []string{"folder", "cifar", "again", "shards", "x.npy", "y.npz"}[i]
		to := filepath.Join(base, name, name)
		augmix(t, exitDone, append([]string{"data", "convert", from, "-o", to}, flags...)...)
		augmix(t, exitDone, "data", "verify", to)
		augmix(t, exitDone, "data", "verify", to, "--decode")
		got := info(to)
		if got.Samples != 30 || got.Mean[0] != want.Mean[0] || got.Std[2] != want.Std[2] {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
		for k, c := range got.Classes {
			if c != want.Classes[k] {
				t.Errorf("%s: class %+v, want %+v", name, c, want.Classes[k])
			}
		}
		from = to
	}
}

func TestVerifyDamage(t *testing.T) {
	in, out := photos(t, 4), filepath.Join(t.TempDir(), "out")
	augmix(t, exitDone, "augment", in, "-o", out)
	path := filepath.Join(out, "cat", "0000.png")
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	file[len(file)-20] ^= 4
	write(t, path, file)
	if err := os.Remove(filepath.Join(out, "dog", "0001.png")); err != nil {
		t.Fatal(err)
	}
	o := augmix(t, exitFailed, "data", "verify", out)
	for _, w := range []string{"changed: cat/0000.png", "missing: dog/0001.png", "damaged"} {
		if !strings.Contains(o.out, w) {
			t.Errorf("%q lacks %q", o.out, w)
		}
	}
	o = augmix(t, exitFailed, "data", "verify", out, "--decode", "--json")
	var r verifyResult
	if err := json.Unmarshal([]byte(o.out), &r); err != nil || r.OK || len(r.Bad) != 1 || r.Bad[0].Name != path {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestQuiet(t *testing.T) {
	in := photos(t, 3)
	o := augmix(t, exitDone, "augment", in, "-q", "-o", filepath.Join(t.TempDir(), "o"))
	if o.err != "" || o.out != "" {
		t.Errorf("a quiet run said %q and %q", o.err, o.out)
	}
	o = augmix(t, exitDone, "augment", in, "-v", "-o", filepath.Join(t.TempDir(), "o"))
	if !strings.Contains(o.err, "3 class names") {
		t.Errorf("a talkative run said %q", o.err)
	}
}

func TestColor(t *testing.T) {
	for _, color := range []bool{false, true} {
		var errs bytes.Buffer
		run(t.Context(), []string{"data", "info", "/nowhere"}, streams{in: strings.NewReader(""), out: &errs, err: &errs, color: color})
		if strings.Contains(errs.String(), "\x1b[") != color {
			t.Errorf("color %v: %q", color, errs.String())
		}
	}
}

// TestMain lets a test run the program itself, signals and all, as a process: this test binary with a variable set.
func TestMain(m *testing.M) {
	if os.Getenv("AUGMIX_TEST_MAIN") != "" {
		main()
	}
	if os.Getenv(feedParentVariable) != "" {
		feedParent()
	}
	memtemp.Use()
	os.Exit(m.Run())
}

func TestFetch(t *testing.T) {
	asked := make(chan string, 9)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.URL.Path
		http.NotFound(w, r)
	}))
	defer server.Close()
	dir := t.TempDir()
	o := augmix(t, exitFailed, "data", "fetch", "cifar100", "--form", "python", "-o", dir, "--mirror", server.URL+"/mirror")
	if got := <-asked; got != "/mirror/cifar-100-python.tar.gz" || !strings.Contains(o.err, "404") || o.out != "" {
		t.Errorf("asked for %s and said %q", got, o.err)
	}
	augmix(t, exitUsage, "data", "fetch", "imagenet")
	known := fetch.Names()
	for _, stem := range archives {
		for _, form := range []string{"binary", "python"} {
			if !slices.Contains(known, stem+form) {
				t.Errorf("package fetch does not know %s", stem+form)
			}
		}
	}
}

// The program itself: the first signal says what happens, the second ends it at once.
func TestInterruptedProgram(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// Reading standard input that never ends can only be stopped by the second signal, or the first when it is at work.
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), program, "augment", "-", "-o", "-")
	cmd.Env = append(os.Environ(), "AUGMIX_TEST_MAIN=1")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// A first signal before the handler stands ends the process by itself, so that a byte of input is waited for first.
	if _, err := stdin.Write(append([]byte("\x89PNG\r\n\x1a\n"), make([]byte, 1<<17)...)); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, 200)
	n, _ := stderr.Read(line)
	if !strings.Contains(string(line[:n]), "interrupted") {
		t.Errorf("after the first signal: %q", line[:n])
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	err = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exitInterrupted {
		t.Errorf("exit code %d (%v), want %d", code, err, exitInterrupted)
	}
}

// TestCompletionValues: what comes from a table completes to its words.
func TestCompletionValues(t *testing.T) {
	parser := newParser(&cli{}, nil)
	want := map[string]string{
		"eval --suite": "fourier", "eval --model": "resnet20", "train --model": "wrn-40-2", "augment --mix": "augmix-m3-w3-d-1",
		"train --method": "pixmix", "train --mixset": "fractals", "corrupt --subset": "plasma_noise", "perturb --subset": "tilt",
		"eval --norm": "imagenet", "run": "cifar10-small", "train": "cifar10-wrn-40-2", "mixset": "fractals", "score --layout": "cifar-c",
		"score --baseline": "alexnet",
	}
	for _, c := range completions(parser.Model) {
		for _, f := range c.Flags {
			if w, ok := want[c.Path+" --"+f.Long]; ok && slices.Contains(f.Values, w) {
				delete(want, c.Path+" --"+f.Long)
			}
			if c.Path == "score" && f.Long == "model" && f.Values != nil {
				t.Error("the names of one's own models complete to networks")
			}
		}
		if slices.Contains(c.Values, want[c.Path]) {
			delete(want, c.Path)
		}
	}
	for at, word := range want {
		t.Errorf("%s does not complete to %s", at, word)
	}
}

// TestListWidth: lists are read on terminals of 80 columns.
func TestListWidth(t *testing.T) {
	for _, what := range []string{"mixes", "mixsets", "recipes", "corruptions", "perturbations", "models"} {
		for line := range strings.SplitSeq(augmix(t, exitDone, "list", what).out, "\n") {
			if n := utf8.RuneCountInString(line); n > 80 {
				t.Errorf("list %s has a line of %d columns: %s", what, n, line)
			}
		}
	}
}
