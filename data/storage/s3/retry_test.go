//go:build !js

package s3

import (
	"errors"
	"io/fs"
	"testing"

	"github.com/minio/minio-go/v7"

	"github.com/augmix-go/augmix/data/storage"
)

// Keys that have expired say nothing of the object that was asked for; that it may not be read does.
func TestExplainOfAll(t *testing.T) {
	for _, c := range []struct {
		code   string
		status int
		is     error
		failed bool
	}{
		{"ExpiredToken", 400, fs.ErrPermission, true},
		{"RequestTimeTooSkewed", 403, fs.ErrPermission, true},
		{"NoSuchBucket", 404, fs.ErrNotExist, true},
		{"AccessDenied", 403, fs.ErrPermission, false},
		{"NoSuchKey", 404, fs.ErrNotExist, false},
		{"InternalError", 500, storage.ErrStore, true},
	} {
		err := explain("s3://b/k", minio.ErrorResponse{Code: c.code, StatusCode: c.status})
		if !errors.Is(err, c.is) || storage.Failed(err) != c.failed {
			t.Errorf("%s: %v, the store's: %v", c.code, err, storage.Failed(err))
		}
	}
}
