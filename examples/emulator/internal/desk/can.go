package desk

// Ability is something that an area can or cannot play.
type Ability struct {
	Area  string `json:"area"`
	What  string `json:"what"`
	Zh    string `json:"what_zh"`
	State string `json:"state"` // enforced, assumed, unknown or absent
	Proof string `json:"proof"` // A test of this package, or the section that is silent.
}

// abilities is the table of the overview. A test looks for each test that it names.
func abilities() []Ability {
	return []Ability{}
}
