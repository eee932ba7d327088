package studio

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"hash"
	"io/fs"

	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
	"github.com/augmix-go/augmix/sheet"
)

// signature is what a page and a module compare: builds with equal ones have the same page and tables and make the same pixels.
type signature struct {
	Sign string `json:"sign"`
}

// sign takes the fingerprint of the page's files, of the tables, and of the pixels that every corruption and AugMix make of a small
// scene. Versions alone would not do: a module that is built without version control has none. Frost is left out, as its
// textures may be the user's.
func (s *Server) sign(ctx context.Context, _ *request) (any, error) {
	h := sha256.New()
	if err := signPage(h); err != nil {
		return nil, err
	}
	all, err := s.info(ctx, nil)
	if err != nil {
		return nil, err
	}
	about := all.(pageInfo)
	tables := pageInfo{Corruptions: about.Corruptions, Mixes: about.Mixes, Ops: about.Ops}
	if err := json.NewEncoder(h).Encode(tables); err != nil {
		return nil, err
	}
	scene := &sample{image: sheet.Scene(32, 32), key: "sign"}
	for _, c := range tables.Corruptions {
		if c.Name == "frost" {
			continue
		}
		m, err := s.corrupt(scene, &request{Name: c.Name, Severity: 3})
		if err != nil {
			return nil, err
		}
		h.Write(m.Pix)
	}
	var mixed raster.Image
	var scratch mix.Scratch
	r := rng.NewKey(0).Rand()
	mix.NewAugMix().Apply(&mixed, scene.image, &r, &scratch)
	h.Write(mixed.Pix)
	return signature{hex.EncodeToString(h.Sum(nil)[:16])}, nil
}

func signPage(h hash.Hash) error {
	return fs.WalkDir(page, "page", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := page.ReadFile(path)
		h.Write([]byte(path))
		h.Write(text)
		return err
	})
}
