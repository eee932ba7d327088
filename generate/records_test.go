package generate

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/data"
)

// recordedJob has a record that is data beside args.yaml, and writes a folder or a file.
func recordedJob(dir string, file bool) Job {
	j := testJob(dir, 9, nil)
	j.Records["stream.csv"] = []byte("position,key\n0,k000\n")
	if file {
		j.Out = Output{Path: filepath.Join(dir, "items.log"), File: true}
	}
	return j
}

// A record that was changed or removed is damage, to Verify and to the same job; args.yaml is for people to edit.
func TestRecordDamage(t *testing.T) {
	for _, file := range []bool{false, true} {
		j := recordedJob(t.TempDir(), file)
		record, args := j.Out.Record("stream.csv"), j.Out.Record(ArgsName)
		mustRun(t, j)
		if err := os.WriteFile(args, []byte("# mine\nseed: 5\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		if d, err := Verify(t.Context(), j.Out, 1); err != nil || !d.OK() {
			t.Fatalf("an edited args.yaml is damage: %+v, %v", d, err)
		}
		if res := mustRun(t, j); !res.Already {
			t.Error("an edited args.yaml makes a run do it again")
		}
		for what, spoil := range map[string]func() error{
			"changed": func() error { return os.WriteFile(record, []byte("position,key\n0,k001\n"), 0o666) },
			"missing": func() error { return nil },
			"a link":  func() error { return os.Symlink(args, record) },
		} {
			if err := errors.Join(ignoreMissing(os.Remove(record)), spoil()); err != nil {
				t.Fatal(err)
			}
			d, err := Verify(t.Context(), j.Out, 1)
			if err != nil {
				t.Fatal(err)
			}
			got := d.Changed
			if what == "missing" {
				got = d.Missing
			}
			if len(d.Missing)+len(d.Changed)+len(d.Extra) != 1 || !slices.Equal(got, []string{filepath.Base(record)}) {
				t.Errorf("%s: %+v", what, d)
			}
			if _, err := Run(t.Context(), j); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), filepath.Base(record)+" is missing or not what was written") {
				t.Errorf("%s: the same job again: %v", what, err)
			}
		}
		if err := ignoreMissing(os.Remove(record)); err != nil { // a link is never written through
			t.Fatal(err)
		}
		j.Force = true
		mustRun(t, j)
		if d, err := Verify(t.Context(), j.Out, 1); err != nil || !d.OK() {
			t.Errorf("started over: %+v, %v", d, err)
		}
	}
}

// A run that resumes lays a record that was changed meanwhile again.
func TestRecordResumes(t *testing.T) {
	whole, dir := t.TempDir(), t.TempDir()
	mustRun(t, recordedJob(whole, false))
	ctx, cancel := context.WithCancel(t.Context())
	j := recordedJob(dir, false)
	j.Report = func(at Progress) {
		if at.Done >= 7 {
			cancel()
		}
	}
	if _, err := Run(ctx, j); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if err := os.WriteFile(j.Out.Record("stream.csv"), []byte("changed"), 0o666); err != nil {
		t.Fatal(err)
	}
	mustRun(t, recordedJob(dir, false))
	sameTree(t, tree(t, dir), tree(t, whole))
}

// A manifest of an earlier version has no hashes of records: it is read, and a record that is not there is noticed all the same.
func TestRecordsWithoutSums(t *testing.T) {
	j := recordedJob(t.TempDir(), false)
	mustRun(t, j)
	m := map[string]any{}
	path := j.Out.Record(ManifestName)
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	delete(m, "record_sums")
	text, err2 := json.Marshal(m)
	if err := errors.Join(err, err2, data.WriteFileAtomic(path, text)); err != nil {
		t.Fatal(err)
	}
	if d, err := Verify(t.Context(), j.Out, 1); err != nil || !d.OK() {
		t.Errorf("%+v, %v", d, err)
	}
	if err := os.Remove(j.Out.Record("stream.csv")); err != nil {
		t.Fatal(err)
	}
	if d, err := Verify(t.Context(), j.Out, 1); err != nil || !slices.Equal(d.Missing, []string{"stream.csv"}) {
		t.Errorf("%+v, %v", d, err)
	}
}

// A file that lies where the record of a file is to be is nobody's to overwrite.
func TestRecordOccupied(t *testing.T) {
	j := recordedJob(t.TempDir(), true)
	mine := j.Out.Record("stream.csv")
	if err := os.WriteFile(mine, []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), j); !errors.Is(err, ErrOccupied) || !strings.Contains(err.Error(), mine) {
		t.Errorf("error %v", err)
	}
	if text, err := os.ReadFile(mine); err != nil || string(text) != "mine" {
		t.Errorf("%q, %v", text, err)
	}
}
