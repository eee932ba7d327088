// Package storagetest runs a real S3 server for tests, and a proxy before it that breaks what goes through.
package storagetest

import (
	"context"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// Keys of the server.
const (
	AccessKey = "augmix"
	SecretKey = "augmix-secret"
	Bucket    = "bucket"
)

// program is the server: github.com/versity/versitygw, a gateway over a folder.
const program = "versitygw"

// Server starts an S3 server on this machine that holds the empty [Bucket], until the test ends, and returns its endpoint and
// the folder of the bucket. Without the server's program the test is skipped.
func Server(t testing.TB) (endpoint, folder string) {
	t.Helper()
	name, err := exec.LookPath(program)
	if err != nil {
		home, _ := os.UserHomeDir()
		name = filepath.Join(home, "go", "bin", program)
		if _, err := os.Stat(name); err != nil {
			t.Skip("no S3 server here: go install github.com/versity/versitygw/cmd/versitygw@v1.8.0")
		}
	}
	root := t.TempDir()
	if err := os.Mkdir(filepath.Join(root, Bucket), 0o777); err != nil {
		t.Fatal(err)
	}
	address := freeAddress(t)
	cmd := exec.Command(name, "--quiet", "--access", AccessKey, "--secret", SecretKey, "--port", address, "posix", root)
	cmd.Env = []string{"HOME=" + root, "PATH=" + os.Getenv("PATH")}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-ended
	})
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/", nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.DefaultClient.Do(r)
		cancel()
		if err == nil {
			answer.Body.Close()
			return "http://" + address, filepath.Join(root, Bucket)
		}
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("the S3 server ended: %v", err)
		default:
		}
		if time.Now().After(deadline) {
			t.Fatalf("the S3 server does not answer: %v", err)
		}
	}
}

func freeAddress(t testing.TB) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// Setenv makes the server that of this process's environment.
func Setenv(t *testing.T, endpoint string) {
	for name, value := range Environment(endpoint) {
		t.Setenv(name, value)
	}
}

// Environment returns the variables by which a process finds the server.
func Environment(endpoint string) map[string]string {
	return map[string]string{
		"AWS_ENDPOINT_URL": endpoint, "AWS_ENDPOINT_URL_S3": "", "AWS_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": AccessKey,
		"AWS_SECRET_ACCESS_KEY": SecretKey, "AWS_SESSION_TOKEN": "", "AWS_EC2_METADATA_DISABLED": "true",
	}
}
