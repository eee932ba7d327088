//go:build !js

package storage

import (
	"errors"
	"io/fs"
	"testing"

	"github.com/minio/minio-go/v7"
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
		{"InternalError", 500, ErrStore, true},
	} {
		err := explain("s3://b/k", minio.ErrorResponse{Code: c.code, StatusCode: c.status})
		if !errors.Is(err, c.is) || Failed(err) != c.failed {
			t.Errorf("%s: %v, the store's: %v", c.code, err, Failed(err))
		}
	}
}
