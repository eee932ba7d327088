//go:build unix

// Command soak attacks a built augmix: it kills it at random moments and at chosen system calls, injects I/O errors, sends
// signals, damages what an interrupted run has left and lets several runs write into one output. After each attack the
// same command is given again, and every file must equal that of a run that nobody disturbed. See docs/reliability.md.
//
//	go build ./cmd/augmix && go run ./tools/soak --augmix ./augmix --trials 20
//
// It needs no other files; the attacks through system calls need strace. It exits 1 if anything is bad.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// config is what the flags say.
type config struct {
	program string // the augmix to attack, absolute
	work    string // folder of the trials, in the end a new one and absolute
	only    *regexp.Regexp
	kinds   []string
	trials  int
	trial   int // the only trial to run, -1 for all
	jobs    int
	limit   time.Duration
	seed    uint64
	out     string
}

func main() {
	cfg, list, err := parse(os.Args[1:])
	switch {
	case errors.Is(err, flag.ErrHelp):
		return
	case err != nil:
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(2)
	case list:
		for _, s := range scenarios {
			fmt.Printf("%-18s augmix %s\n", s.name, strings.Join(s.args, " "))
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	bad, err := soak(ctx, cfg)
	if err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(2)
	}
	if bad > 0 {
		os.Exit(1)
	}
}

func parse(args []string) (cfg config, list bool, err error) {
	flags := flag.NewFlagSet("soak", flag.ContinueOnError)
	flags.StringVar(&cfg.program, "augmix", "augmix", "the program to attack")
	flags.StringVar(&cfg.work, "work", "", "folder for a new folder of the trials (that for temporary files)")
	only := flags.String("only", "", "only the scenarios whose names match this regular expression")
	kinds := flags.String("kind", "", "only these attacks, separated by commas: "+strings.Join(kindNames(), ", "))
	flags.IntVar(&cfg.trials, "trials", 0, "trials of each scenario (20, or without an end where --time is given)")
	flags.IntVar(&cfg.trial, "trial", -1, "only the trial of this number, to reproduce it")
	flags.IntVar(&cfg.jobs, "j", max(1, runtime.NumCPU()/2), "trials at a time")
	flags.DurationVar(&cfg.limit, "time", 0, "start no trial after this time")
	flags.Uint64Var(&cfg.seed, "seed", 1, "seed of all that is random")
	flags.StringVar(&cfg.out, "out", "", "file for the table, beside standard output")
	flags.BoolVar(&list, "list", false, "print the scenarios and stop")
	if err := flags.Parse(args); err != nil || list {
		return cfg, list, err
	}
	if flags.NArg() > 0 {
		return cfg, list, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if cfg.only, err = regexp.Compile(*only); err != nil {
		return cfg, list, fmt.Errorf("--only: %w", err)
	}
	if cfg.kinds, err = chosenKinds(*kinds); err != nil {
		return cfg, list, err
	}
	if cfg.trials == 0 && cfg.limit == 0 {
		cfg.trials = max(len(rotation), cfg.trial+1)
	}
	if cfg.jobs < 1 {
		return cfg, list, fmt.Errorf("-j %d: want at least 1", cfg.jobs)
	}
	cfg.program, err = program(cfg.program)
	return cfg, list, err
}

// program is the absolute path of the program name, looked for in PATH if it names no folder.
func program(name string) (string, error) {
	path, err := lookPath(name)
	if err != nil {
		return "", fmt.Errorf("--augmix: %w", err)
	}
	return filepath.Abs(path)
}

// report writes the table to standard output and to the file of --out.
func report(cfg config, text string) error {
	fmt.Print(text)
	if cfg.out == "" {
		return nil
	}
	return os.WriteFile(cfg.out, []byte(text), 0o644)
}

var progress io.Writer = os.Stderr
