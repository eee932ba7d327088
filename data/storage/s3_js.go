package storage

// S3 has no store in a browser: a page may not ask other servers, and its client is as large as the rest of the module.
func sharedS3() (Store, error) { return nil, ErrStore }
