package terminal

import "testing"

func TestBytes(t *testing.T) {
	for text, want := range map[string]Bytes{"1": 1, "512M": 512 << 20, "2G": 2 << 30, "3K": 3 << 10} {
		var b Bytes
		if err := b.UnmarshalText([]byte(text)); err != nil || b != want {
			t.Errorf("%s: %d, %v, want %d", text, b, err, want)
		}
	}
	for _, text := range []string{"", "0", "-1", "G", "1.5G", "2T", "9999999999G", " 1"} {
		var b Bytes
		if err := b.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q: %d, want an error", text, b)
		}
	}
}
