package token

import (
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"github.com/weboffice-go/weboffice/internal/redact"
)

// String returns the ID, and what else is set of c, without the values.
func (c Client) String() string {
	s := fmt.Sprintf("{%s %s", c.ID, c.Secret)
	if len(c.Extra) > 0 {
		s += " " + strings.Join(slices.Sorted(maps.Keys(c.Extra)), ",")
	}
	return s + "}"
}

// Format prints [Client.String], whatever the verb and its flags: an app_ticket
// in Extra is a secret.
func (c Client) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, c.String()) }

// LogValue logs [Client.String].
func (c Client) LogValue() slog.Value { return slog.StringValue(c.String()) }

// MarshalText writes [Client.String]: a Client does not survive being stored.
func (c Client) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// String returns the address without its query, and the apps.
func (cfg ClientCredentialsConfig) String() string {
	return fmt.Sprintf("{%s %v}", redact.URL(cfg.URL), slices.Sorted(maps.Keys(cfg.Clients)))
}

// Format prints [ClientCredentialsConfig.String], whatever the verb and its flags.
func (cfg ClientCredentialsConfig) Format(f fmt.State, _ rune) {
	_, _ = io.WriteString(f, cfg.String())
}

// LogValue logs [ClientCredentialsConfig.String].
func (cfg ClientCredentialsConfig) LogValue() slog.Value { return slog.StringValue(cfg.String()) }

// Format prints the name of the type: what is within changes while others use it.
func (h *Handler) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "token.Handler") }

// Format prints the name of the type: what is within changes while others use it.
func (c *Cache) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "token.Cache") }

// Format prints the name of the type, and the apps.
func (c *ClientCredentials) Format(f fmt.State, _ rune) {
	_, _ = fmt.Fprintf(f, "token.ClientCredentials%v", slices.Sorted(maps.Keys(c.forms)))
}
