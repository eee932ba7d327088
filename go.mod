module github.com/augmix-go/augmix

go 1.26.0

require (
	github.com/alecthomas/kong v1.17.0 // flags, help: one struct is flags and recorded options
	github.com/goccy/go-yaml v1.19.2 // args.yaml, --config, recipes
	github.com/parquet-go/parquet-go v0.32.0 // predictions in Parquet files
	github.com/vbauerster/mpb/v8 v8.9.3 // progress bars with rate and ETA
	github.com/yalue/onnxruntime_go v1.27.0 // ONNX Runtime, only in builds with the tag onnxruntime
	golang.org/x/image v0.47.0 // WebP, BMP, TIFF; fonts of contact sheets
	golang.org/x/sys v0.49.0 // CPU features; syncing a file system
	gonum.org/v1/gonum v0.17.0 // tests: oracle of distributions and transforms
	gonum.org/v1/plot v0.16.0 // PNG figures of reports
	google.golang.org/protobuf v1.34.2 // tests: independent reader of event files
	pgregory.net/rapid v1.3.0 // tests: properties
)

require (
	codeberg.org/go-fonts/liberation v0.5.0 // indirect
	codeberg.org/go-latex/latex v0.1.0 // indirect
	codeberg.org/go-pdf/fpdf v0.10.0 // indirect
	git.sr.ht/~sbinet/gg v0.6.0 // indirect
	github.com/VividCortex/ewma v1.2.0 // indirect
	github.com/acarl005/stripansi v0.0.0-20180116102854-5a71ef0e047d // indirect
	github.com/ajstarks/svgo v0.0.0-20211024235047-1546f124cd8b // indirect
	github.com/andybalholm/brotli v1.1.1 // indirect
	github.com/campoy/embedmd v1.0.0 // indirect
	github.com/golang/freetype v0.0.0-20170609003504-e2365dfdc4a0 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/klauspost/compress v1.17.9 // indirect
	github.com/mattn/go-runewidth v0.0.16 // indirect
	github.com/parquet-go/bitpack v1.0.0 // indirect
	github.com/parquet-go/jsonlite v1.0.0 // indirect
	github.com/pierrec/lz4/v4 v4.1.21 // indirect
	github.com/pmezard/go-difflib v1.0.0 // indirect
	github.com/rivo/uniseg v0.4.7 // indirect
	github.com/twpayne/go-geom v1.6.1 // indirect
	golang.org/x/text v0.43.0 // indirect
)
