// Package sbom writes what a Go program is made of, its software bill of materials, as an SPDX 2.3 document in JSON.
//
// The Go tool records in every program the modules that are linked into it (see debug.BuildInfo), so that the document
// needs nothing but the program. It is a function of that record: the same program gives the same bytes.
package sbom

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"runtime/debug"
	"strings"
	"time"
)

// ErrNoModules is returned for a record that names no module, as that of a program built without modules does.
var ErrNoModules = errors.New("sbom: the program does not say which modules it is made of")

// Time returns when the commit was made that a program is built from, the zero time where it does not say so.
func Time(info *debug.BuildInfo) time.Time {
	t, err := time.Parse(time.RFC3339, setting(info, "vcs.time"))
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}

// document is an SPDX document (specification 2.3, chapters 6 to 11).
type document struct {
	Version       string         `json:"spdxVersion"`
	License       string         `json:"dataLicense"`
	ID            string         `json:"SPDXID"`
	Name          string         `json:"name"`
	Namespace     string         `json:"documentNamespace"`
	Creation      creation       `json:"creationInfo"`
	Packages      []module       `json:"packages"`
	Relationships []relationship `json:"relationships"`
}

type creation struct {
	Created  string   `json:"created"`
	Creators []string `json:"creators"`
}

type module struct {
	Name             string     `json:"name"`
	ID               string     `json:"SPDXID"`
	Version          string     `json:"versionInfo"`
	Download         string     `json:"downloadLocation"`
	FilesAnalyzed    bool       `json:"filesAnalyzed"`
	LicenseConcluded string     `json:"licenseConcluded"`
	LicenseDeclared  string     `json:"licenseDeclared"`
	Copyright        string     `json:"copyrightText"`
	Source           string     `json:"sourceInfo,omitempty"`
	Refs             []external `json:"externalRefs"`
}

type external struct {
	Category string `json:"referenceCategory"`
	Type     string `json:"referenceType"`
	Locator  string `json:"referenceLocator"`
}

type relationship struct {
	From string `json:"spdxElementId"`
	Type string `json:"relationshipType"`
	To   string `json:"relatedSpdxElement"`
}

const (
	unsaid = "NOASSERTION"
	itself = "SPDXRef-DOCUMENT"
)

// Write writes the document of a program of this project. The licenses of the modules in it are left open: NOTICE has
// them. The time is that of the commit, or 1970 where the program does not say it.
func Write(w io.Writer, info *debug.BuildInfo) error {
	if info == nil || info.Main.Path == "" {
		return ErrNoModules
	}
	main := of(&info.Main)
	main.LicenseDeclared = "Apache-2.0"
	name := info.Main.Path[strings.LastIndex(info.Main.Path, "/")+1:]
	d := document{
		Version: "SPDX-2.3", License: "CC0-1.0", ID: itself,
		Name: strings.Join([]string{name, main.Version, setting(info, "GOOS"), setting(info, "GOARCH")}, "-"),
		Creation: creation{
			Created: time.Unix(0, 0).UTC().Format(time.RFC3339), Creators: []string{"Tool: " + name + "-" + main.Version},
		},
		Packages:      []module{main},
		Relationships: []relationship{{itself, "DESCRIBES", main.ID}},
	}
	if t := Time(info); !t.IsZero() {
		d.Creation.Created = t.Format(time.RFC3339)
	}
	std := debug.Module{Path: "std", Version: strings.TrimPrefix(info.GoVersion, "go")}
	for _, m := range append([]*debug.Module{&std}, info.Deps...) {
		if m.Replace != nil {
			m = m.Replace
		}
		p := of(m)
		d.Packages = append(d.Packages, p)
		d.Relationships = append(d.Relationships, relationship{main.ID, "DEPENDS_ON", p.ID})
	}
	return d.write(w, info.Main.Path)
}

// write gives the document a name that no other document has, made of its content, and writes it.
func (d *document) write(w io.Writer, home string) error {
	content, err := json.Marshal(d)
	if err != nil {
		return fmt.Errorf("sbom: %w", err)
	}
	d.Namespace = fmt.Sprintf("https://%s/spdx/%x", home, sha256.Sum256(content))
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(d); err != nil {
		return fmt.Errorf("sbom: %w", err)
	}
	return nil
}

var other = regexp.MustCompile(`[^A-Za-z0-9.-]`)

// of describes a module. What an identifier may not hold is written as its number, so that no two are the same.
func of(m *debug.Module) module {
	purl, version := "pkg:golang/"+m.Path, m.Version
	if version == "" || version == "(devel)" { // built from a folder that says no version
		version = "(devel)"
	} else {
		purl += "@" + strings.ReplaceAll(version, "+", "%2B")
	}
	id := other.ReplaceAllStringFunc(strings.ReplaceAll(m.Path, "-", "--"), func(s string) string {
		return fmt.Sprintf("-%x-", s)
	})
	p := module{
		Name: m.Path, ID: "SPDXRef-Module-" + id, Version: version, Download: unsaid, LicenseConcluded: unsaid,
		LicenseDeclared: unsaid, Copyright: unsaid,
		Refs: []external{{"PACKAGE-MANAGER", "purl", purl}},
	}
	if m.Sum != "" {
		p.Source = "go.sum " + m.Sum
	}
	return p
}

func setting(info *debug.BuildInfo, key string) string {
	for _, s := range info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}
