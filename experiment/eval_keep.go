package experiment

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/eval"
	"github.com/augmix-go/augmix/generate"
	"github.com/augmix-go/augmix/internal/digest"
	"github.com/augmix-go/augmix/internal/option"
	"github.com/augmix-go/augmix/internal/records"
	"github.com/augmix-go/augmix/internal/yamltext"
	"github.com/augmix-go/augmix/results"
)

// ConfusionName is the folder, in that of results, of confusion matrices: MODEL/DATASET.csv.
const ConfusionName = "confusion"

// keep opens the folder of results and returns what closes it.
func (r *evaluation) keep() (func(), error) {
	if err := storage.CheckLocal(r.Dir); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(r.Dir, 0o777); err != nil {
		return nil, err
	}
	if err := checkArgs(r.Dir, r.dir, "eval", "feed"); err != nil {
		return nil, err
	}
	if err := r.signVersions(); err != nil {
		return nil, err
	}
	path := filepath.Join(r.Dir, results.FileName)
	rows, err := results.OpenAppend(path)
	if err != nil {
		return nil, err
	}
	known, err := results.ReadFile(path)
	if err == nil {
		err = errors.Join(r.sameModel(known), r.sameData(known), r.sameMap(known))
	}
	if r.Logits {
		r.evaluator.LogitsDir = filepath.Join(r.Dir, "logits", r.logitsName())
	}
	r.evaluator.Confusion = filepath.Join(r.Dir, ConfusionName, r.Name)
	if err == nil {
		err = r.sweep()
	}
	var args []byte
	if err == nil {
		args, err = r.arguments()
	}
	if err == nil {
		err = data.WriteFileAtomic(filepath.Join(r.Dir, generate.ArgsName), args)
	}
	if err != nil {
		return nil, errors.Join(err, rows.Close())
	}
	r.evaluator.Results, r.evaluator.Known = rows, results.Rows(known)
	if !r.NoRecords {
		if r.evaluator.Records, err = eval.OpenRecorder(filepath.Join(r.Dir, records.FileName)); err != nil {
			return nil, errors.Join(err, rows.Close())
		}
		if r.evaluator.Examples, err = eval.OpenExamples(r.Dir, r.Examples); err != nil {
			return nil, errors.Join(err, rows.Close())
		}
	}
	return func() { _ = rows.Close() }, nil
}

// logitsName is the folder of the logits: called after the model, and after what makes them others than the plain ones, beside which they
// lie.
func (r *evaluation) logitsName() string {
	name := r.Name
	if r.TenCrop {
		name += "-ten-crop"
	}
	if n := r.evaluator.Among; n > 0 {
		name += fmt.Sprintf("-among-%d", n)
	}
	if m := r.evaluator.Preprocess; r.evaluator.Override && m != nil {
		name += "-" + inFileName(m.String())
	} else if r.evaluator.Override {
		name += "-not-preprocessed"
	}
	if r.Part != "" {
		name += "-" + inFileName(r.Part)
	}
	return name
}

// inFileName makes any text a part of a file's name. Texts that become one are told apart by what stands beside the logits.
func inFileName(text string) string {
	const longest = 80 // characters
	name := strings.Trim(regexp.MustCompile(`[^\pL\pN.=_-]+`).ReplaceAllString(text, "-"), "-")
	return string([]rune(name)[:min(longest, len([]rune(name)))])
}

// checkFileNames refuses names of a model and of a data set that files in the folder would be called after and that are none of files.
func (r *evaluation) checkFileNames() error {
	if r.Dir == "" || !r.Logits && !r.PerClass && !r.Features {
		return nil
	}
	type named struct{ key, value string }
	names := []named{{"name", r.Name}, {"dataset", r.Dataset}}
	for _, name := range slices.Sorted(maps.Keys(r.OOD)) {
		names = append(names, named{"ood", name})
	}
	for _, o := range names {
		if o.value == "." || o.value == ".." || strings.ContainsAny(o.value, "/\\\x00") {
			return badOption(o.key, strconv.Quote(o.value), "where logits, features or confusion matrices are saved: a name of a file, without / and \\")
		}
	}
	return nil
}

