package studio

import (
	"context"
	"fmt"
	"go/format"
	"regexp"
	"strconv"
	"strings"
	"text/template"

	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/corrupt/cbar"
	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/mixset"
	"github.com/augmix-go/augmix/transform"
)

// copied are ways to make an image that is shown, with its bytes, without the page.
type copied struct {
	Command string `json:"command"`
	Go      string `json:"go"`
	Python  string `json:"python"`
}

// copies returns how the image of q is made: of a corruption where q names one, else of a mix.
func (s *Server) copies(ctx context.Context, q *request) (any, error) {
	from, err := s.prepared(ctx, q)
	if err != nil {
		return nil, err
	}
	in := s.opt.Input
	r := recipe{
		request: q, In: s.opt.Data, Format: in.Format, Layout: in.Layout, ShardKeys: in.ShardKeys, Split: s.parts[q.Image.part].name,
		Channels: in.Channels, Window: in.Reading.Window, FrostDir: s.opt.FrostDir, Filter: "augment.Bilinear",
	}
	if q.Image.upload != "" {
		r.In, r.Format, r.Layout, r.ShardKeys, r.Split, r.Channels, r.Window = from.name, "", "", false, "", nil, nil
	} else if source := s.parts[q.Image.part].whole; source.Len() > 1 {
		if r.Only, r.Without, err = pattern(source, from.key); err != nil {
			return nil, err
		}
	}
	if q.Name != "" && q.Severity > 0 {
		r.Profiles, r.Bars = profileNames[q.Profile], barNames[barProfile(q, from.image)]
		_, err := cbar.ByName(q.Name)
		r.IsBar = err == nil
	} else if q.Name != "" {
		r.Mix = "none"
	} else {
		r.Mix, r.Corrupts = q.Spec.String(), q.Spec.NeedsCorruptions()
		switch {
		case len(q.Pins) > 0:
			return nil, fmt.Errorf("%w: an image with a pinned chain is of two draws, which no command makes (allowed: unpin it)", ErrRequest)
		case q.Spec.NeedsStyles() || q.Spec.NeedsNetwork():
			return nil, fmt.Errorf("%w: %s runs a network of yours, which this page does not (augmix sheet and augment do)", ErrRequest, q.Spec)
		case q.Spec.NeedsPartner():
			r.In, r.Only, r.Without = s.opt.Data, "", ""
			return nil, fmt.Errorf("%w: %s takes its second image from the whole data set, which the command must read: %s",
				ErrRequest, q.Spec, r.command("mixed"))
		case q.Spec.NeedsMixingSet():
			r.Set, r.SetSize = s.setSpec(q.Set), max(q.Crop, mixset.MinSize)
			if q.Crop == 0 {
				r.SetSize = max(from.image.W, from.image.H, mixset.MinSize)
				if q.Size > 0 {
					r.SetSize = max(q.Size, mixset.MinSize)
				}
			}
		}
	}
	return r.copied()
}

// recipe is what the texts are made of.
type recipe struct {
	*request
	In, Split      string
	Only, Without  string // patterns that take the sample alone
	Format, Layout string // "": detected
	ShardKeys      bool
	Channels       []int
	Window         *data.Window
	FrostDir       string
	Profiles, Bars string // names of constants
	IsBar          bool
	Mix, Set       string // Mix "": a corruption
	SetSize        int
	Corrupts       bool // the mix does
	Filter         string
}

var (
	profileNames = map[corrupt.Profile]string{
		corrupt.Auto: "corrupt.Auto", corrupt.P32: "corrupt.P32", corrupt.P64: "corrupt.P64", corrupt.P224: "corrupt.P224", corrupt.P299: "corrupt.P299",
	}
	barNames = map[cbar.Profile]string{cbar.CIFAR: "cbar.CIFAR", cbar.ImageNet: "cbar.ImageNet"}
)

