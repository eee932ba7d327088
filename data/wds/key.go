package wds

import (
	"path"
	"strings"
)

// escape makes a key end at the first dot of the entry's base name, see [Sink].
func escape(key string) string {
	dir, base := path.Split(key)
	if strings.ContainsAny(base, ".%") {
		base = strings.ReplaceAll(strings.ReplaceAll(base, "%", "%25"), ".", "%2E")
	}
	if key = dir + base; isMeta(key) {
		key = "%5F" + key[1:]
	}
	return key
}

// unescape is the key that a sink writes as key: a set has the same keys, and so the same draws, before and after it is written.
// What no sink writes stays as it is: in other people's shards a percent sign is mostly one.
func unescape(key string) string {
	if !strings.Contains(key, "%") {
		return key
	}
	k := key
	if rest, ok := strings.CutPrefix(key, "%5F"); ok && isMeta("_"+rest) {
		k = "_" + rest
	}
	dir, base := path.Split(k)
	k = dir + strings.NewReplacer("%25", "%", "%2E", ".").Replace(base)
	if escape(k) != key {
		return key
	}
	return k
}
