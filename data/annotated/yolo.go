package annotated

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/augmix-go/augmix/data"
)

// maxText is the largest file of annotations of one image that is read, in bytes.
const maxText = 64 << 20

// yoloLine is a line of YOLO's labels: a box or a polygon, in fractions of the image's sides.
type yoloLine struct {
	class  string
	box    []float64 // center x, center y, width, height; nil for a polygon
	points []float64 // x and y in turn
	rest   string    // after a box: a confidence
}

// parseYOLO reads a line. reason is what is wrong with it, "" for nothing.
func parseYOLO(text string) (l yoloLine, reason string) {
	fields := strings.Fields(text)
	l.class = fields[0]
	if _, err := strconv.ParseUint(l.class, 10, 31); err != nil {
		return l, fmt.Sprintf("class %q (allowed: a number from 0)", l.class)
	}
	if len(fields) == 6 {
		l.rest = " " + fields[5]
		fields = fields[:5]
	}
	if len(fields) < 5 || len(fields)%2 == 0 {
		return l, fmt.Sprintf("%d values (allowed: a class with a box of 4 or a polygon of x and y)", len(fields))
	}
	var values []float64
	for _, f := range fields[1:] {
		v, err := strconv.ParseFloat(f, 64)
		if err != nil || !isFinite(v) {
			return l, fmt.Sprintf("%q is no number", f)
		}
		values = append(values, v)
	}
	const eps = 0.005 // labels are rounded
	outside := func(v float64) bool { return v < -eps || v > 1+eps }
	if len(values) > 4 {
		l.points = values
		if slices.ContainsFunc(values, outside) {
			return l, "a point outside the image (allowed: fractions from 0 to 1)"
		}
		return l, ""
	}
	l.box = values
	x, y, w, h := values[0], values[1], values[2], values[3]
	if w <= 0 || h <= 0 || slices.ContainsFunc([]float64{x - w/2, y - h/2, x + w/2, y + h/2}, outside) {
		return l, fmt.Sprintf("box %v (allowed: a box within the image, in fractions from 0 to 1)", values)
	}
	return l, ""
}

// checkYOLO looks for what is wrong with a file of labels.
func (a *Annotations) checkYOLO(name string, add func(*Problem)) {
	_, text, err := a.tree.readText(name)
	if err != nil {
		add(problem(name, "", "%v", reasonOf(err)))
		return
	}
	for i, line := range data.DecodeLines(text) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		if a.pose { // the box alone: what follows are keypoints
			line = strings.Join(strings.Fields(line)[:min(5, len(strings.Fields(line)))], " ")
		}
		l, reason := parseYOLO(line)
		if class, _ := strconv.Atoi(l.class); reason == "" && a.classes >= 0 && class >= a.classes {
			reason = fmt.Sprintf("class %d of %d (allowed: 0 to %d)", class, a.classes, a.classes-1)
		}
		if reason != "" {
			add(problem(name, fmt.Sprintf("line %d", i+1), "%s", reason))
		}
	}
}

// readClasses finds out from a YAML file how many classes there are, the number after nc or that of names, and whether labels have
// keypoints.
func (a *Annotations) readClasses(name string) error {
	_, text, err := a.tree.readText(name)
	if err != nil {
		return err
	}
	names, highest := 0, -1
	within := false // the block of names
	list := ""      // the list of names in brackets, until it is closed
	for _, line := range data.DecodeLines(text) {
		line, _, _ = strings.Cut(line, " #")
		key, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		if n, err := strconv.Atoi(value); key == "nc" && err == nil {
			a.classes = n
		}
		a.pose = a.pose || key == "kpt_shape"
		switch item := strings.TrimSpace(line); {
		case list != "":
			list += item
		case key == "names":
			within = true
			if strings.HasPrefix(value, "[") {
				list = value
			}
		case !within || item == "" || strings.HasPrefix(item, "#"):
		case strings.HasPrefix(item, "- "):
			names++
		case line[0] == ' ' || line[0] == '\t':
			if n, err := strconv.Atoi(strings.TrimSpace(key)); err == nil {
				highest = max(highest, n)
			}
		default:
			within = false
		}
		if inner, closed := strings.CutSuffix(list, "]"); closed {
			names, list, within = countItems(inner[1:]), "", false
		}
	}
	if n := max(names, highest+1); n > 0 && a.classes < 0 {
		a.classes = n
	}
	return nil
}

// countItems counts what commas outside of quotes separate; a comma at the end adds nothing.
func countItems(list string) int {
	n, quote, empty := 0, rune(0), true
	for _, c := range list {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == ',':
			empty = true
			continue
		case c == '"' || c == '\'':
			quote = c
		}
		if empty && c != ' ' {
			n++
			empty = false
		}
	}
	return n
}