func (r *recipe) copied() (*copied, error) {
	var quoted []string
	for _, a := range append(append([]string{"augmix"}, r.args()...), "--image", "png", "-q", "-o", "-") {
		quoted = append(quoted, strconv.Quote(a))
	}
	var text strings.Builder
	if err := goText.Execute(&text, r); err != nil {
		return nil, err
	}
	source, err := format.Source([]byte(text.String()))
	if err != nil {
		return nil, err
	}
	python := "import io, subprocess\n\nfrom PIL import Image\n\npng = subprocess.run(\n    [" + strings.Join(quoted, ", ") +
		"],\n    check=True, stdout=subprocess.PIPE,\n).stdout\nimage = Image.open(io.BytesIO(png))\n"
	return &copied{Command: r.command(r.Out()), Go: string(source), Python: python}, nil
}

// command is the command line that writes to out.
func (r *recipe) command(out string) string {
	var words []string
	for _, a := range append(append([]string{"augmix"}, r.args()...), "-o", out) {
		words = append(words, quote(a))
	}
	return strings.Join(words, " ")
}

// Out names the file that is written.
func (r *recipe) Out() string {
	switch {
	case r.Mix == "none":
		return "clean.png"
	case r.Mix != "":
		return "mixed.png"
	}
	return fmt.Sprintf("%s-%v.png", r.Name, r.Severity)
}

// args are the arguments of the command but for its output. What has its default is left out.
func (r *recipe) args() []string {
	args := []string{"corrupt", r.In}
	if r.Mix != "" {
		args = []string{"augment", r.In, "--mix", r.Mix}
	} else {
		args = append(args, "--subset", r.Name, "--severity", transform.SeverityName(r.Severity))
		if r.IsBar {
			args = append(args, "--bar-profile", r.Bar())
		} else if r.Profile != corrupt.Auto {
			args = append(args, "--profile", r.Profile.String())
		}
		if r.Name == "frost" && r.FrostDir != "" {
			args = append(args, "--frost-dir", r.FrostDir)
		}
	}
	add := func(flag, value, without string) {
		switch {
		case value == without:
		case value[0] == '-': // not to be taken for a flag
			args = append(args, flag+"="+value)
		default:
			args = append(args, flag, value)
		}
	}
	add("--mixset", r.Set, "")
	add("--seed", strconv.FormatUint(r.Seed, 10), "0")
	if r.Mix != "" {
		add("--epoch", strconv.Itoa(r.Epoch), "1")
	}
	add("--size", strconv.Itoa(r.Size), "0")
	add("--crop", strconv.Itoa(r.Crop), "0")
	add("--input-format", r.Format, "")
	add("--layout", r.Layout, "")
	if r.ShardKeys {
		args = append(args, "--shard-keys")
	}
	add("--channels", channelList(r.Channels), "")
	if r.Window != nil {
		add("--window", r.Window.String(), "")
	}
	add("--split", r.Split, "")
	add("--only", listItem(r.Only), "")
	add("--without", listItem(r.Without), "")
	return args
}

// channelList is the choice of channels as the flag has it.
func channelList(channels []int) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(channels), "[]"), " ", ",")
}

// listItem is a value of a flag of several as the command line takes it, which splits at commas.
func listItem(value string) string { return strings.ReplaceAll(value, ",", `\,`) }

