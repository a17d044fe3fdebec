package webhook

// ParseAddress is parseURL, with the key in the open.
func ParseAddress(s string) (address, key string, err error) {
	address, secret, err := parseURL(s, true)
	return address, secret.Reveal(), err
}
