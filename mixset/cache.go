package mixset

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/internal/regular"
	"github.com/augmix-go/augmix/raster"
)

// UserCache as Options.Cache stands for the folder augmix/mixset in the user's cache folder ([os.UserCacheDir]).
const UserCache = "auto"

// A cache file is
//
//	 0  16 bytes  magic
//	16   4 bytes  cacheVersion
//	20   4 bytes  length of the identity
//	24   8 bytes  number of images
//	32   4 bytes  CRC-32C of the identity and the table
//	36            identity, JSON
//	              table: width and height of every image, 4 bytes each
//	              zeros up to a multiple of 4096
//	              images, four bytes a pixel, without gaps
//
// Numbers are little endian. The file appears under its name only when it is complete, so its size, and the checksum of
// what the size is computed from, tell a damaged one; pixels are not read to check them.
const (
	cacheMagic   = "augmix mixset \r\n"
	cacheVersion = 1
	cacheHeader  = 36
	cachePage    = 4096
	maxIdentity  = 1 << 16
)

// errStale is wrapped by errors about a cache file that is damaged or of other images: it is made again.
var errStale = errors.New("stale cache file")

// cacheDir returns the folder of cache files and makes it if it is missing.
func cacheDir(o Options) (string, error) {
	dir := o.Cache
	if dir == UserCache {
		user, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("the user has no cache folder (name one): %w", err)
		}
		dir = filepath.Join(user, "augmix", "mixset")
	}
	if err := storage.CheckLocal(dir); err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", fmt.Errorf("cannot make the cache folder: %w", err)
	}
	return dir, nil
}

// name is the name of the cache file: what a person would look for, and a hash of the complete identity.
func (id identity) name() string {
	h := sha256.Sum256(id.encode())
	return fmt.Sprintf("%s-%d-seed%d-%s.mixset", id.Kind, id.Side, id.Seed, hex.EncodeToString(h[:6]))
}

func (id identity) encode() []byte {
	b, err := json.Marshal(id)
	if err != nil {
		panic("mixset: " + err.Error())
	}
	return b
}

// throughCache fills s from the cache file of id, which is made first if it is missing or damaged. prepare returns how
// many images there are and what makes them; it is called only if they have to be made. again makes one that the file
// has lost since.
func (s *Set) throughCache(ctx context.Context, o Options, id identity, prepare func() (int, maker, error), again maker) error {
	dir, err := cacheDir(o)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, id.name())
	defer func() {
		if s.mem != nil {
			s.mem.make = again
		}
	}()
	err = s.load(path, id)
	if err == nil || !errors.Is(err, errStale) && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	n, mk, err := prepare()
	if err != nil {
		return err
	}
	if err := writeCache(ctx, path, o, id, n, mk); err != nil {
		return err
	}
	return s.load(path, id)
}

// load maps a cache file.
func (s *Set) load(path string, id identity) error {
	f, err := regular.Open(path)
	if err != nil {
		return fmt.Errorf("cannot open the cache of a mixing set: %w", err)
	}
	st, err := f.Stat()
	if err != nil {
		_ = f.Close()
		return err
	}
	sizes, start, err := readHeader(f, st.Size(), id)
	if err != nil {
		_ = f.Close()
		return fmt.Errorf("%s: %w", path, err)
	}
	m, err := mapFile(f, st.Size())
	if err != nil {
		return fmt.Errorf("cannot map %s: %w", path, err)
	}
	s.mem, s.once = m, nil
	s.img = make([]raster.Image, len(sizes))
	rest := m.Bytes[start:]
	for i, wh := range sizes {
		n := 4 * wh[0] * wh[1]
		s.img[i] = raster.Image{Pix: rest[:n:n], W: wh[0], H: wh[1]}
		rest = rest[n:]
	}
	return nil
}

// readHeader reads what comes before the images: their sizes and where the first begins. It trusts nothing: it
// allocates no more than the size of the file justifies.
func readHeader(f io.Reader, size int64, id identity) (sizes [][2]int, start int64, err error) {
	var h [cacheHeader]byte
	if _, err := io.ReadFull(f, h[:]); err != nil || string(h[:16]) != cacheMagic {
		return nil, 0, fmt.Errorf("%w: no cache file of a mixing set", errStale)
	}
	if v := binary.LittleEndian.Uint32(h[16:]); v != cacheVersion {
		return nil, 0, fmt.Errorf("%w: version %d, want %d", errStale, v, cacheVersion)
	}
	idLen, count := int64(binary.LittleEndian.Uint32(h[20:])), binary.LittleEndian.Uint64(h[24:])
	if idLen > maxIdentity || count < 1 || count > MaxCount || cacheHeader+idLen+8*int64(count) > size {
		return nil, 0, fmt.Errorf("%w: %d bytes do not hold %d images", errStale, size, count)
	}
	rest := make([]byte, idLen+8*int64(count))
	if _, err := io.ReadFull(f, rest); err != nil {
		return nil, 0, fmt.Errorf("%w: %w", errStale, err)
	}
	if crc(rest) != binary.LittleEndian.Uint32(h[32:]) {
		return nil, 0, fmt.Errorf("%w: its header is damaged", errStale)
	}
	if !bytes.Equal(rest[:idLen], id.encode()) {
		return nil, 0, fmt.Errorf("%w: it holds other images", errStale)
	}
	start = pad(cacheHeader + int64(len(rest)))
	want := start
	sizes = make([][2]int, count)
	for i := range sizes {
		t := rest[idLen+8*int64(i):]
		w, h := int(binary.LittleEndian.Uint32(t)), int(binary.LittleEndian.Uint32(t[4:]))
		if raster.CheckSize(w, h) != nil {
			return nil, 0, fmt.Errorf("%w: image %d is %dx%d", errStale, i, w, h)
		}
		sizes[i] = [2]int{w, h}
		want += 4 * int64(w) * int64(h)
	}
	if want != size {
		return nil, 0, fmt.Errorf("%w: %d bytes, want %d", errStale, size, want)
	}
	return sizes, start, nil
}

func pad(n int64) int64 { return (n + cachePage - 1) / cachePage * cachePage }

func crc(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

// header returns the bytes before the images.
func header(id identity, sizes [][2]int) []byte {
	body := id.encode()
	idLen := len(body)
	for _, wh := range sizes {
		body = binary.LittleEndian.AppendUint32(body, uint32(wh[0]))
		body = binary.LittleEndian.AppendUint32(body, uint32(wh[1]))
	}
	b := make([]byte, 0, pad(int64(cacheHeader+len(body))))
	b = append(b, cacheMagic...)
	b = binary.LittleEndian.AppendUint32(b, cacheVersion)
	b = binary.LittleEndian.AppendUint32(b, uint32(idLen))
	b = binary.LittleEndian.AppendUint64(b, uint64(len(sizes)))
	b = binary.LittleEndian.AppendUint32(b, crc(body))
	b = append(b, body...)
	return b[:cap(b)]
}
