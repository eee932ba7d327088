package yamltext

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
)

// TestMarshal: whatever a text holds, it is read back, and only what would not be is written otherwise than the library does.
func TestMarshal(t *testing.T) {
	type options struct {
		In   string            `yaml:"in"`
		List []string          `yaml:"list"`
		Map  map[string]string `yaml:"map"`
	}
	for s, same := range map[string]bool{
		"photos": true, "a: b": true, "0x10": true, "": true, "null": true, "é #1": true, "a\x01b": true,
		".inf": false, "-.inf": false, ".NaN": false, "a\tb": false, "a\r": false, "a\nb": false,
	} {
		want := options{s, []string{s, "x"}, map[string]string{"k": s}}
		text, err := Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got options
		var loose map[string]any
		err = errors.Join(yaml.Unmarshal(text, &got), yaml.Unmarshal(text, &loose))
		if err != nil || !reflect.DeepEqual(got, want) || loose["in"] != any(s) {
			t.Errorf("%q: %+v %q %v from\n%s", s, got, loose["in"], err, text)
		}
		if plain, err := yaml.Marshal(want); err != nil || (string(plain) == string(text)) != same {
			t.Errorf("%q: %v\n%s\nnot\n%s", s, err, text, plain)
		}
	}
}

// bomb is a text of so many levels, each of which names the one below twice, as a merge or as a list.
func bomb(levels int, twice string) string {
	var b strings.Builder
	b.WriteString("m0: &m0 {k: 1}\n")
	for i := range levels {
		fmt.Fprintf(&b, "m%d: &m%[1]d "+twice+"\n", i+1, i)
	}
	return b.String()
}

// TestAliases: aliases that stand for more and more are refused at once, whatever they stand in; those of recipes are not.
func TestAliases(t *testing.T) {
	for name, twice := range map[string]string{
		"merges": "{<<: [*m%[2]d, *m%[2]d], k%[1]d: 1}", "lists": "[*m%[2]d, *m%[2]d]", "maps": "{a: *m%[2]d, b: *m%[2]d}",
	} {
		start := time.Now()
		for _, levels := range []int{17, 40} {
			text := []byte(bomb(levels, twice))
			for _, err := range []error{Check(text), CheckAliases(text)} {
				if !errors.Is(err, ErrText) || !strings.Contains(err.Error(), "aliases stand for more than 100000 values") {
					t.Errorf("%s, %d levels: %v", name, levels, err)
				}
			}
		}
		if err := Check([]byte(bomb(5, twice))); err != nil {
			t.Errorf("%s of five levels: %v", name, err)
		}
		if d := time.Since(start); d > 10*time.Second {
			t.Errorf("%s: %v", name, d)
		}
	}
	var many strings.Builder
	many.WriteString("common: &common {epochs: 3, lr: 0.1}\nmethods:\n")
	for i := range 100 {
		fmt.Fprintf(&many, "  m%d: {<<: *common, mix: augmix}\n", i)
	}
	for name, text := range map[string]string{"one for all": many.String(), "none": "a: '&b *c'\n", "of itself": "a: &a [*a]\n", "broken": "a: &b [*b\n"} {
		if err := Check([]byte(text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
