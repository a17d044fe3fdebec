package tokenredis

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/weboffice-go/weboffice/signing"
)

// MinKey is the least length of a text in Config.Keys, in bytes.
const MinKey = 32

// newSeals derives what seals and opens tokens from keys.
func newSeals(keys []signing.Secret) ([]cipher.AEAD, error) {
	if len(keys) == 0 {
		return nil, errors.New("tokenredis: config: Keys is required: at least one")
	}
	seals := make([]cipher.AEAD, len(keys))
	for i, key := range keys {
		if len(key.Reveal()) < MinKey {
			return nil, fmt.Errorf("tokenredis: config: Keys[%d] must have at least %d bytes", i, MinKey)
		}
		seal, err := newSeal(key)
		if err != nil {
			return nil, fmt.Errorf("tokenredis: config: Keys[%d]: %w", i, err)
		}
		seals[i] = seal
	}
	return seals, nil
}

func newSeal(key signing.Secret) (cipher.AEAD, error) {
	derived, err := hkdf.Key(sha256.New, []byte(key.Reveal()), nil, "weboffice tokenredis: seal tokens", 32)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(derived)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// seal hides a token. It opens under the same name only.
func (e *entry) seal(t signing.Secret) string {
	return string(e.source.seals[0].Seal(nil, nil, []byte(t.Reveal()), []byte(e.key))) //nolint:gosec // The nonce is random, and nil is required.
}

// open is the reverse of seal. The result is zero if no key opens it.
func (e *entry) open(sealed string) signing.Secret {
	for _, seal := range e.source.seals {
		if text, err := seal.Open(nil, nil, []byte(sealed), []byte(e.key)); err == nil {
			return signing.NewSecret(string(text))
		}
	}
	return signing.Secret{}
}
