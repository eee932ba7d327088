package data

import "errors"

// Names by which package generate keeps outputs, and by which data/formats sees that one is not whole.
const (
	StateDir     = ".augmix"       // folder in an output that a run is at work on
	JournalName  = "journal.json"  // in it, of a run on this machine
	ClaimName    = "claim.json"    // in it, of a run to an object store
	MovingName   = "moving"        // in it, where a complete output gets parts that a run has made since
	ShardPrefix  = "shard-"        // of folders in it, of a run by shards
	ManifestName = "manifest.json" // in an output that is complete
)

// ErrUnfinished: a data set that a run of this module has begun and not completed.
var ErrUnfinished = errors.New("unfinished data")
