package feedwire

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/augmix-go/augmix/internal/feedwire/wiretest"
)

// asked is a session of n batches of two images, whose answers of three numbers an image are taken when ahead are out.
func asked(k *talk, n, ahead int) (*Work, func() ([]float32, error)) {
	w := work(n)
	w.Slots = 4
	return w, func() (got []float32, err error) {
		k.session.Expect(3, w.Slots)
		if err := k.session.Greet(w); err != nil {
			return nil, err
		}
		var dst [6]float32
		for i := range n + ahead {
			if i < n {
				err = k.session.Put(func(_ context.Context, contents []byte) (*Batch, error) {
					contents[0] = byte(i)
					return &Batch{Index: i, N: 2, Body: map[string]int{"batch": i}}, nil
				})
			}
			if err == nil && i >= ahead {
				if err = k.session.Answer(dst[:]); err == nil {
					got = append(got, dst[:]...)
				}
			}
			if err != nil {
				return nil, err
			}
		}
		return got, k.session.Finish(Note{Kind: KindRows, Body: []int{n}})
	}
}

// TestAnswers: answers come back in order, however many batches are out.
func TestAnswers(t *testing.T) {
	for _, ahead := range []int{0, 1, 3} {
		k := newTalk(t, t.Context())
		_, serve := asked(k, 30, ahead)
		type end struct {
			got []float32
			err error
		}
		done := make(chan end, 1)
		go func() {
			got, err := serve()
			k.session.Close()
			done <- end{got, err}
		}()
		kinds, next := "", float32(0)
		var want []float32
		for !strings.HasSuffix(kinds, "Z") {
			m, err := k.Next()
			if err != nil {
				t.Fatal(err)
			}
			if m.Kind == 'S' {
				continue
			}
			if kinds += string(m.Kind); m.Kind == 'B' {
				answer := []float32{next, next + 1, next + 2, -next, 0.5, 1e30}
				next += 3
				want = append(want, answer...)
				if err := k.Answer(m, answer); err != nil {
					t.Fatal(err)
				}
			}
		}
		if e := <-done; e.err != nil || !slices.Equal(e.got, want) || kinds != "H"+strings.Repeat("B", 30)+"RZ" {
			t.Errorf("ahead %d: %v, %d numbers, messages %s", ahead, e.err, len(e.got), kinds)
		}
	}
}

// TestBadAnswers: a second answer, one before any batch, and one that breaks off.
func TestBadAnswers(t *testing.T) {
	for want, send := range map[string]func(k *talk, m *wiretest.Message) error{
		"outputs for message 1": func(k *talk, m *wiretest.Message) error {
			return errors.Join(k.Answer(m, make([]float32, 6)), k.Answer(m, make([]float32, 6)))
		},
		"(allowed: 24, float32 [2, 3]": func(k *talk, m *wiretest.Message) error { return k.Answer(m, make([]float32, 7)) },
		"has ended the feed": func(k *talk, m *wiretest.Message) error {
			head := wiretest.Command('L', 0, m.Sequence, 24)
			head[12] = 2
			_, err := k.toChild.Write(append(head, 1, 2, 3))
			return errors.Join(err, k.toChild.Close())
		},
	} {
		k := newTalk(t, t.Context())
		_, serve := asked(k, 2, 0)
		done := make(chan error, 1)
		go func() {
			_, err := serve()
			done <- err
		}()
		for {
			m, err := k.Next()
			if err != nil {
				t.Fatal(err)
			}
			if m.Kind == 'B' {
				if err := send(k, m); err != nil {
					t.Fatal(err)
				}
				break
			}
		}
		select {
		case err := <-done:
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %v", want, err)
			}
		case <-time.After(10 * time.Second):
			t.Errorf("%s: no end", want)
		}
		k.session.Fail(Usage, "x")
	}
}
