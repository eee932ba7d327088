// Package s3 is a [storage.Store] that speaks the protocol of Amazon's S3. A program that imports it, also as _, opens names such
// as s3://BUCKET/KEY wherever package storage opens files; data/formats, generate, predictions and results import it. The store is
// then configured by the environment, see [EnvironmentConfig].
//
// For js/wasm the package is empty: a page may not ask other servers, and the client is as large as the rest of the module.
package s3
