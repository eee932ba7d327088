package report

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// version1 unpacks testdata/version1.tar.gz: the results.jsonl and records.npz of two networks of augmix quickstart, as
// the last program that wrote version 1 measured them (augmix eval --suite clean,c,p,calibration,anomalies,pgd --limit 24
// on 300 drawn scenes), and report.csv, which its report wrote of them.
func version1(t *testing.T) string {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", "version1.tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	z, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for in := tar.NewReader(z); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return dir
		}
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, filepath.FromSlash(h.Name))
		if h.Typeflag == tar.TypeDir {
			err = os.MkdirAll(path, 0o755)
		} else {
			var text []byte
			if text, err = io.ReadAll(in); err == nil {
				err = os.WriteFile(path, text, 0o644)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// centered are the intervals of average precision, low and high, that are drawn from version 1's records, by the values of their
// lines: they were not centered when report.csv was written.
var centered = map[string]string{
	"aupr,0.95,0.7857142857142857,1,":                                  "aupr,0.95,0.7773507936507936,0.9916365079365079,",
	"aupr,0.49583333333333335,0.24409163752913784,0.8411363636363635,": "aupr,0.49583333333333335,0.21615226021935616,0.8131969863265818,",
	"aupr,0.8541666666666666,0.6166666666666666,1,":                    "aupr,0.8541666666666666,0.5963878517316017,0.9797211850649351,",
	"aupr,0.7666666666666666,0.6397060057997558,0.9388888888888888,":   "aupr,0.7666666666666666,0.6186389542918954,0.9178218373810284,",
	"aupr,0.5535714285714286,0.25,0.95,":                               "aupr,0.5535714285714286,0.21144336822961884,0.9114433682296188,",
	"aupr,0.8511904761904763,0.7557490079365081,0.9722222222222222,":   "aupr,0.8511904761904763,0.7434143163044675,0.9598875305901816,",
}

// points are the intervals of errors of 24 images of which none is wrong, from records: they were 0 to 0, and are Wilson's since.
var points = regexp.MustCompile(`,error,0,0,0,0.95,(\d+,0?),no,interval from the records`)

const wilson = ",error,0,0,0.1379762046749802,0.95,$1,no,interval from the records"

// TestVersion1Report: results and records of version 1 give every number that they gave, to the last digit: rows, means
// that no row carries, and the intervals that are drawn from records, but for those that are computed otherwise since.
func TestVersion1Report(t *testing.T) {
	dir := version1(t)
	runs := []*Run{load(t, filepath.Join(dir, "standard")), load(t, filepath.Join(dir, "augmix"))}
	rep, err := Build(t.Context(), runs, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if err := rep.WriteCSV(&got); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(filepath.Join(dir, "report.csv"))
	if err != nil {
		t.Fatal(err)
	}
	for was, is := range centered {
		if bytes.Count(want, []byte(was)) != 1 {
			t.Fatalf("%q is not in one line", was)
		}
		want = bytes.Replace(want, []byte(was), []byte(is), 1)
	}
	if n := len(points.FindAll(want, -1)); n != 19 {
		t.Fatalf("%d errors of 0", n)
	}
	want = points.ReplaceAll(want, []byte(wilson))
	a, b := bytes.Split(got.Bytes(), []byte("\n")), bytes.Split(want, []byte("\n"))
	if len(a) != len(b) || len(a) < 1900 {
		t.Fatalf("%d lines, want %d", len(a), len(b))
	}
	for i := range a {
		if !bytes.Equal(a[i], b[i]) {
			t.Errorf("line %d is\n%s\nwant\n%s", i+1, a[i], b[i])
		}
	}
	if d := rep.table(t, "augmix − standard"); len(d.Rows) < 8 || d.Rows[0].Cells[4].Text != "paired" {
		t.Errorf("differences %+v", d.Rows)
	}
}
