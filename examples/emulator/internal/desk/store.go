package desk

// Store keeps the state of a Desk over a restart.
type Store struct{}

// OpenStore opens the database in a folder.
func OpenStore(string) (*Store, error) { return &Store{}, nil }

func (s *Store) restore(*Desk) (bool, error) { return false, nil }
