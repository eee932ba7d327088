package main

import (
	"fmt"
	"io"
	"time"

	"github.com/augmix-go/augmix/data/fetch"
	"github.com/augmix-go/augmix/internal/progress"
)

// dataFetch downloads a published data set.
type dataFetch struct {
	Name   string `arg:"" name:"NAME" enum:"cifar10,cifar100" help:"cifar10 or cifar100."`
	Out    string `short:"o" default:"." placeholder:"DIR" help:"Folder to unpack into (the current one)."`
	Form   string `enum:"binary,python" default:"binary" help:"The binary or the Python version (${default})."`
	Mirror string `placeholder:"URL" help:"Folder that holds the archive, instead of where it is published."`
}

// Help is the end of "augmix data fetch --help".
func (dataFetch) Help() string {
	return `WHAT IT DOES
  The archive must have the published MD5 sum, from a mirror too. A download that breaks off resumes
  when the same command is given again; a complete folder is left alone. An archive that already lies
  in DIR under its published name is used instead. The folder's name goes to standard output.

EXAMPLES
  augmix data fetch cifar10 -o data
  augmix data fetch cifar100 --form python --mirror https://mirror.example/cifar`
}

// fetchResult is the JSON form.
type fetchResult struct {
	Folder string `json:"folder"`
}

// archives are fetch's names of what the command line calls otherwise.
var archives = map[string]string{"cifar10": "cifar-10-", "cifar100": "cifar-100-"}

// Run fetches.
func (c *dataFetch) Run(a *app) error {
	var bar *progress.Bar
	folder, err := fetch.Fetch(a.ctx, archives[c.Name]+c.Form, c.Out, fetch.Options{
		Mirror:  c.Mirror,
		Waiting: func(err error, wait time.Duration) { a.say("%v; trying again in %v", err, wait) },
		Progress: func(done, total int64) {
			if bar == nil {
				bar = a.bar("fetch", progress.Bytes, int(total), int(done))
			}
			bar.Set(int(done), 0)
		},
	})
	if bar != nil {
		bar.Stop()
	}
	if err != nil {
		return err
	}
	return a.print(fetchResult{folder}, func(w io.Writer) { fmt.Fprintln(w, folder) })
}
