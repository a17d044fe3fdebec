package desk

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/convert/converttest"
)

// Kinds of faults.
const (
	faultLimited    = "limited"
	faultSlow       = "slow"
	faultReset      = "reset"
	faultCut        = "cut"
	faultMalformed  = "malformed"
	faultRefused    = "refused"
	faultWrongClock = "wrong_clock"
	faultExpired    = "expired_links"
)

// FaultSetting is a fault that is switched on.
type FaultSetting struct {
	Kind  string   `json:"kind"`
	On    []string `json:"on,omitempty"`
	Times int      `json:"times,omitempty"`
	Delay string   `json:"delay,omitempty"`
	Code  int      `json:"code,omitempty"`
	Left  *int     `json:"left,omitempty"`
}

// Offer is a fault that an area has.
type Offer struct {
	Kind  string   `json:"kind"`
	What  string   `json:"what"`
	On    []string `json:"on"`
	Delay string   `json:"delay,omitempty"`
}

// offers are the faults of an area.
func offers(area string) []Offer {
	calls := map[string][]string{
		areaConversion: {"submit", "query"}, areaChat: {"send"}, areaToken: {"grant"},
	}[area]
	out := map[string][]string{
		areaChat: {"mention"}, areaPlugin: {"token"},
		areaViewer: {"users", "permission", "file", "download", "bytes", "versions", "version", "name", "prepare", "address", "upload", "complete"},
	}[area]
	everything := slices.Clone(calls)
	if area == areaConversion {
		everything = append(everything, "download", "document")
	}
	var all []Offer
	if len(calls) > 0 {
		all = append(all,
			Offer{faultLimited, "Refuses requests by the rate limit, with Retry-After.", calls, "2s"},
			Offer{faultRefused, "Refuses requests with an internal error, or the code that is given.", calls, ""},
			Offer{faultCut, "Breaks the connection in the middle of the answer; the work is done.", everything, ""},
		)
	}
	if area == areaConversion {
		all = append(all, Offer{faultExpired, "Links to results and to dropped documents have expired.", []string{"download", "document"}, ""})
	}
	all = append(all,
		Offer{faultSlow, "Answers slowly, or calls a callback late.", slices.Concat(everything, out), "5s"},
		Offer{faultReset, "Breaks the connection instead of answering, or hangs up before a callback has answered.", slices.Concat(everything, out), ""},
		Offer{faultMalformed, "Answers a page of HTML, or sends half of the body of a callback.", slices.Concat(everything, withBody(out)), ""},
	)
	if area != areaToken {
		all = append(all, Offer{faultWrongClock, "The clock of the service is off: it refuses right Dates, or sends wrong ones.", slices.Concat(calls, out), "20m"})
	}
	return all
}

// withBody are the callbacks that send a body.
func withBody(operations []string) []string {
	return slices.DeleteFunc(slices.Clone(operations), func(o string) bool {
		return !slices.Contains([]string{"mention", "token", "name", "address", "upload", "complete"}, o)
	})
}

// fault is one that is on.
type fault struct {
	FaultSetting
	left  int // If Times is not 0.
	hits  int
	delay time.Duration
}

// faults are the switches.
type faults struct {
	mu sync.Mutex
	on map[string]*fault // By area.
}

