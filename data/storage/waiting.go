package storage

import "context"

// Waiting, where a program sets it before it opens anything, is told once of each store when a request to it failed without an answer and
// will be repeated, so that somebody who watches knows what is waited for.
var Waiting func(err error)

// Until, where a program sets it before it opens anything, ends requests to a store that nobody has answered at yet, with its cause,
// also those of methods that take no context: nothing is to be kept there. Of a store that has answered only the contexts that methods
// are given end requests, for what a run keeps when it is interrupted goes there.
var Until context.Context
