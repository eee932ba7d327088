// Command augmix-beam runs commands of augmix as pipelines of Apache Beam: in this process, or on a cluster of Flink, Spark or
// Dataflow. Run "augmix-beam --help".
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"

	"github.com/augmix-go/augmix/internal/terminal"
)

// Exit codes, those of augmix.
const (
	exitDone     = 0
	exitFailed   = 1
	exitUsage    = 2
	exitRejected = 3 // done, but some inputs were rejected
)

var (
	parts    = flag.Int("parts", 8, "Parts that the input is divided into; about 500 images each are a good measure.")
	tries    = flag.Int("tries", 4, "How often a part is tried before the pipeline fails.")
	path     = flag.String("augmix", "", "The program augmix on the workers (beside this program, else on their PATH).")
	logLevel = flag.String("log", "none", "What runner and workers log here: debug, info, warn, error or none.")
)

const usage = `Usage: augmix-beam [FLAGS] corrupt|augment|perturb IN -o OUT [FLAGS OF AUGMIX]
       augmix-beam [FLAGS] eval MODEL IN -o DIR [FLAGS OF AUGMIX]
       augmix-beam [FLAGS] score PRED -o FILE [FLAGS OF SCORE]

Runs a command of augmix as a pipeline of Apache Beam: the input is divided into parts, workers do the parts by calling augmix
with --shard, and a last step puts them together. The output has the bytes of one run of augmix.

EVAL
  A part is a suite, or of c and p one corruption or perturbation of it, measured into DIR.parts. The last step puts rows, records
  and logits together and has augmix add the means. DIR lies on a disk that all workers share; --parts is not looked at.

SCORE
  A part is a range of rows of the predictions, in whatever files. Sums of parts are combined; no machine holds all rows. Errors,
  NLL, Brier score, ECE and largest gap of bins of equal width, CE and mCE are those of augmix score, bit for bit, binary Brier score and
  soft F1 within 1e-12. What needs all rows sorted (RMS and mean absolute calibration error with adaptive bins, refinement, AURRA,
  AURC, E-AURC) comes from a histogram of 65,536 buckets: such rows say in versions.approximate how far off they are at most.
  PRED and FILE lie on a disk that all workers share (FILE may be s3://). The layouts are single, cifar-c and imagenet-c, the flags
  --baseline --bins --dataset --kind --labels --layout --model --reference-binning --severity, as augmix score has them.
  A part that fails is for the runner to do again; --tries and --augmix are not looked at.
  Left out: several models, layouts p and ood, class numbers, intervals, comparisons, classes, records, smooth_ece.

WORKERS
  A worker that dies or fails is replaced: the part goes on where it was, at most --tries times. What augmix says is wrong with
  the command line is not tried again. Rejected inputs (--on-error skip) are rows of OUT.rejected.jsonl. Without a common disk, IN
  and OUT are s3://, and names of files are the same on all workers.

EXAMPLES
  augmix-beam corrupt cifar-10-batches-bin -o CIFAR-10-C
  augmix-beam eval net.safetensors cifar-10-batches-bin --suite clean,c,p -o eval
  augmix-beam --parts 64 score imagenet-c-logits -o results.jsonl
  augmix-beam --parts 64 --runner flink --endpoint localhost:8099 --environment_type EXTERNAL --environment_config localhost:50000 \
      corrupt s3://data/val -o s3://out/val-C --size 256 --crop 224 --output-format wds

EXIT STATUS
  0 done   1 failed   2 the command line is wrong   3 done, but some inputs were rejected

FLAGS, the runners' among them
`

func main() {
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), usage)
		flag.PrintDefaults()
	}
	flag.Parse()
	if *logLevel != "none" {
		log.LogLevel, log.LogKind = *logLevel, "text"
	}
	beam.Init() // in a worker it does the work and does not return
	if *logLevel == "none" {
		quiet()
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, flag.Args(), os.Stderr))
}

// quiet logs nothing: the error that ends a pipeline is said in the end, which the runner does a dozen times before.
func quiet() { slog.SetDefault(slog.New(slog.DiscardHandler)) }

