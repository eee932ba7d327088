package experiment

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/corrupt/frost"
	"github.com/augmix-go/augmix/internal/imagefile"
	"github.com/augmix-go/augmix/raster"
)

// frostFiles are the published photographs that the published program chooses from; it never takes the sixth.
var frostFiles = [...]string{"frost1.png", "frost2.png", "frost3.png", "frost4.jpg", "frost5.jpg"}

// frostTextures reads the published photographs; for "" it returns generated ice crystals.
func frostTextures(dir string) (*corrupt.FrostSet, error) {
	if dir == "" {
		return corrupt.NewFrostSet(frost.Default()...)
	}
	var photos []*raster.Image
	for _, name := range frostFiles {
		path := filepath.Join(dir, name)
		file, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("frost photographs (wanted: %s): %w", strings.Join(frostFiles[:], ", "), err)
		}
		m := new(raster.Image)
		if err := imagefile.Decode(m, file); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		photos = append(photos, m)
	}
	return corrupt.NewFrostSet(photos...)
}
