module github.com/augmix-go/augmix

go 1.26.0

require (
	github.com/alecthomas/kong v1.17.0 // flags, help: one struct is flags and recorded options
	github.com/goccy/go-yaml v1.19.2 // args.yaml, --config
	github.com/vbauerster/mpb/v8 v8.9.3 // progress bars with rate and ETA
	golang.org/x/image v0.47.0 // WebP, BMP, TIFF; fonts of contact sheets
	golang.org/x/sys v0.49.0 // CPU features; syncing a file system
	gonum.org/v1/gonum v0.17.0 // tests: oracle of distributions and transforms
	pgregory.net/rapid v1.3.0 // tests: properties
)

require (
	github.com/VividCortex/ewma v1.2.0 // indirect
	github.com/acarl005/stripansi v0.0.0-20180116102854-5a71ef0e047d // indirect
	github.com/mattn/go-runewidth v0.0.16 // indirect
	github.com/rivo/uniseg v0.4.7 // indirect
	golang.org/x/text v0.43.0 // indirect
)
