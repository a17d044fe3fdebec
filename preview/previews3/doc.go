// Package previews3 keeps documents in an S3 bucket.
package previews3
