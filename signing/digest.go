package signing

import (
	"crypto/md5"  //nolint:gosec // The protocol's digest (protocol 5.1): it ties the body to the signature, no more.
	"crypto/sha1" //nolint:gosec // The protocol's signature (protocol 5.1, 5.2); there is no other to choose.
	"encoding/hex"
	"errors"
)

const (
	digestLength    = 2 * md5.Size  // hexadecimal digits of Content-Md5
	signatureLength = 2 * sha1.Size // hexadecimal digits at the end of Authorization
)

var errFIPS = errors.New("signing: MD5 and SHA-1 are switched off (FIPS 140-only mode), and the protocol has no other signature")

// ContentMD5 returns the lowercase hexadecimal MD5 of payload, the value of Content-Md5
// (protocol 5.1). It panics in FIPS 140-only mode, as crypto/md5 does.
func ContentMD5(payload []byte) string {
	digest := contentMD5(payload)
	return string(digest[:])
}

func contentMD5(payload []byte) (digest [digestLength]byte) {
	sum := md5.Sum(payload) //nolint:gosec // See the import.
	hex.Encode(digest[:], sum[:])
	return digest
}

// signature is the SHA-1 of secret + Content-Md5 + Content-Type + Date.
func signature[B []byte | string](secret Secret, digest B, contentType, date string) [sha1.Size]byte {
	var room [128]byte // keeps the usual case off the heap
	b := append(room[:0], secret.Reveal()...)
	b = append(b, digest...)
	b = append(b, contentType...)
	b = append(b, date...)
	return sha1.Sum(b) //nolint:gosec // See the import.
}

// parseSignature reads the hexadecimal form, in either case.
func parseSignature(s string) (sum [sha1.Size]byte, ok bool) {
	if len(s) != signatureLength {
		return sum, false
	}
	var digits [signatureLength]byte
	copy(digits[:], s)
	_, err := hex.Decode(sum[:], digits[:])
	return sum, err == nil
}

// checkHashes reports whether the two hashes can be used. In FIPS 140-only mode they
// panic, which must not happen within a request.
func checkHashes() (err error) {
	defer func() {
		if recover() != nil {
			err = errFIPS
		}
	}()
	md5.Sum(nil)  //nolint:gosec // See the import.
	sha1.Sum(nil) //nolint:gosec // See the import.
	return nil
}