// sweep removes what a killed evaluation left half written. This one has the folder to itself.
func (r *evaluation) sweep() error {
	err := data.RemoveTemporaries(r.Dir, func(name string) bool {
		return slices.Contains([]string{generate.ArgsName, records.FileName, fourierName}, name)
	})
	err = errors.Join(err, data.RemoveTemporaries(r.evaluator.Confusion, func(name string) bool {
		return filepath.Ext(name) == ".csv"
	}))
	examples := filepath.Join(r.Dir, filepath.Dir(filepath.FromSlash(results.ExamplesName)))
	every := func(string) bool { return true }
	err = errors.Join(err, data.RemoveTemporaries(examples, every))
	for _, dir := range []string{"", r.Dataset + results.SuffixC, r.Dataset + results.SuffixCBar, r.Dataset + results.SuffixP} {
		if r.Logits {
			err = errors.Join(err, data.RemoveTemporaries(filepath.Join(r.evaluator.LogitsDir, dir), func(name string) bool {
				return filepath.Ext(name) == ".npy" || filepath.Ext(name) == ".json"
			}))
		}
	}
	return err
}

// arguments are those of the command that the evaluation is run by.
func (r *evaluation) arguments() ([]byte, error) {
	if r.Remote == nil {
		return generate.EncodeArgs("eval", r.Eval)
	}
	args, err := generate.EncodeArgs("feed", r.Eval)
	if err != nil || len(r.RemoteArgs) == 0 {
		return args, err
	}
	more, err := yamltext.Marshal(r.RemoteArgs)
	return append(args, more...), err
}

// options are those of arguments, by which an evaluation that was killed is told from another one.
func (r *evaluation) options() ([]generate.Option, error) {
	text, err := r.arguments()
	if err != nil {
		return nil, err
	}
	return generate.ReadOptions(text)
}

// networkVersion is the key under which rows say what the options say of the model and its file does not, as eval.Told.
const networkVersion = "network"

// signVersions puts the hashes of the model's file and of the test set among the versions of rows.
func (r *evaluation) signVersions() error {
	versions := maps.Clone(r.evaluator.Versions)
	if versions == nil {
		versions = map[string]string{}
	}
	if r.Remote != nil {
		versions[results.VersionWeights] = r.remoteVersion()
	} else {
		sum, _, err := digest.File(r.File)
		if err != nil {
			return err
		}
		versions[results.VersionWeights] = sum.Short()
	}
	if r.told != "" {
		versions[networkVersion] = r.told
	}
	if r.fitted != "" {
		versions[results.VersionWeights] += ", temperature on " + r.fitted
	}
	if r.signature.Content != "" {
		versions[results.VersionContent] = r.signature.Content
	}
	r.evaluator.Versions = versions
	return nil
}

// sameModel refuses to resume in a folder whose rows are of other weights under the same name, or of the same ones as another network
// or normalized otherwise. Of a file that does not describe itself rows of older versions do not say how it was taken.
func (r *evaluation) sameModel(known []results.Located) error {
	for i := range known {
		old := &known[i]
		was, now := old.Versions[results.VersionWeights], r.evaluator.Versions[results.VersionWeights]
		if old.Model != r.Name || was == "" {
			continue
		}
		if was != now {
			return option.Errorf(ErrOption, "{name}: %s holds results of another model called %s (%s, now %s); choose another folder or name",
				old.Place(), r.Name, was, now)
		}
		was, now = old.Versions[networkVersion], r.told
		if was != now && (r.described || was != "" && now != "") {
			keys := "model, norm"
			if r.Remote != nil {
				keys = "mean, std"
			}
			return fmt.Errorf("%w: %s: %s holds results of %s taken otherwise (%s, now %s); choose another folder or name",
				ErrOption, keys, old.Place(), r.Name, cmp.Or(was, asDescribed), cmp.Or(now, asDescribed))
		}
	}
	return nil
}

// asDescribed is what is said of a model that is taken as its file says.
const asDescribed = "as its file says"
