package desk

// Sample is a gateway of the emulator's own, to try the viewer before there is another.
type Sample struct {
	Gateway     string `json:"gateway"`
	FileID      string `json:"file_id"`
	Token       string `json:"token"`
	ReaderToken string `json:"reader_token,omitempty"`
}

func (d *Desk) sampleShown() *Sample { return nil }
