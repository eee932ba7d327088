package terminal

import "testing"

func TestCount(t *testing.T) {
	for want, got := range map[string]string{
		"0 samples": Count(0, "sample"), "1 sample": Count(1, "sample"), "2 samples": Count(int64(2), "sample"),
		"1 class": Count(1, "class"), "3 classes": Count(3, "class"), "2 epochs": Count(2, "epoch"), "2 batches": Count(2, "batch"),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