// splits reports whether the command line would split value all the same: after a backslash that is its own, the one before a comma is
// taken for text.
func splits(value string) bool {
	for i := range len(value) {
		before := value[:i]
		if value[i] == ',' && (len(before)-len(strings.TrimRight(before, `\`)))%2 != 0 {
			return true
		}
	}
	return false
}

// Bar is the name of the profile of cbar.
func (r *recipe) Bar() string {
	return strings.ToLower(strings.TrimPrefix(r.Bars, "cbar."))
}

// pattern returns patterns of --only and --without that take the sample of a key alone: the key, or where others hold it too, the key with
// one character left open, which is compared with whole keys. A key of a single character is the shortest that holds it.
func pattern(source data.Indexed, key string) (only, without string, err error) {
	tries := [][2]string{{key, ""}}
	for i, c := range key {
		tries = append(tries, [2]string{key[:i] + "?" + key[i+len(string(c)):], ""})
	}
	for _, p := range append(tries, [2]string{key, "??*"}) {
		if splits(p[0]) {
			continue
		}
		f := data.Filter{Only: []string{p[0]}}
		if p[1] != "" {
			f.Without = []string{p[1]}
		}
		src, err := f.Apply(source)
		if err != nil {
			continue
		}
		if some, ok := src.(data.Indexed); ok && some.Len() == 1 {
			return p[0], p[1], nil
		}
	}
	return "", "", fmt.Errorf("%w takes %s alone", errNoPattern, key)
}

// errNoPattern: others of the data set are like every pattern that a sample is like.
var errNoPattern = fmt.Errorf("%w: no pattern of --only", ErrRequest)

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:=,@%+-]+$`)

// quote makes one word of a shell of s.
func quote(s string) string {
	if plainWord.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

var goText = template.Must(template.New("go").Parse(`package main

import (
{{- if .Set}}
	"context"{{end}}
	"log"
	"os"

	"github.com/augmix-go/augmix/augment"
{{- if not .Mix}}
	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/corrupt/cbar"{{end}}
{{- if .Corrupts}}
	"github.com/augmix-go/augmix/corrupt/all"{{end}}
	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
{{- if .Mix}}
	"github.com/augmix-go/augmix/mix"{{end}}
{{- if .Set}}
	"github.com/augmix-go/augmix/mixset"{{end}}
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
	"github.com/augmix-go/augmix/transform"
)

func main() {
	src, err := formats.Open({{printf "%q" .In}}, formats.Options{
{{- if .Format}}Format: {{printf "%q" .Format}},{{end}}{{if .Layout}}Layout: {{printf "%q" .Layout}},{{end}}{{if .ShardKeys}}ShardKeys: true,{{end -}}
{{if .Channels}}Channels: {{printf "%#v" .Channels}},{{end -}}
{{with .Window}}Reading: data.Reading{Window: &data.Window{Lo: {{.Lo}}, Hi: {{.Hi}}}},{{end -}}
{{if .Split}}Split: {{printf "%q" .Split}},{{end}}{{if .Only}}Only: []string{ {{- printf "%q" .Only -}} },{{end -}}
{{if .Without}}Without: []string{ {{- printf "%q" .Without -}} },{{end -}} })
	check(err)
	defer src.Close()
	var s data.Sample
	check(src.Next(&s))
	var image raster.Image
	check(s.Decode(&image))
	key := transform.SampleKey(rng.NewKey({{.Seed}}), s.Key)
{{if .Mix}}
{{- if .Set}}
	set, err := mixset.Open(context.Background(), {{printf "%q" .Set}}, mixset.Options{Size: {{.SetSize}}})
	check(err)
	defer set.Close()
	method, err := mix.ParseMethod({{printf "%q" .Mix}}, mix.Options{MixingSet: set{{if .Corrupts}}, Corruptions: all.ForMix{{end}}})
{{- else}}
	method, err := mix.ParseMethod({{printf "%q" .Mix}}, mix.Options{ {{- if .Corrupts}}Corruptions: all.ForMix{{end -}} })
{{- end}}
	check(err)
	plan := transform.Prepared({{.Size}}, {{.Filter}}, {{.Crop}})
	plan.Mix, plan.Epoch = method, {{.Epoch}}
	var mixed raster.Image
	check(plan.Transform().Apply([]*raster.Image{&mixed}, &image, key))
	file, err := data.Encoding{}.Append(nil, &mixed)
	check(err)
	check(os.WriteFile({{printf "%q" .Out}}, file, 0o644))
{{else}}
{{- if eq .Name "frost"}}
	textures, err := corrupt.OpenFrost({{printf "%q" .FrostDir}})
	check(err)
{{- end}}
	plan := transform.Corruptions{
		Names: []string{ {{- printf "%q" .Name -}} }, Severities: []float64{ {{- .Severity -}} },
		Profile: {{.Profiles}}, Bar: {{.Bars}},
{{- if eq .Name "frost"}}
		Frost: textures,{{end}}
		Size: {{.Size}}, Filter: {{.Filter}}, Crop: {{.Crop}},
	}
	var parts transform.Parts
	parts.Reset(data.Encoding{}.Append)
	check(plan.Transform().Apply(&parts, &image, key))
	check(os.WriteFile({{printf "%q" .Out}}, parts.All()[0].Data, 0o644))
{{end -}}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
`))
