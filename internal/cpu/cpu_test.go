package cpu

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestChoose(t *testing.T) {
	if !assembly {
		t.Skip("these tables are those of programs with assembly")
	}
	type row struct {
		value   string
		best    Level
		want    Level
		mistake string // words of the error, "" for none
	}
	for _, c := range map[string][]row{"amd64": {
		{"", AVX512, AVX512, ""},
		{"", Plain, Plain, ""},
		{"plain", AVX512, Plain, ""},
		{"avx2", AVX512, AVX2, ""},
		{"avx512", AVX512, AVX512, ""},
		{"AVX2", AVX512, AVX2, ""},
		{"Avx512", AVX512, AVX512, ""},
		{"avx512", AVX2, AVX2, `AUGMIX_CPU="avx512": this processor lacks it`},
		{"avx2", Plain, Plain, `AUGMIX_CPU="avx2": this processor lacks it`},
		{"avx-512", AVX512, AVX512, `AUGMIX_CPU="avx-512": no such level`},
		{" avx2", AVX512, AVX512, `AUGMIX_CPU=" avx2": no such level`},
		{"sse2", AVX2, AVX2, "(allowed here: plain, avx2)"},
		{"0", AVX512, AVX512, "(allowed here: plain, avx2, avx512)"},
		{"AVX512", Plain, Plain, "(allowed here: plain)"},
		{"neon", AVX512, AVX512, `AUGMIX_CPU="neon": this processor lacks it (allowed here: plain, avx2, avx512)`},
	}, "arm64": {
		{"", NEON, NEON, ""},
		{"Neon", NEON, NEON, ""},
		{"plain", NEON, Plain, ""},
		{"avx2", NEON, NEON, `AUGMIX_CPU="avx2": this processor lacks it (allowed here: plain, neon)`},
		{"asimd", NEON, NEON, "no such level"},
	}}[runtime.GOARCH] {
		got, err := choose(c.value, c.best)
		if got != c.want {
			t.Errorf("%q on a machine with %v: level %v, want %v", c.value, c.best, got, c.want)
		}
		if c.mistake == "" && err != nil {
			t.Errorf("%q on a machine with %v: %v", c.value, c.best, err)
		}
		if c.mistake != "" && (!errors.Is(err, ErrLevel) || !strings.Contains(err.Error(), c.mistake)) {
			t.Errorf("%q on a machine with %v: error %v, want %q", c.value, c.best, err, c.mistake)
		}
	}
}

func TestLevels(t *testing.T) {
	list := Levels()
	if list[0] != Plain || list[len(list)-1] != Use() || !slices.IsSorted(list) || Use() > Best() {
		t.Errorf("levels %v, in use %v, best %v", list, Use(), Best())
	}
	for _, l := range list {
		if arch := levels[l].arch; arch != "" && arch != runtime.GOARCH {
			t.Errorf("%v is a level of %s, not of %s", l, arch, runtime.GOARCH)
		}
	}
	if !assembly && Best() != Plain {
		t.Errorf("the best level without assembly is %v", Best())
	}
	features := strings.Fields(Features())
	for _, l := range list {
		for _, f := range levels[l].needs {
			if !slices.Contains(features, f.name) {
				t.Errorf("the level is %v, the features %q lack %s", Use(), features, f.name)
			}
		}
	}
}

func TestSelect(t *testing.T) {
	old, before := use, selections
	defer func() { use, selections = old, before }()
	selections = nil
	for _, c := range []struct {
		use  Level
		have []Level
		want Level
	}{
		{AVX512, []Level{AVX2, AVX512}, AVX512},
		{AVX512, []Level{AVX512, AVX2}, AVX512},
		{AVX512, []Level{AVX2}, AVX2},
		{AVX2, []Level{AVX2, AVX512}, AVX2},
		{AVX2, []Level{AVX512}, Plain},
		{Plain, []Level{AVX2, AVX512}, Plain},
		{AVX512, nil, Plain},
		{NEON, []Level{AVX2, AVX512, NEON}, NEON},
		{AVX512, []Level{AVX2, AVX512, NEON}, AVX512},
		{Plain, []Level{NEON}, Plain},
	} {
		use = c.use
		if got := Select("b", c.have...); got != c.want {
			t.Errorf("of %v with %v in use: %v, want %v", c.have, c.use, got, c.want)
		}
	}
	selections = selections[:1]
	Select("a")
	if got, want := Selections(), []Selection{{"a", Plain}, {"b", AVX512}}; !slices.Equal(got, want) {
		t.Errorf("selections %v, want %v", got, want)
	}
}

func TestNoAssembly(t *testing.T) {
	if assembly {
		t.Skip("this program has assembly")
	}
	if _, err := choose("avx2", Best()); !errors.Is(err, ErrLevel) || !strings.Contains(err.Error(), "built without assembly") {
		t.Errorf("error %v", err)
	}
}

// TestVariable runs this program again with values of AUGMIX_CPU.
func TestVariable(t *testing.T) {
	const child = "AUGMIX_CPU_CHILD"
	if os.Getenv(child) != "" {
		if err := Err(); err != nil {
			t.Log("mistake:", err)
		}
		t.Log("level:", Use())
		return
	}
	for value, want := range map[string]string{
		"":      "level: " + Best().String(),
		"plain": "level: plain",
		"PLAIN": "level: plain",
		"avx1":  `mistake: bad CPU level: AUGMIX_CPU="avx1": no such level`,
	} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestVariable$", "-test.v")
		cmd.Env = append(os.Environ(), child+"=1", Variable+"="+value)
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%s=%s: %v\n%s\nwant %q", Variable, value, err, out, want)
		}
		if value == "avx1" && !strings.Contains(string(out), "level: "+Best().String()) {
			t.Errorf("after a mistake the level is not the best one:\n%s", out)
		}
	}
}
