package annotated

import (
	"strings"
	"testing"
)

const vocBndbox = "<bndbox><xmin>1</xmin><ymin>1</ymin><xmax>2</xmax><ymax>2</ymax></bndbox>"

// TestVOCElements: each box is of the element around it, whatever stands before, between and after.
func TestVOCElements(t *testing.T) {
	part := "<part>" + vocBndbox + "</part>"
	first := "<object>" + part + vocBndbox + part + "</object>"
	text := "<annotation>" + first + "<object>" + vocBndbox + "</object></annotation>"
	boxes, _, _, reason := parseVOC([]byte(text))
	if reason != "" || len(boxes) != 4 {
		t.Fatalf("%d boxes, %q", len(boxes), reason)
	}
	for i, want := range []string{part, first, part, "<object>" + vocBndbox + "</object>"} {
		if b := boxes[i]; text[b.from:b.to] != want {
			t.Errorf("box %d is of %q, want %q", i, text[b.from:b.to], want)
		}
	}
}

// TestVOCMany: 50,000 objects, or parts of one, whose time once went with the square of their number: twenty times as many took hours.
// Elements in elements without end are refused.
func TestVOCMany(t *testing.T) {
	const n = 50_000
	for _, text := range []string{
		"<annotation>" + strings.Repeat("<object>"+vocBndbox+"</object>", n) + "</annotation>",
		"<annotation><object>" + strings.Repeat("<part>"+vocBndbox+"</part>", n) + "</object></annotation>",
	} {
		boxes, _, _, reason := parseVOC([]byte(text))
		if len(boxes) != n || reason != "" || boxes[n-1].to == 0 {
			t.Errorf("%d boxes, %q", len(boxes), reason)
		}
	}
	deep := strings.Repeat("<object>"+vocBndbox, 100_000)
	if _, _, _, reason := parseVOC([]byte(deep)); !strings.Contains(reason, "lies in 64 elements") {
		t.Errorf("%q", reason)
	}
}
