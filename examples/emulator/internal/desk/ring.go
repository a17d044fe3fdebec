package desk

import (
	"strconv"
	"strings"
	"sync"
)

// ring keeps the newest items of a kind: at most so many, and at most so many bytes.
// Items are values that are replaced, never changed in place. Ids are a letter and a
// number that only grows, also over a clear.
type ring[T any] struct {
	prefix string
	max    int
	bytes  int           // At most; 0 is no such limit.
	size   func(T) int   // Bytes of an item; with bytes.
	saved  func(int, *T) // Told of each change; nil is an item that is gone. May be nil.

	mu    sync.RWMutex
	items []T // By number modulo max, as far as it has grown.
	first int // Number of the oldest item.
	next  int // Number of the item after the newest.
	held  int // Bytes.
}

func newRing[T any](prefix string, most int) *ring[T] {
	return &ring[T]{prefix: prefix, max: most, first: 1, next: 1}
}

// add keeps what build makes of the id, and forgets the oldest items if there are too
// many.
func (r *ring[T]) add(build func(id string) T) T {
	r.mu.Lock()
	defer r.mu.Unlock()
	item := build(r.prefix + strconv.Itoa(r.next))
	r.put(item)
	return item
}

// put appends an item. The ring is locked.
func (r *ring[T]) put(item T) {
	if r.next-r.first == r.max {
		r.drop()
	}
	number := r.next
	r.next++
	if i := number % r.max; i < len(r.items) {
		r.items[i] = item
	} else {
		for len(r.items) < i {
			r.items = append(r.items, *new(T))
		}
		r.items = append(r.items, item)
	}
	if r.size != nil {
		r.held += r.size(item)
	}
	for r.bytes > 0 && r.held > r.bytes && r.next-r.first > 1 {
		r.drop()
	}
	if r.saved != nil {
		r.saved(number, &item)
	}
}

// drop forgets the oldest item.
func (r *ring[T]) drop() {
	i := r.first % r.max
	if r.size != nil {
		r.held -= r.size(r.items[i])
	}
	r.items[i] = *new(T)
	if r.saved != nil {
		r.saved(r.first, nil)
	}
	r.first++
}

// number is that of an id, if the ring still has it.
func (r *ring[T]) number(id string) (int, bool) {
	digits, ok := strings.CutPrefix(id, r.prefix)
	n, err := strconv.Atoi(digits)
	return n, ok && err == nil && n >= r.first && n < r.next && strconv.Itoa(n) == digits
}

func (r *ring[T]) get(id string) (item T, ok bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	n, ok := r.number(id)
	if ok {
		item = r.items[n%r.max]
	}
	return item, ok
}

// change replaces an item by what f makes of a copy of it.
func (r *ring[T]) change(id string, f func(*T)) (item T, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n, ok := r.number(id)
	if !ok {
		return item, false
	}
	i := n % r.max
	item = r.items[i]
	if r.size != nil {
		r.held -= r.size(item)
	}
	f(&item)
	r.items[i] = item
	if r.size != nil {
		r.held += r.size(item)
	}
	if r.saved != nil {
		r.saved(n, &item)
	}
	return item, true
}

// page gives the newest items before a number that match, or the newest of all if it is
// zero; next is the id that the page after it begins before, empty on the last.
func (r *ring[T]) page(before, limit int, match func(T) bool) (items []T, next string) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	end := r.next
	if before > 0 {
		end = min(end, max(before, r.first))
	}
	items = []T{}
	for n := end - 1; n >= r.first; n-- {
		item := r.items[n%r.max]
		if !match(item) {
			continue
		}
		if len(items) == limit {
			return items, r.prefix + strconv.Itoa(n+1)
		}
		items = append(items, item)
	}
	return items, ""
}

// since calls f with the items after number n, oldest first, until it returns false.
func (r *ring[T]) since(n int, f func(T) bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for i := max(n+1, r.first); i < r.next; i++ {
		if !f(r.items[i%r.max]) {
			return
		}
	}
}

// bounds are the numbers of the oldest item, and of the newest.
func (r *ring[T]) bounds() (oldest, newest int) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.first, r.next - 1
}

// clear forgets all items.
func (r *ring[T]) clear() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.first < r.next {
		r.drop()
	}
	r.items, r.held = nil, 0
}

// restore puts an item back that an earlier run kept under that number. Numbers only
// grow.
func (r *ring[T]) restore(n int, item T) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n < r.next {
		return
	}
	saved := r.saved
	r.saved = nil
	if r.first == r.next {
		r.first, r.next = n, n
	}
	for r.next < n { // A gap, of what was lost.
		r.put(*new(T))
	}
	r.put(item)
	r.saved = saved
}
