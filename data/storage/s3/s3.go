//go:build !js

package s3

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/minio/minio-go/v7/pkg/s3utils"

	"github.com/augmix-go/augmix/data/storage"
)

// Config says where an S3 store is and how patient to be with it. The zero value is Amazon's, of the region of the bucket.
type Config struct {
	Endpoint string                   // "https://HOST[:PORT]", or http; "" is Amazon's
	Region   string                   // "" asks the store, or is us-east-1 with an Endpoint
	Keys     *credentials.Credentials // nil: the usual chain, see EnvironmentConfig

	Tries int           // of every request, half as many where nobody has ever been at the address; 0: 8
	Wait  time.Duration // before the second try, twice as long before each further one, up to 10 s; 0: 200 ms
	// Stall is the time without a byte after which a request is given up and tried again, a quarter of it where nobody has answered yet;
	// 0: 1 minute.
	Stall time.Duration
}

// EnvironmentConfig returns what the environment says, in the variables of Amazon's tools: AWS_ENDPOINT_URL_S3 or
// AWS_ENDPOINT_URL, AWS_REGION or AWS_DEFAULT_REGION. Keys are looked for in AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and
// AWS_SESSION_TOKEN, then in the profile AWS_PROFILE of ~/.aws/credentials, then where the machine gives them (EC2, ECS, EKS;
// not with AWS_EC2_METADATA_DISABLED=true). Without any, requests are not signed, as public buckets allow.
func EnvironmentConfig() Config {
	first := func(names ...string) string {
		for _, name := range names {
			if v := os.Getenv(name); v != "" {
				return v
			}
		}
		return ""
	}
	return Config{
		Endpoint: first("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"), Region: first("AWS_REGION", "AWS_DEFAULT_REGION"),
	}
}

// Store is a store that speaks Amazon's protocol. It is made by [New].
type Store struct {
	core   *minio.Core
	config Config
	blocks *blocks
	room   chan struct{} // for parts under way: memory is bounded by it

	answered *atomic.Bool // the store has answered a request
	given    atomic.Bool  // nobody was at the address, and that was an error
	said     sync.Once    // that a request got no answer
}

// New returns the store of c. It asks nothing of it yet. The error is that of an endpoint that is no URL.
func New(c Config) (*Store, error) {
	c.setDefaults()
	host, secure := "s3.amazonaws.com", true
	if c.Endpoint != "" {
		u, err := url.Parse(c.Endpoint)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || strings.Trim(u.Path, "/") != "" {
			return nil, fmt.Errorf("%w: endpoint %q (allowed: https://HOST[:PORT], or http)", storage.ErrStore, c.Endpoint)
		}
		host, secure = u.Host, u.Scheme == "https"
		if c.Region == "" {
			c.Region = "us-east-1"
		}
	}
	transport, err := minio.DefaultTransport(secure)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", storage.ErrStore, err)
	}
	transport.ResponseHeaderTimeout = c.Stall
	transport.MaxIdleConnsPerHost = 64
	answered := new(atomic.Bool)
	core, err := minio.NewCore(host, &minio.Options{
		Creds: c.Keys, Secure: secure, Region: c.Region, Transport: patient{transport, c.Stall, answered},
		MaxRetries: 1, // retry is the one place for that
	})
	if err != nil {
		return nil, fmt.Errorf("%w: endpoint %q: %w", storage.ErrStore, c.Endpoint, err)
	}
	return &Store{core: core, config: c, blocks: newBlocks(), room: make(chan struct{}, atOnce), answered: answered}, nil
}

// shared is the store of all objects, made anew where the environment has come to say another.
var shared struct {
	sync.Mutex
	store  *Store
	config Config
}

func init() {
	storage.Register(func() (storage.Store, error) {
		s, err := environmentStore()
		if err != nil {
			return nil, err // not s, which as a nil pointer would be no nil interface
		}
		return s, nil
	})
}

// environmentStore returns the store that the environment says.
func environmentStore() (*Store, error) {
	shared.Lock()
	defer shared.Unlock()
	c := EnvironmentConfig()
	if shared.store == nil || shared.config != c {
		s, err := New(c)
		if err != nil {
			return nil, err
		}
		shared.store, shared.config = s, c
	}
	return shared.store, nil
}

func (c *Config) setDefaults() {
	if c.Tries == 0 {
		c.Tries = 8
	}
	if c.Wait == 0 {
		c.Wait = 200 * time.Millisecond
	}
	if c.Stall == 0 {
		c.Stall = time.Minute
	}
	if c.Keys == nil {
		chain := []credentials.Provider{&credentials.EnvAWS{}, &credentials.FileAWSCredentials{}}
		if os.Getenv("AWS_EC2_METADATA_DISABLED") != "true" {
			dial := &net.Dialer{Timeout: 2 * time.Second} // where there is no such service nobody answers
			client := &http.Client{Transport: &http.Transport{DialContext: dial.DialContext}, Timeout: 10 * time.Second}
			chain = append(chain, &credentials.IAM{Client: client})
		}
		c.Keys = credentials.NewChainCredentials(chain)
	}
}

// split returns the bucket and the key in a name; the key of a bucket is "".
func split(name string) (bucket, key string, err error) {
	bucket, key, _ = strings.Cut(strings.TrimPrefix(name, storage.Scheme), "/")
	key = strings.TrimRight(key, "/")
	if bucket == "" || key != "" && !storage.Usable(key) {
		return "", "", fmt.Errorf("%w: %s (allowed: %sBUCKET/KEY, without empty parts, . and ..)", storage.ErrName, name, storage.Scheme)
	}
	if err := s3utils.CheckValidBucketName(bucket); err != nil {
		return "", "", fmt.Errorf("%w: %s: %w", storage.ErrName, name, err)
	}
	return bucket, key, nil
}

