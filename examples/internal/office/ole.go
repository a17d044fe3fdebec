package office

import (
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"unicode/utf16"
)

// compound reads the directory of a compound file ([MS-CFB]), which is what .doc, .xls,
// .ppt and encrypted documents are.
type compound struct {
	r          io.ReaderAt
	sectorSize int64
	most       int // Sectors that the file has room for: a chain may be a circle.
	fat        []uint32
	miniFAT    []uint32
	entries    []entry          // The first is the root.
	top        map[string]entry // Those in the root, by name in lower case.
}

type entry struct {
	name               string
	left, right, child uint32
	start              uint32
	size               int64
}

var (
	compoundMagic = []byte{0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1}
	errCompound   = errors.New("not a compound file")
)

const (
	largestSector = 0xFFFFFFFA
	mostSectors   = 1 << 20 // 512 MB of the smaller sectors.
	mostDirectory = 8 << 20 // Bytes: 65,536 streams and storages.
)

func openCompound(r io.ReaderAt, size int64) (*compound, error) {
	header := make([]byte, 512)
	if _, err := r.ReadAt(header, 0); err != nil || string(header[:8]) != string(compoundMagic) {
		return nil, errCompound
	}
	shift := binary.LittleEndian.Uint16(header[30:])
	if shift != 9 && shift != 12 {
		return nil, errCompound
	}
	c := &compound{r: r, sectorSize: 1 << shift, top: map[string]entry{}, most: int(min(size>>shift+1, mostSectors))}
	if err := c.readFAT(header); err != nil {
		return nil, err
	}
	for _, sector := range c.chain(binary.LittleEndian.Uint32(header[48:]), min(c.most, mostDirectory>>shift)) {
		b, err := c.sector(sector)
		if err != nil {
			break // A file that is cut off may still have its directory.
		}
		for ; len(b) >= 128; b = b[128:] {
			c.entries = append(c.entries, newEntry(b[:128]))
		}
	}
	if len(c.entries) == 0 {
		return nil, errCompound
	}
	c.walk(c.entries[0].child)
	for _, sector := range c.chain(binary.LittleEndian.Uint32(header[60:]), c.most) {
		if b, err := c.sector(sector); err == nil {
			c.miniFAT = appendUint32s(c.miniFAT, b)
		}
	}
	return c, nil
}

// walk notes the names of a tree of siblings.
func (c *compound) walk(root uint32) {
	seen := map[uint32]bool{}
	for next := []uint32{root}; len(next) > 0; {
		n := next[len(next)-1]
		next = next[:len(next)-1]
		if int64(n) >= int64(len(c.entries)) || seen[n] {
			continue
		}
		seen[n] = true
		e := c.entries[n]
		c.top[strings.ToLower(e.name)] = e
		next = append(next, e.left, e.right)
	}
}

// readFAT follows the list of the sectors that hold the table of all others.
func (c *compound) readFAT(header []byte) error {
	var list []uint32
	list = appendUint32s(list, header[76:])
	next := binary.LittleEndian.Uint32(header[68:])
	for count := 0; next <= largestSector && count < c.most && len(list) < c.most; count++ {
		b, err := c.sector(next)
		if err != nil {
			break
		}
		list = appendUint32s(list, b[:len(b)-4])
		next = binary.LittleEndian.Uint32(b[len(b)-4:])
	}
	for _, sector := range list {
		if sector > largestSector || len(c.fat) > c.most {
			continue
		}
		b, err := c.sector(sector)
		if err != nil {
			continue
		}
		c.fat = appendUint32s(c.fat, b)
	}
	if len(c.fat) == 0 {
		return errCompound
	}
	return nil
}

func (c *compound) sector(n uint32) ([]byte, error) {
	b := make([]byte, c.sectorSize)
	read, err := c.r.ReadAt(b, (int64(n)+1)*c.sectorSize)
	if read == 0 {
		return nil, err
	}
	return b, nil
}

// chain lists at most most sectors of a stream.
func (c *compound) chain(start uint32, most int) (sectors []uint32) {
	for int64(start) < int64(len(c.fat)) && len(sectors) < most {
		sectors = append(sectors, start)
		start = c.fat[start]
	}
	return sectors
}

func newEntry(b []byte) entry {
	e := entry{
		left:  binary.LittleEndian.Uint32(b[68:]),
		right: binary.LittleEndian.Uint32(b[72:]),
		child: binary.LittleEndian.Uint32(b[76:]),
		start: binary.LittleEndian.Uint32(b[116:]),
		size:  int64(binary.LittleEndian.Uint32(b[120:])),
	}
	if length := int(binary.LittleEndian.Uint16(b[64:])); length >= 2 && length <= 64 {
		units := make([]uint16, length/2-1)
		for i := range units {
			units[i] = binary.LittleEndian.Uint16(b[2*i:])
		}
		e.name = string(utf16.Decode(units))
	}
	return e
}

func appendUint32s(list []uint32, b []byte) []uint32 {
	for ; len(b) >= 4; b = b[4:] {
		list = append(list, binary.LittleEndian.Uint32(b))
	}
	return list
}

// miniSector is the size of the sectors of small streams, which share one stream.
const (
	miniSector  = 64
	smallStream = 4096
)

// begin gives the first bytes of a stream in the root, n at most.
func (c *compound) begin(name string, n int) (b []byte) {
	e, ok := c.top[strings.ToLower(name)]
	if !ok {
		return nil
	}
	if e.size >= smallStream {
		for _, sector := range c.chain(e.start, n/int(c.sectorSize)+1) {
			s, err := c.sector(sector)
			if err != nil {
				break
			}
			b = append(b, s...)
		}
		return b[:min(len(b), n)]
	}
	shared := c.chain(c.entries[0].start, c.most)
	for sector := int64(e.start); len(b) < n && sector < int64(len(c.miniFAT)); sector = int64(c.miniFAT[sector]) {
		at := sector * miniSector
		if at/c.sectorSize >= int64(len(shared)) {
			break
		}
		s, err := c.sector(shared[at/c.sectorSize])
		if err != nil {
			break
		}
		b = append(b, s[at%c.sectorSize:][:miniSector]...)
	}
	return b[:min(len(b), n)]
}

// has reports whether the root has a stream or storage of that name.
func (c *compound) has(name string) bool {
	_, ok := c.top[strings.ToLower(name)]
	return ok
}
