//go:build unix

package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/augmix-go/augmix/internal/memtemp"
	"github.com/augmix-go/augmix/internal/racedetector"
)

// TestMain makes the test binary the program to attack, where it is called by the name fake-MANNER.
func TestMain(m *testing.M) {
	if manner, ok := strings.CutPrefix(filepath.Base(os.Args[0]), "fake-"); ok {
		fake(manner, os.Args)
		return
	}
	memtemp.Use()
	progress = io.Discard
	os.Exit(m.Run())
}

// fake writes the output that its command line names in one of several manners.
func fake(manner string, args []string) {
	path := args[slices.Index(args, "-o")+1]
	if _, err := os.Stat(path); err == nil {
		return
	}
	text := []byte(strings.Repeat("whole ", 100))
	temporary := path + ".partial"
	switch manner {
	case "torn": // under its final name from the start
		temporary = path
	case "litter": // temporary files that no later run knows
		temporary = fmt.Sprint(path, ".", os.Getpid())
	case "random":
		text = fmt.Append(nil, time.Now().UnixNano())
	}
	pause := 100 * time.Millisecond
	if racedetector.Enabled {
		pause *= 10 // so does the start of a program, and kills are to hit the writing
	}
	for _, part := range [][]byte{text[:len(text)/2], text} {
		if err := os.WriteFile(temporary, part, 0o644); err != nil {
			panic(err)
		}
		time.Sleep(pause)
	}
	if err := os.Rename(temporary, path); err != nil {
		panic(err)
	}
}

// attackFake attacks the fake program and returns the number of bad trials and the table.
func attackFake(t *testing.T, manner string, args ...string) (int, string, error) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "fake-"+manner)
	if err := os.Symlink(self, program); err != nil {
		t.Fatal(err)
	}
	table := filepath.Join(t.TempDir(), "table")
	cfg, _, err := parse(append([]string{
		"--augmix", program, "--work", t.TempDir(), "--only", "^(convert|mixset)-npy$", "--trials", "6", "-j", "12", "--out", table,
	}, args...))
	if err != nil {
		t.Fatal(err)
	}
	bad, err := soak(t.Context(), cfg)
	text, _ := os.ReadFile(table)
	return bad, string(text), err
}

// TestFinds: a program that writes badly is found out, and one that writes well is not.
func TestFinds(t *testing.T) {
	t.Run("good", func(t *testing.T) {
		t.Parallel()
		all := regexp.MustCompile(`all +12 +[1-9]\d* .* 12 +0 +0\n`)
		if bad, table, err := attackFake(t, "good", "--kind", "kill,signal"); bad != 0 || err != nil || !all.MatchString(table) {
			t.Errorf("%d bad, %v\n%s", bad, err, table)
		}
	})
	for manner, says := range map[string]string{"torn": "differs out.npy", "litter": "left over out.npy."} {
		t.Run(manner, func(t *testing.T) {
			t.Parallel()
			bad, table, err := attackFake(t, manner, "--kind", "kill")
			if bad == 0 || err != nil || !strings.Contains(table, says) || !strings.Contains(table, "--kind kill --trial ") {
				t.Errorf("%d bad, %v\n%s", bad, err, table)
			}
		})
	}
	t.Run("random", func(t *testing.T) {
		t.Parallel()
		if _, _, err := attackFake(t, "random"); err == nil || !strings.Contains(err.Error(), "two undisturbed runs make other files") {
			t.Errorf("got %v", err)
		}
	})
}

// TestWhere: an error that reaches a standard stream is not the program's to report.
func TestWhere(t *testing.T) {
	in := &trial{dir: "/trials/a"}
	for log, want := range map[string]injected{
		"": missed,
		"7 write(3</trials/a/out>, \"x\", 1) = -1 EIO (Input/output error) (INJECTED)\n":                     hit,
		"7 fsync(3</trials/a>) = -1 EIO (Input/output error) (INJECTED)\n":                                   hit,
		"7 renameat(AT_FDCWD, \"a\", AT_FDCWD, \"b\") = -1 EIO (Input/output error) (INJECTED)\n":            hit,
		"7 write(2<pipe:[1]>, \"x\", 1) = -1 EIO (Input/output error) (INJECTED)\n":                          outside,
		"7 write(3</trials/a/out>, \"x\", 1) = 1\n8 write(4<anon_inode:[eventfd]>, \"x\", 8) = (INJECTED)\n": outside,
	} {
		if got := in.where(log); got != want {
			t.Errorf("%q: %v, want %v", log, got, want)
		}
	}
}

// TestReadCalls counts calls by thread, as strace does when it injects.
func TestReadCalls(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	text := `7 openat(AT_FDCWD, "/etc/x", O_RDONLY|O_CLOEXEC) = 3
8 openat(AT_FDCWD, "out", O_RDWR|O_CREAT|O_CLOEXEC, 0666) = 4
7 openat(AT_FDCWD, "out", O_WRONLY|O_CLOEXEC) = 5
7 fsync(5 <unfinished ...>
8 renameat2(AT_FDCWD, "a", AT_FDCWD, "b", 0) = 0
7 <... fsync resumed>) = 0
7 fsync(5) = 0
7 +++ exited with 0 +++
`
	if err := os.WriteFile(log, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	calls, err := readCalls(log)
	want := []call{{"openat", 1}, {"openat", 2}, {"fsync", 1}, {"renameat", 1}, {"fsync", 2}}
	if err != nil || !slices.Equal(calls, want) {
		t.Errorf("%v, %v, want %v", calls, err, want)
	}
}

// TestSpoil: every way of damage changes the bytes.
func TestSpoil(t *testing.T) {
	damaged := &trial{scenario: scenarios[0], random: rand.New(rand.NewPCG(1, 2))}
	text := []byte(`{"version":2,"next":17,"phase":"writing"}`)
	for range 500 {
		spoiled, what, remove := damaged.spoil(bytes.Clone(text))
		if !remove && bytes.Equal(spoiled, text) {
			t.Fatalf("%s: nothing has changed", what)
		}
	}
}
