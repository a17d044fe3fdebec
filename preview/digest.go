package preview

import (
	"encoding/hex"
)

// MD5Sum is the Digest for md5.Sum.
func MD5Sum(sum [16]byte) Digest { return Digest{Type: MD5, Hex: hex.EncodeToString(sum[:])} }

// SHA1Sum is the Digest for sha1.Sum.
func SHA1Sum(sum [20]byte) Digest { return Digest{Type: SHA1, Hex: hex.EncodeToString(sum[:])} }

// SHA256Sum is the Digest for sha256.Sum256.
func SHA256Sum(sum [32]byte) Digest { return Digest{Type: SHA256, Hex: hex.EncodeToString(sum[:])} }

// Bytes decodes Hex, or returns nil.
func (g Digest) Bytes() []byte {
	sum, err := hex.DecodeString(g.Hex)
	if err != nil {
		return nil
	}
	return sum
}

// Digest returns the digest of a type, or the zero Digest.
func (u Upload) Digest(t DigestType) Digest {
	for _, g := range u.Digests {
		if g.Type == t {
			return g
		}
	}
	return Digest{}
}

// digits is how many hexadecimal digits a digest of each type has.
var digits = map[DigestType]int{MD5: 32, SHA1: 40, SHA256: 64}
