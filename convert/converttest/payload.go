package converttest

import (
	"bytes"
	"io"
	"os"
)

// payload opens one result of a task, which is in memory or on disk.
type payload func() (io.ReadSeekCloser, error)

// payloads are the result of a success; nil is none.
func (s Step) payloads() (all []payload) {
	if s.Files == nil {
		for _, path := range s.Paths {
			all = append(all, func() (io.ReadSeekCloser, error) { return os.Open(path) }) //nolint:gosec // The Converter chose it.
		}
		return all
	}
	all = make([]payload, len(s.Files))
	for i, b := range s.Files {
		all[i] = func() (io.ReadSeekCloser, error) { return inMemory{bytes.NewReader(b)}, nil }
	}
	return all
}

func (open payload) size() (int64, error) {
	file, err := open()
	if err != nil {
		return 0, err
	}
	defer func() { _ = file.Close() }()
	return file.Seek(0, io.SeekEnd)
}

// inMemory needs no Close.
type inMemory struct{ *bytes.Reader }

func (inMemory) Close() error { return nil }
