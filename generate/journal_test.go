package generate

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/storage"
)

// Whatever lies where the journal and the manifest are looked for, reading them is an error in words or a value in range.
func FuzzRecords(f *testing.F) {
	f.Add([]byte(`{"version":1,"options":[{"name":"a","value":"b"}],"next":3,"items":9,"rejected":[],"state":"AAEC","phase":"writing"}`))
	f.Add([]byte(`{"version":2,"sha256":"44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a","journal":{}}`))
	f.Add([]byte(`{"version":1,"files":[{"path":"../../etc/passwd","size":1,"sha256":""}]}`))
	f.Add([]byte(`{"version":1,"next":1e99}`))
	f.Add([]byte(`[`))
	f.Add([]byte(nil))
	dir := f.TempDir()
	p := Output{Path: dir}
	if err := os.MkdirAll(p.state(), 0o755); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, path := range []string{p.journal(), p.Record(ManifestName)} {
			if err := os.WriteFile(path, text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		j, err := readJournal(p)
		if err != nil && !errors.Is(err, ErrRecord) || err == nil && (j == nil || j.Next < 0 || j.Items < 0) {
			t.Errorf("journal %+v, %v", j, err)
		}
		m, err := ReadManifest(p)
		if err != nil && !errors.Is(err, ErrRecord) || err == nil && m.Version != manifestVersion {
			t.Errorf("manifest %+v, %v", m, err)
		}
		if err == nil {
			_ = p.clearFinished(m)
		}
	})
}

