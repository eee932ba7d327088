package studio_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"

	"github.com/augmix-go/augmix/studio"
)

// A page on drawn scenes, asked for one image under fog.
func Example() {
	s, err := studio.New(studio.Options{Data: "scenes:n=10,size=32"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	s.Bind(l.Addr())
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	done := make(chan error)
	go func() { done <- s.Run(ctx, l) }()

	r, err := http.Get(s.URL() + "image/corrupt?image=d3&name=fog&severity=2")
	if err != nil {
		fmt.Println(err)
		return
	}
	file, _ := io.ReadAll(r.Body)
	_ = r.Body.Close()
	fmt.Println(r.Status, r.Header.Get("Content-Type"), string(file[1:4]))
	stop()
	fmt.Println(<-done)
	// Output:
	// 200 OK image/png PNG
	// <nil>
}

// One image under all corruptions, as a file for a mail.
func ExampleServer_Export() {
	s, err := studio.New(studio.Options{Data: "scenes:n=10,size=32"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	file, err := s.Export(context.Background(), "corrupt?image=d3&severity=5")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.Count(string(file), "<img"), "images", strings.Count(string(file), "<script"), "scripts")
	// Output:
	// 34 images 0 scripts
}
