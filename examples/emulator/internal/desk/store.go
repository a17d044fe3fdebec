package desk

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	bolt "go.etcd.io/bbolt"
)

// flushEvery is how long a change may be only in memory.
const flushEvery = 200 * time.Millisecond

// Store keeps the state of a Desk over a restart, in one file. Requests are kept as they
// are shown, without their secrets; the keys of apps and robots are in it.
type Store struct {
	db *bolt.DB

	mu       sync.Mutex
	pending  map[string]map[int][]byte // By bucket and number; nil is gone.
	settings []byte                    // As they were written last.
}

// OpenStore opens the database in a folder, which is made if it is not there. Only one
// process can have it open.
func OpenStore(dir string) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	db, err := bolt.Open(filepath.Join(dir, "emulator.db"), 0o600, &bolt.Options{Timeout: 2 * time.Second})
	if err != nil {
		return nil, fmt.Errorf("%s: is another emulator using it? %w", dir, err)
	}
	return &Store{db: db, pending: map[string]map[int][]byte{}}, nil
}

// note remembers a change for the next flush.
func (s *Store) note(bucket string, number int, value any) {
	var encoded []byte
	if value != nil {
		var err error
		if encoded, err = json.Marshal(value); err != nil {
			return
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pending[bucket] == nil {
		s.pending[bucket] = map[int][]byte{}
	}
	s.pending[bucket][number] = encoded
}

// flush writes what has changed.
func (s *Store) flush(settings any) error {
	encoded, err := json.Marshal(settings)
	if err != nil {
		return err
	}
	s.mu.Lock()
	pending := s.pending
	same := bytes.Equal(encoded, s.settings)
	s.pending, s.settings = map[string]map[int][]byte{}, encoded
	s.mu.Unlock()
	if len(pending) == 0 && same {
		return nil
	}
	return s.db.Update(func(tx *bolt.Tx) error {
		for bucket, items := range pending {
			b, err := tx.CreateBucketIfNotExists([]byte(bucket))
			if err != nil {
				return err
			}
			for number, value := range items {
				key := binary.BigEndian.AppendUint64(nil, uint64(number)) //nolint:gosec // Numbers are positive.
				if value == nil {
					err = b.Delete(key)
				} else {
					err = b.Put(key, value)
				}
				if err != nil {
					return err
				}
			}
		}
		b, err := tx.CreateBucketIfNotExists([]byte("settings"))
		if err != nil {
			return err
		}
		return b.Put([]byte("settings"), encoded)
	})
}

// load calls f with the items of a bucket, in order.
func (s *Store) load(bucket string, f func(number int, value []byte) error) error {
	return s.db.View(func(tx *bolt.Tx) error {
		b := tx.Bucket([]byte(bucket))
		if b == nil {
			return nil
		}
		return b.ForEach(func(key, value []byte) error {
			if len(key) != 8 {
				return nil
			}
			return f(int(binary.BigEndian.Uint64(key)), value) //nolint:gosec // As it was written.
		})
	})
}

// close writes what has changed since, and closes the file.
func (s *Store) close(settings any) error {
	return errors.Join(s.flush(settings), s.db.Close())
}

// keepRing keeps the items of a ring in a bucket, each as encode makes it, after it has
// restored those that are there.
func keepRing[T, S any](s *Store, bucket string, r *ring[T], encode func(T) S, decode func(S) T) error {
	err := s.load(bucket, func(number int, value []byte) error {
		var stored S
		if err := json.Unmarshal(value, &stored); err != nil {
			return fmt.Errorf("the database has an item that cannot be read: %w", err)
		}
		r.restore(number, decode(stored))
		return nil
	})
	r.saved = func(number int, item *T) {
		if item == nil {
			s.note(bucket, number, nil)
			return
		}
		s.note(bucket, number, encode(*item))
	}
	return err
}
