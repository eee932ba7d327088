package predictions

import (
	"bufio"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	meta "github.com/parquet-go/parquet-go/format"
)

// maxPage bounds a page of a Parquet file, uncompressed: writers make pages of a megabyte.
const maxPage = 1 << 28

// checkPages looks at the headers of the pages of a column in a row group, whose bytes r has. The library takes the memory that a header
// declares before it reads the page, which damage makes gigabytes: a page must lie in the file, and what becomes of it has a bound. A
// header that cannot be read is left to the library, which says what is wrong.
func checkPages(r io.ReaderAt, size int64, column *meta.ColumnMetaData) error {
	at := column.DataPageOffset
	if d := column.DictionaryPageOffset; d > 0 && d < at {
		at = d
	}
	for values := int64(0); values < column.NumValues && at >= 0 && at < size; {
		var h meta.PageHeader
		in := new(thrift.CompactProtocol).NewReader(bufio.NewReaderSize(io.NewSectionReader(r, at, size-at), 256))
		if err := thrift.NewDecoder(in).Decode(&h); err != nil {
			return nil
		}
		at += int64(in.BytesRead())
		if h.CompressedPageSize < 0 || int64(h.CompressedPageSize) > size-at || h.UncompressedPageSize < 0 || h.UncompressedPageSize > maxPage {
			return fmt.Errorf("%w: damaged Parquet: a page of %d bytes, %d uncompressed (allowed: those of the file, %d uncompressed)", ErrFormat,
				h.CompressedPageSize, h.UncompressedPageSize, maxPage)
		}
		at += int64(h.CompressedPageSize)
		switch {
		case h.DataPageHeader.Valid:
			values += int64(h.DataPageHeader.V.NumValues)
		case h.DataPageHeaderV2.Valid:
			values += int64(h.DataPageHeaderV2.V.NumValues)
		}
	}
	return nil
}
