module github.com/augmix-go/augmix/nn/internal/vec/generate

go 1.26.0

require github.com/mmcloughlin/avo v0.6.0

require (
	github.com/google/go-cmp v0.7.0 // indirect
	golang.org/x/mod v0.38.0 // indirect
	golang.org/x/sync v0.22.0 // indirect
	golang.org/x/tools v0.48.0 // indirect
)
