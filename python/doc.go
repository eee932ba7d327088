// Package python holds the Python package augmix as files, for the tool that packs them into wheels.
package python

import "embed"

// Files are the package's folder augmix and its README.md.
//
//go:embed README.md augmix/*.py augmix/py.typed
var Files embed.FS
