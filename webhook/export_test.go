package webhook

// ParseAddress is parseAddress, with the key in the open.
func ParseAddress(s string) (address, key string, err error) {
	address, secret, err := parseAddress(s)
	return address, secret.Reveal(), err
}
