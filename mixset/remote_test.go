package mixset_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/datatest"
	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/data/storage/storagetest"
	"github.com/augmix-go/augmix/mixset"
)

// Of a set in an object store Glance sees another image by its ETag, without reading it.
func TestGlanceRemote(t *testing.T) {
	endpoint, _ := storagetest.Server(t)
	proxy := storagetest.NewProxy(t, endpoint)
	storagetest.Setenv(t, proxy.URL)
	root := storage.Join(storage.Scheme+storagetest.Bucket, "set")
	s, err := storage.For(root)
	if err != nil {
		t.Fatal(err)
	}
	put := func(name string, i int) {
		t.Helper()
		file, err := data.Encoding{}.Append(nil, datatest.Samples(i+1, 20, 20, 0)[i].Image)
		if err != nil {
			t.Fatal(err)
		}
		w, err := s.Create(context.Background(), storage.Join(root, name), storage.CreateOptions{})
		if err == nil {
			_, err = w.Write(file)
		}
		if err == nil {
			err = w.Commit()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	glance := func() string {
		t.Helper()
		sum, err := mixset.Glance(root)
		if err != nil {
			t.Fatal(err)
		}
		return sum
	}
	const images = 9
	for i := range images {
		put(fmt.Sprintf("%d.png", i), i)
	}
	before := proxy.Requests()
	was := glance()
	if n := proxy.Requests() - before; n >= images {
		t.Errorf("%d requests for a set of %d images", n, images)
	}
	if was == "" || glance() != was {
		t.Errorf("%q, then %q", was, glance())
	}
	put("2.png", images)
	if glance() == was {
		t.Error("another image was not seen")
	}
	put("2.png", 2)
	if now := glance(); now != was {
		t.Errorf("%q of the first images, uploaded again, want %q", now, was)
	}
}
