package desk

// Routes are the methods and paths of the API.
func (d *Desk) Routes() (all []string) {
	for _, route := range d.routes() {
		all = append(all, route.method+" "+route.path)
	}
	return all
}

// Held is how many bytes of memory the lists count.
func (d *Desk) Held() int {
	return d.chat.messages.held + d.exchanges.held + d.journal.items.held
}

// ExplainPasted reads and explains a request.
func ExplainPasted(request string) {
	raw, err := readPasted(request)
	if err != nil {
		return
	}
	s := signature{method: raw.method, target: raw.url, header: raw.header, body: raw.body, scheme: "SVC-2", known: []identity{{scheme: "SVC-2", id: "a", name: "a", secret: "b"}, {id: "a", name: "r", secret: "c"}}}
	s.explain(true)
}

// Render is the tree of a markdown message.
func Render(text string) []Block { return markdownBlocks(text) }

// Hide hides a secret.
func Hide(secret, text string) string { return newHider([]string{secret}).text(text) }
