package desk

// How much is kept. The oldest is forgotten first.
const (
	maxMessages    = 10_000
	maxConversions = 1000
	maxExchanges   = 2000
	maxPluginCalls = 1000
	maxSessions    = 100
	maxSteps       = 50 // Of a session.
	maxEvents      = 10_000
	maxRobots      = 100
	maxClients     = 100
	maxApps        = 100
	maxStreams     = 100 // Clients of the events.

	// Bytes.
	maxMessageBytes  = 64 << 20
	maxExchangeBytes = 64 << 20
	maxEventBytes    = 32 << 20
	maxResultBytes   = 256 << 20
	maxSessionBytes  = 256 << 20
	maxDocument      = 100 << 20
	maxServiceBody   = 1 << 20   // Of a request to the service, to look at it.
	maxShownBody     = 64 << 10  // Of a request or an answer, as it is kept.
	maxKeptBody      = 256 << 10 // Of a request that can be sent again.
	maxAPIBody       = 1 << 20   // Of a request in JSON or YAML.
)

// bounds are what the overview shows of it.
func bounds() map[string]int {
	return map[string]int{
		"messages": maxMessages, "conversions": maxConversions, "exchanges": maxExchanges, "plugin_calls": maxPluginCalls,
		"sessions": maxSessions, "events": maxEvents, "streams": maxStreams, "robots": maxRobots, "clients": maxClients, "apps": maxApps,
		"document_bytes": maxDocument, "result_bytes": maxResultBytes,
	}
}