// Stat describes an object or what counts as a folder.
func (s *Store) Stat(name string) (fs.FileInfo, error) {
	ctx := context.Background()
	bucket, key, err := split(name)
	if err != nil {
		return nil, err
	}
	if key != "" {
		info, err := s.stat(ctx, bucket, key)
		if err == nil {
			plain := info.Metadata.Get("X-Amz-Server-Side-Encryption") != "aws:kms" &&
				info.Metadata.Get("X-Amz-Server-Side-Encryption-Customer-Algorithm") == ""
			return objectInfo{storage.ObjectInfo{Object: entry(name, &info)}, plain}, nil
		}
		// An answer to this request has no text. That to the next says what is wrong.
		if code := minio.ToErrorResponse(err).StatusCode; code < 400 || code > 499 {
			return nil, s.explain(name, err)
		}
	}
	for _, err := range s.objects(ctx, bucket, key, 1, "") {
		if err != nil {
			return nil, s.explain(name, err)
		}
		return storage.ObjectInfo{Object: storage.Entry{Name: name}, Folder: true}, nil
	}
	if key == "" {
		return storage.ObjectInfo{Object: storage.Entry{Name: name}, Folder: true}, nil // an empty bucket
	}
	return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
}

// objectInfo is what Stat says of an object.
type objectInfo struct {
	storage.ObjectInfo
	plain bool // the tag of so many digits is an MD5: the store did not encrypt the object with a key of somebody's
}

func entry(name string, info *minio.ObjectInfo) storage.Entry {
	return storage.Entry{Name: name, Size: info.Size, Time: info.LastModified, Tag: info.ETag}
}

func (s *Store) stat(ctx context.Context, bucket, key string) (info minio.ObjectInfo, err error) {
	err = s.retry(ctx, func(ctx context.Context) error {
		info, err = s.core.StatObject(ctx, bucket, key, minio.StatObjectOptions{})
		return err
	})
	return info, err
}

// objects yields what a folder holds: every object below it, or with the delimiter "/" those in it and its folders, whose
// names end with a slash. A page that fails is asked for again from where the one before ended.
func (s *Store) objects(ctx context.Context, bucket, folder string, page int, delimiter string) iter.Seq2[minio.ObjectInfo, error] {
	if folder != "" {
		folder += "/"
	}
	return func(yield func(minio.ObjectInfo, error) bool) {
		last, stopped := "", false
		var seen circle
		list := func(ctx context.Context) error {
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			again := 0 // keys in a row that bring nothing
			o := minio.ListObjectsOptions{Prefix: folder, Recursive: delimiter == "", MaxKeys: page, StartAfter: last}
			for info := range s.core.ListObjectsIter(ctx, bucket, o) {
				if info.Err != nil {
					return info.Err
				}
				if info.Key == last || info.Key == folder {
					// the last folder again; the object of zero bytes that some tools make of a folder
					if again++; again > 3 {
						return fmt.Errorf("%w: %q", errCircle, info.Key)
					}
					continue
				}
				if again = 0; seen.comesRound(info.Key) {
					return fmt.Errorf("%w: %q", errCircle, info.Key)
				}
				last = info.Key
				if !yield(info, nil) {
					stopped = true
					return nil
				}
			}
			return ctx.Err()
		}
		for {
			from := last
			err := s.retry(ctx, func(ctx context.Context) error {
				if err := list(ctx); err == nil || last == from {
					return err // nothing came: that counts as a failed try
				} else if !temporary(err) {
					return err
				}
				return errProgress
			})
			if errors.Is(err, errProgress) {
				continue
			}
			if err != nil && !stopped {
				yield(minio.ObjectInfo{}, err)
			}
			return
		}
	}
}

// errProgress ends the tries of what has come further than before, so that they are counted anew.
var errProgress = errors.New("storage: came further")

const listPage = 1000

// List yields the objects below a folder in the order of their keys, a page of 1,000 at a time.
func (s *Store) List(ctx context.Context, folder string) iter.Seq2[storage.Entry, error] {
	return func(yield func(storage.Entry, error) bool) {
		bucket, key, err := split(folder)
		if err != nil {
			yield(storage.Entry{}, err)
			return
		}
		for info, err := range s.objects(ctx, bucket, key, listPage, "") {
			if err != nil {
				yield(storage.Entry{}, s.explain(folder, err))
				return
			}
			if !storage.Usable(info.Key) {
				continue
			}
			if !yield(entry(storage.Scheme+bucket+"/"+info.Key, &info), nil) {
				return
			}
		}
	}
}

// ReadDir lists what counts as a folder.
func (s *Store) ReadDir(name string) ([]fs.DirEntry, error) {
	bucket, key, err := split(name)
	if err != nil {
		return nil, err
	}
	var entries []fs.DirEntry
	for info, err := range s.objects(context.Background(), bucket, key, listPage, "/") {
		if err != nil {
			return nil, s.explain(name, err)
		}
		full, dir := strings.CutSuffix(info.Key, "/")
		if storage.Usable(full) {
			entries = append(entries, fs.FileInfoToDirEntry(storage.ObjectInfo{Object: entry(full, &info), Folder: dir}))
		}
	}
	if len(entries) == 0 && key != "" {
		return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, nil
}

// Remove removes an object.
func (s *Store) Remove(ctx context.Context, name string) error {
	bucket, key, err := split(name)
	if err != nil {
		return err
	}
	return s.explain(name, s.retry(ctx, func(ctx context.Context) error {
		return s.core.RemoveObject(ctx, bucket, key, minio.RemoveObjectOptions{})
	}))
}
