package preview

import "encoding/hex"

// MD5Sum makes a Digest of what md5.Sum gives.
func MD5Sum(sum [16]byte) Digest { return Digest{Type: MD5, Hex: hex.EncodeToString(sum[:])} }

// SHA1Sum makes a Digest of what sha1.Sum gives.
func SHA1Sum(sum [20]byte) Digest { return Digest{Type: SHA1, Hex: hex.EncodeToString(sum[:])} }

// digits is how many hexadecimal digits a digest of this type has; 0 for a type
// that is not known.
func (t DigestType) digits() int {
	switch t {
	case MD5:
		return 32
	case SHA1:
		return 40
	case SHA256:
		return 64
	default:
		return 0
	}
}

// isLowerHex reports whether s consists of lowercase hexadecimal digits.
func isLowerHex(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
