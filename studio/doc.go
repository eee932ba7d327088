// Package studio serves a page to see, break and compare: one image under all corruptions, a mix drawn open, what a
// model sees of it, the report and the trainings of any runs, a data set. Its images are those of the commands: the same functions, the same keys of package transform, the same PNG files.
//
//	s, err := studio.New(studio.Options{Data: "photos", Runs: []string{"runs/augmix"}})
//	defer s.Close()
//	err = s.Run(ctx, listener)
//
// A [Server] listens where its caller says, which should be the loopback. It answers only requests that hold its token, a random word of its
// [Server.URL], under the Host that it listens on, and from no other page. The page loads nothing from elsewhere. Images that are
// dropped on it stay in memory, within limits of bytes, pixels and number. No text of a request becomes a path: images are asked for
// by number, runs by number, mixing sets by the name of a generator or as the one of [Options].
//
// [Server.Export] saves a screen as one HTML file, and [Server.WriteStatic] writes a site whose images are computed in the browser: package
// studio/wasm runs the same handlers as WebAssembly.
//
// What is long or stale ends with its request: the page drops requests whose answers it no longer needs, and the server
// leaves out what nobody waits for.
package studio
