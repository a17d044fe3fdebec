package previews3

import (
	"context"
	"iter"
	"net/url"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// IDs lists the ids of all documents, in the order of their keys. It costs one listing
// for each 1000 documents. A listing that fails is the last pair.
func (s *Store) IDs(ctx context.Context) iter.Seq2[string, error] {
	delimiter := "/"
	return func(yield func(string, error) bool) {
		pages := s3.NewListObjectsV2Paginator(s.cfg.Client, &s3.ListObjectsV2Input{
			Bucket: &s.cfg.Bucket, Prefix: &s.cfg.Prefix, Delimiter: &delimiter,
		})
		for pages.HasMorePages() {
			out, err := pages.NextPage(ctx, s.options...)
			if err != nil {
				yield("", fail("list", err))
				return
			}
			for _, common := range out.CommonPrefixes {
				if common.Prefix == nil {
					continue
				}
				dir := strings.TrimSuffix(strings.TrimPrefix(*common.Prefix, s.cfg.Prefix), delimiter)
				id, err := url.PathUnescape(dir)
				if err != nil || id == "" || escape(id) != dir { // Such as checkDir.
					continue
				}
				if !yield(id, nil) {
					return
				}
			}
		}
	}
}

// Delete removes a document with all its versions and uploads. A document that does
// not exist is no error, and after an error Delete can be repeated. A save that is
// being completed at that moment may leave its version: let Config.Allow refuse
// updates first.
func (s *Store) Delete(ctx context.Context, fileID string) error {
	// Versions first: bytes without a version are not a document.
	for _, dir := range []string{versionsDir, ""} {
		prefix := s.key(fileID, dir)
		pages := s3.NewListObjectsV2Paginator(s.cfg.Client, &s3.ListObjectsV2Input{Bucket: &s.cfg.Bucket, Prefix: &prefix})
		for pages.HasMorePages() {
			out, err := pages.NextPage(ctx, s.options...)
			if err != nil {
				return fail("list", err)
			}
			for _, o := range out.Contents {
				if err := s.remove(ctx, *o.Key); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
