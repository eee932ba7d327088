module github.com/augmix-go/augmix

go 1.26.0

require (
	codeberg.org/go-pdf/fpdf v0.12.0 // figures in PDF, with the letters they use embedded
	github.com/alecthomas/kong v1.17.0 // flags, help: one struct is flags and recorded options
	github.com/goccy/go-yaml v1.19.2 // args.yaml, --config, recipes
	github.com/minio/minio-go/v7 v7.4.1 // object stores: s3:// for 3.3 MB, where gocloud.dev/blob costs 16 MB and more
	github.com/parquet-go/parquet-go v0.32.0 // predictions in Parquet files
	github.com/vbauerster/mpb/v8 v8.9.3 // progress bars with rate and ETA
	github.com/yalue/onnxruntime_go v1.27.0 // ONNX Runtime, only in builds with the tag onnxruntime
	golang.org/x/image v0.47.0 // WebP, BMP, TIFF; fonts and outlines of contact sheets and figures
	golang.org/x/sys v0.49.0 // CPU features; syncing a file system
	gonum.org/v1/gonum v0.17.0 // OOD scores by features; tests: oracle of distributions and transforms
	google.golang.org/protobuf v1.36.12 // tests: independent reader of event files
	pgregory.net/rapid v1.3.0 // tests: properties
)

require (
	github.com/VividCortex/ewma v1.2.0 // indirect
	github.com/acarl005/stripansi v0.0.0-20180116102854-5a71ef0e047d // indirect
	github.com/andybalholm/brotli v1.1.1 // indirect
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	github.com/clipperhouse/uax29/v2 v2.7.0 // indirect
	github.com/dustin/go-humanize v1.0.1 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/klauspost/compress v1.19.2 // indirect
	github.com/klauspost/cpuid/v2 v2.4.0 // indirect
	github.com/klauspost/crc32 v1.3.0 // indirect
	github.com/mattn/go-runewidth v0.0.24 // indirect
	github.com/minio/crc64nvme v1.1.1 // indirect
	github.com/minio/md5-simd v1.1.2 // indirect
	github.com/parquet-go/bitpack v1.0.0 // indirect
	github.com/parquet-go/jsonlite v1.0.0 // indirect
	github.com/philhofer/fwd v1.2.0 // indirect
	github.com/pierrec/lz4/v4 v4.1.21 // indirect
	github.com/rs/xid v1.6.0 // indirect
	github.com/tinylib/msgp v1.6.4 // indirect
	github.com/twpayne/go-geom v1.6.1 // indirect
	github.com/zeebo/xxh3 v1.1.0 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/crypto v0.57.0 // indirect
	golang.org/x/net v0.60.0 // indirect
	golang.org/x/text v0.43.0 // indirect
	gopkg.in/ini.v1 v1.67.3 // indirect
)
