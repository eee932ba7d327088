# What is here: "make test" is the README's test command, "make ci" what has to pass before a change lands.

GO ?= go

.PHONY: test lint noasm generate generated notice bench fuzz soak oracle ci

test:
	$(GO) test ./...

lint:
	$(GO) vet ./...
	test -z "$$($(GO) tool -modfile=tools.mod gofumpt -l . | tee /dev/stderr)"
	$(GO) tool -modfile=tools.mod staticcheck ./...
	$(GO) tool -modfile=tools.mod actionlint

noasm:
	$(GO) build -tags noasm ./...
	$(GO) test -tags noasm ./internal/kernel ./nn/... ./metrics/... ./augment ./mix ./generate

# The assembly of amd64 is written by modules of their own; run them from the root, so that they see the types of the packages.
generate:
	$(GO) build -C internal/kernel/_generate -o "$(CURDIR)/.generate" .
	./.generate -out internal/kernel/kernel_amd64.s -stubs internal/kernel/kernel_amd64.go -pkg kernel
	$(GO) build -C nn/internal/conv/_generate -o "$(CURDIR)/.generate" .
	./.generate -out nn/internal/conv/kernels_amd64.s -stubs nn/internal/conv/kernels_amd64.go -pkg conv
	$(GO) build -C nn/internal/vec/_generate -o "$(CURDIR)/.generate" .
	./.generate -out nn/internal/vec/vec_amd64.s -stubs nn/internal/vec/stubs_amd64.go -pkg vec
	$(GO) build -C metrics/internal/softmax/_generate -o "$(CURDIR)/.generate" .
	./.generate -out metrics/internal/softmax/softmax_amd64.s -stubs metrics/internal/softmax/softmax_amd64.go -pkg softmax
	rm -f .generate
	$(GO) run ./tools/neon

generated: generate
	git diff --exit-code -- internal/kernel nn/internal metrics/internal

# The licenses of what is linked into releases; a test compares.
notice:
	$(GO) run ./tools/notice

# Benchmarks, with peers measured in the same run where Debian's packages for them are installed; see docs/performance.md.
bench:
	bash tools/bench/run.sh

# Every fuzz target for FUZZTIME each.
FUZZTIME ?= 30s
fuzz:
	bash tools/fuzz.sh $(FUZZTIME)

# Attacks on the built program, for SOAKTIME.
SOAKTIME ?= 5m
soak:
	dir=$$(mktemp -d) && $(GO) build -o "$$dir/augmix" ./cmd/augmix && \
	$(GO) run ./tools/soak --augmix "$$dir/augmix" --time $(SOAKTIME); status=$$?; rm -rf "$$dir"; exit $$status

# The project's own golden files, from Debian's Pillow.
oracle:
	python3 tools/oracle/oracle.py

ci:
	bash .ci/run