// A journal or manifest that names files elsewhere is rejected as it is read, and nothing there is removed.
func TestRecordsStayInside(t *testing.T) {
	base := t.TempDir()
	victim := filepath.Join(base, "victim")
	if err := os.Mkdir(victim, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, file := range []bool{false, true} {
		for _, path := range []string{"../victim", "/../../victim", victim, "a/../../victim", ".", "a//b", ""} {
			out := Output{Path: filepath.Join(base, "out.npy"), File: file}
			j := testJob(filepath.Join(base, "out.npy"), 5, nil)
			j.Out = out
			if err := os.MkdirAll(out.state(), 0o755); err != nil {
				t.Fatal(err)
			}
			old := journal{Records: []string{path}, Phase: writing}
			if err := old.write(out); err != nil {
				t.Fatal(err)
			}
			if _, err := Run(t.Context(), j); !errors.Is(err, ErrRecord) {
				t.Errorf("file %t, journal with the record %q: error %v", file, path, err)
			}
			if err := os.RemoveAll(out.state()); err != nil {
				t.Fatal(err)
			}
			j.Force = true
			for _, m := range []*Manifest{
				{Version: manifestVersion, Files: []File{{Path: path}}}, {Version: manifestVersion, Records: []string{path}},
			} {
				if err := m.write(out); err != nil {
					t.Fatal(err)
				}
				if _, err := Run(t.Context(), j); !errors.Is(err, ErrRecord) {
					t.Errorf("file %t, manifest with %q: error %v", file, path, err)
				}
			}
			for _, left := range []string{out.Record(ManifestName), out.Path} {
				if err := os.RemoveAll(left); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := os.Stat(victim); err != nil {
				t.Fatalf("file %t, %q: %v", file, path, err)
			}
		}
	}
}

// Links in an output are not followed: neither a run that resumes nor one that starts over writes or removes behind them.
func TestLinksAreNotFollowed(t *testing.T) {
	for _, tc := range []struct{ link, to string }{
		{".augmix", "victim"}, {".augmix/lock", "victim/new"}, {"items.log.partial", "victim/file"}, {"sub", "victim"},
	} {
		base := t.TempDir()
		dir, victim := filepath.Join(base, "out"), filepath.Join(base, "victim")
		for _, d := range []string{filepath.Join(dir, stateDir), victim} {
			if err := os.MkdirAll(d, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(victim, "file"), []byte("mine"), 0o644); err != nil {
			t.Fatal(err)
		}
		j := testJob(dir, 5, nil)
		old := journal{Records: []string{}, Phase: writing}
		if err := old.write(j.Out); err != nil {
			t.Fatal(err)
		}
		link := filepath.Join(dir, filepath.FromSlash(tc.link))
		if err := os.RemoveAll(link); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join(base, filepath.FromSlash(tc.to)), link); err != nil {
			t.Skip("this system has no links:", err)
		}
		before := tree(t, victim)
		for _, force := range []bool{false, true} {
			j.Force = force
			if _, err := Run(t.Context(), j); !errors.Is(err, data.ErrUnsafe) {
				t.Errorf("%s: error %v", tc.link, err)
			}
			sameTree(t, tree(t, victim), before)
		}
	}
}

// An output that is itself a link to a folder is that folder, also for a run that resumes. Links below it are refused still.
func TestOutputIsLink(t *testing.T) {
	base := t.TempDir()
	real, link := filepath.Join(base, "real"), filepath.Join(base, "link")
	if err := os.Mkdir(real, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Skip("this system has no links:", err)
	}
	j := testJob(link, 20, nil)
	j.Source = &fakeSource{n: 20, fatalAt: 15}
	if _, err := Run(t.Context(), j); !errors.Is(err, errBroken) {
		t.Fatalf("error %v", err)
	}
	j.Source = &fakeSource{n: 20}
	if res := mustRun(t, j); res.Resumed == 0 {
		t.Error("nothing was resumed")
	}
	sameTree(t, tree(t, real), undisturbed(t, 20))
	if d, err := Verify(t.Context(), j.Out, 1); err != nil || !d.OK() {
		t.Errorf("Verify: %+v, %v", d, err)
	}
	if err := os.Symlink(base, filepath.Join(real, "sub")); err != nil {
		t.Fatal(err)
	}
	if d, err := Verify(t.Context(), j.Out, 1); err != nil || !slices.Equal(d.Extra, []string{"sub"}) {
		t.Errorf("Verify with a link below: %+v, %v", d, err)
	}
}

// Starting over a finished output removes nothing behind a link that took the place of one of its folders.
func TestForceBehindLink(t *testing.T) {
	base := t.TempDir()
	dir, victim := filepath.Join(base, "out"), filepath.Join(base, "victim")
	for _, d := range []string{dir, victim} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(victim, "file")
	if err := os.WriteFile(file, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(victim, filepath.Join(dir, "sub")); err != nil {
		t.Skip("this system has no links:", err)
	}
	j := testJob(dir, 5, nil)
	m := &Manifest{Version: manifestVersion, Files: []File{{Path: "sub/file", Size: 4}}}
	if err := m.write(j.Out); err != nil {
		t.Fatal(err)
	}
	d, err := Verify(t.Context(), j.Out, 1)
	if err != nil || len(d.Missing)+len(d.Changed) == 0 {
		t.Errorf("Verify behind a link: %+v, %v", d, err)
	}
	j.Force = true
	if _, err := Run(t.Context(), j); err == nil {
		t.Error("a run started over behind a link")
	}
	if _, err := os.Stat(file); err != nil {
		t.Error(err)
	}
}

// What an unfinished output would be called is not this program's where no journal says so.
func TestForeignPartialFile(t *testing.T) {
	dir := t.TempDir()
	j := testJob(dir, 5, nil)
	j.Out = Output{Path: filepath.Join(dir, "out.npy"), File: true}
	partial := j.Out.Path + storage.TempSuffix
	if err := os.WriteFile(partial, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), j); !errors.Is(err, ErrOccupied) {
		t.Errorf("error %v", err)
	}
	if text, err := os.ReadFile(partial); string(text) != "mine" {
		t.Errorf("the file holds %q, %v", text, err)
	}
}

// Whatever byte of a journal changes, it is an error.
func TestJournalChecksum(t *testing.T) {
	p := Output{Path: t.TempDir()}
	if err := os.Mkdir(p.state(), 0o755); err != nil {
		t.Fatal(err)
	}
	j := journal{Next: 12, Items: 36, Records: []string{ArgsName}, State: []byte("state"), Phase: writing, PIDs: []int{1}}
	if err := j.write(p); err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(p.journal())
	if err != nil {
		t.Fatal(err)
	}
	if got, err := readJournal(p); err != nil || got.Next != 12 || got.Items != 36 {
		t.Fatalf("%+v, %v", got, err)
	}
	for i := range 8 * len(good) {
		text := slices.Clone(good)
		text[i/8] ^= 1 << (i % 8)
		if err := os.WriteFile(p.journal(), text, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := readJournal(p); !errors.Is(err, ErrRecord) && !strings.EqualFold(string(text), string(good)) {
			t.Fatalf("bit %d of byte %d: error %v for %s", i%8, i/8, err, text)
		}
	}
}

// The processes that a run had are read of a journal that was cut off, nearly wherever that was.
func TestSalvage(t *testing.T) {
	p := Output{Path: t.TempDir()}
	j := &journal{PIDs: []int{17, 4242}, Options: []Option{{"command", "corrupt"}}, Records: []string{ArgsName}, Next: 7, Phase: writing}
	if err := os.MkdirAll(p.state(), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := j.write(p); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(p.journal())
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{len(text), len(text) - 1, len(text) / 2, 150} {
		if err := os.WriteFile(p.journal(), text[:size], 0o666); err != nil {
			t.Fatal(err)
		}
		if got := salvagePIDs(p); !slices.Equal(got, j.PIDs) {
			t.Errorf("%d of %d bytes: processes %v, want %v", size, len(text), got, j.PIDs)
		}
	}
}