// set switches a fault on. The error says what is wrong, and in which field.
func (f *faults) set(area string, s FaultSetting) error {
	offered := offers(area)
	i := slices.IndexFunc(offered, func(o Offer) bool { return o.Kind == s.Kind })
	if i < 0 {
		return problem{"kind", fmt.Sprintf("%s has no fault %q", area, s.Kind)}
	}
	offer := offered[i]
	for _, operation := range s.On {
		if !slices.Contains(offer.On, operation) {
			return problem{"on", fmt.Sprintf("%s cannot spoil %q, only %v", s.Kind, operation, offer.On)}
		}
	}
	switch {
	case s.Times < 0:
		return problem{"times", "times must not be negative"}
	case s.Kind == faultWrongClock && (s.Times > 0 || len(s.On) > 0):
		return problem{map[bool]string{true: "times", false: "on"}[s.Times > 0], "wrong_clock is the clock of the whole area: it has neither times nor on"}
	case s.Delay != "" && offer.Delay == "":
		return problem{"delay", s.Kind + " has no delay"}
	case s.Code != 0 && (s.Kind != faultRefused || area != areaConversion):
		return problem{"code", "only the conversion API refuses with a code"}
	}
	on := &fault{FaultSetting: s, left: s.Times}
	if s.Delay == "" {
		on.Delay = offer.Delay
	}
	if on.Delay != "" {
		var err error
		on.delay, err = time.ParseDuration(on.Delay)
		if err != nil || on.delay < 0 && s.Kind != faultWrongClock || on.delay > time.Hour && s.Kind != faultWrongClock {
			return problem{"delay", "delay must be a duration such as 5s, at most an hour"}
		}
	}
	if len(on.On) == 0 {
		on.On = offer.On
	}
	on.Left = nil
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.on == nil {
		f.on = map[string]*fault{}
	}
	f.on[area] = on
	return nil
}

// heal switches off the fault of an area, or all.
func (f *faults) heal(which ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, area := range which {
		delete(f.on, area)
	}
}

// take is the fault that spoils this operation, if there is one left.
func (f *faults) take(area, operation string) (fault, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	on := f.on[area]
	if on == nil || on.Kind == faultWrongClock || !slices.Contains(on.On, operation) {
		return fault{}, false
	}
	on.hits++
	taken := *on
	if on.Times > 0 {
		if on.left--; on.left == 0 {
			delete(f.on, area)
		}
	}
	return taken, true
}

// skew is how far the clock of an area is off.
func (f *faults) skew(area string) time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	if on := f.on[area]; on != nil && on.Kind == faultWrongClock {
		return on.delay
	}
	return 0
}

// setting is what the API shows of the fault of an area.
func (f *faults) setting(area string) (s *FaultSetting, hits int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	on := f.on[area]
	if on == nil {
		return nil, 0
	}
	shown := on.FaultSetting
	if on.Times > 0 {
		left := on.left
		shown.Left = &left
	}
	return &shown, on.hits
}

// spoilt is next with the fault of its operation.
func (f *faults) spoilt(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		area, operation := incoming(r)
		on, ok := f.take(area, operation)
		if !ok {
			next.ServeHTTP(w, r)
			return
		}
		if p := pendingOf(r.Context()); p != nil {
			p.fault = on.Kind
		}
		on.incoming(area)(next).ServeHTTP(w, r)
	})
}

// incoming is the fault of an answer.
func (f fault) incoming(area string) converttest.Fault {
	switch f.Kind {
	case faultSlow:
		return converttest.Slow(f.delay)
	case faultReset:
		return converttest.Reset
	case faultCut:
		return converttest.Truncated
	case faultMalformed:
		return converttest.HTML
	case faultExpired:
		return converttest.Replied(http.StatusForbidden, "application/xml", "<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>")
	case faultLimited:
		return f.limited(area)
	default:
		return f.refused(area)
	}
}

func (f fault) limited(area string) converttest.Fault {
	if area == areaConversion {
		return converttest.TooManyRequests(f.delay)
	}
	body := `{"result":"TooManyRequests","msg":"more than the robot's messages per minute"}`
	if area == areaToken {
		body = `{"code":429000001,"msg":"too many requests"}`
	}
	reply := converttest.Replied(http.StatusTooManyRequests, "application/json", body)
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Retry-After", strconv.Itoa(int((f.delay+time.Second-1)/time.Second)))
			reply(next).ServeHTTP(w, r)
		})
	}
}

func (f fault) refused(area string) converttest.Fault {
	switch area {
	case areaConversion:
		code := f.Code
		if code == 0 {
			code = convert.CodeInternalError
		}
		return converttest.Refused(code)
	case areaToken:
		return converttest.Replied(http.StatusInternalServerError, "application/json", `{"code":500000001,"msg":"internal error"}`)
	default:
		return converttest.Replied(http.StatusInternalServerError, "application/json", `{"result":"InternalError","msg":"internal error"}`)
	}
}
