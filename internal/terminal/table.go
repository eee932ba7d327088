package terminal

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// Table writes columns under a head, whose titles tabs separate. Cells are shown as OneLine does.
func Table(w io.Writer, head string, fill func(row func(cells ...any))) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, head)
	fill(func(cells ...any) {
		for i, c := range cells {
			if i > 0 {
				fmt.Fprint(t, "\t")
			}
			fmt.Fprint(t, OneLine(fmt.Sprint(c)))
		}
		fmt.Fprintln(t)
	})
	_ = t.Flush() // callers write into memory
}