// commands are what can be run, and how.
var commands = map[string]func(p *beam.Pipeline, c program, n int) (report, error){
	"corrupt": divide, "augment": divide, "perturb": divide, "eval": evaluate, "score": scorePredictions,
}

// run runs the command line of augmix as a pipeline and returns the exit code. What there is to say goes to w.
func run(ctx context.Context, args []string, w io.Writer) int {
	fail := func(code int, err error) int {
		fmt.Fprintf(w, "augmix-beam: error: %s\n", terminal.Message("%v", err))
		return code
	}
	if len(args) == 0 || commands[args[0]] == nil {
		return fail(exitUsage, fmt.Errorf("command %q (allowed: corrupt, augment, perturb, eval, score; see augmix-beam --help)", strings.Join(args[:min(len(args), 1)], "")))
	}
	if *parts < 1 || *parts > 10000 || *tries < 1 {
		return fail(exitUsage, fmt.Errorf("--parts %d --tries %d (allowed: 1 to 10000, 1 and up)", *parts, *tries))
	}
	if i := slices.IndexFunc(args, func(s string) bool { return s == "--shard" || strings.HasPrefix(s, "--shard=") }); i >= 0 {
		return fail(exitUsage, fmt.Errorf("%s (allowed: none; the pipeline says it)", args[i]))
	}
	dir, err := os.Getwd()
	if err != nil {
		return fail(exitFailed, err)
	}
	c := program{Path: *path, Dir: dir, Args: args, Tries: *tries}
	if args[0] != "score" && slices.ContainsFunc(args, func(s string) bool { return s == "--help" || s == "-h" || s == "--plan" }) {
		return c.show(ctx)
	}
	p := beam.NewPipeline()
	tell, err := commands[args[0]](p, c, *parts)
	if errors.Is(err, flag.ErrHelp) {
		flag.CommandLine.SetOutput(os.Stdout)
		flag.Usage()
		return exitDone
	}
	if err != nil {
		return fail(exitUsage, err)
	}
	res, err := beamx.RunWithMetrics(ctx, p)
	if err != nil {
		return fail(explain(err))
	}
	if *jobopts.Async { // the runner goes on without this process, and there are no metrics yet
		return exitDone
	}
	if tell != nil {
		if err := tell(w); err != nil {
			return fail(exitFailed, err)
		}
	}
	count := counts(res)
	if n := count[samplesName]; n > 0 {
		fmt.Fprintf(w, "augmix-beam: %s, %s\n", terminal.Count(n, "sample"), terminal.Count(count[imagesName], "image"))
	}
	if n := count[retriesName]; n > 0 {
		fmt.Fprintf(w, "augmix-beam: parts were tried again %s\n", terminal.Count(n, "time"))
	}
	if n := count[rejectedName]; n > 0 {
		fmt.Fprintf(w, "augmix-beam: %s rejected, listed in the file beside the output whose name ends in %s\n", terminal.Count(n, "sample"), rejectedSuffix)
		return exitRejected
	}
	return exitDone
}

// explain finds the error of a worker in the text of a runner's error, and the exit code.
func explain(err error) (int, error) {
	text := err.Error()
	if i := strings.LastIndex(text, "] failed:"); i >= 0 { // "DoFn[...] failed:"
		err = errors.New(strings.TrimSpace(text[i+len("] failed:"):]))
	}
	if strings.Contains(text, errUsage.Error()) {
		return exitUsage, err
	}
	return exitFailed, err
}

// counts returns the counters of a pipeline that is done.
func counts(res beam.PipelineResult) map[string]int {
	count := map[string]int{}
	for _, c := range res.Metrics().Query(func(r beam.MetricResult) bool { return r.Namespace() == namespace }).Counters() {
		count[c.Name()] += int(c.Result())
	}
	return count
}

// show runs augmix as it is, for what is only said.
func (p program) show(ctx context.Context) int {
	cmd, err := p.command(ctx, p.Args)
	if err == nil {
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
		err = cmd.Run()
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "augmix-beam: error:", err)
		return exitFailed
	}
	return exitDone
}
