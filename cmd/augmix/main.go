// Command augmix makes image classifiers robust and measures how robust they are: it augments and trains, corrupts and perturbs
// data sets, evaluates, scores and reports. Run "augmix --help".
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/internal/filelock"
	"github.com/augmix-go/augmix/internal/terminal"
)

func main() {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		fmt.Fprintln(os.Stderr, "\naugmix: interrupted, keeping what is done; once more to stop at once")
		cancel(errInterrupted)
		<-signals
		os.Exit(exitInterrupted)
	}()
	filelock.Warn = func(dir string) {
		fmt.Fprintf(os.Stderr, "augmix: %s lies on a file system without locks: see that no other run writes there\n", terminal.OneLine(dir))
	}
	storage.Until = ctx
	storage.Waiting = func(err error) {
		fmt.Fprintf(os.Stderr, "augmix: %s; trying again\n", terminal.OneLine(err.Error()))
	}
	os.Exit(run(ctx, os.Args[1:], standardStreams()))
}
