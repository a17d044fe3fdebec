package converttest

import (
	"bytes"
	"io"
	"os"
)

// payload is one result of a task, in memory or on disk.
type payload struct {
	bytes []byte
	path  string // If not empty, it is there.
}

// payloads are the result of a success; nil is none.
func (s Step) payloads() (all []payload) {
	if s.Files == nil {
		for _, path := range s.Paths {
			all = append(all, payload{path: path})
		}
		return all
	}
	all = make([]payload, len(s.Files))
	for i, b := range s.Files {
		all[i].bytes = b
	}
	return all
}

func (p payload) size() (int64, error) {
	if p.path == "" {
		return int64(len(p.bytes)), nil
	}
	info, err := os.Stat(p.path)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

func (p payload) open() (io.ReadSeekCloser, error) {
	if p.path == "" {
		return inMemory{bytes.NewReader(p.bytes)}, nil
	}
	return os.Open(p.path)
}

// inMemory needs no Close.
type inMemory struct{ *bytes.Reader }

func (inMemory) Close() error { return nil }
