package main

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/riverqueue/river/rivertype"

	"github.com/weboffice-go/weboffice/convert"
)

// The states that the API knows.
const (
	stateQueued     = "queued"     // Nothing was sent yet.
	stateConverting = "converting" // The service has a task.
	stateDone       = "done"
	stateSent       = "sent"
	stateFailed     = "failed"
)

// conversionView is a conversion as the API shows it.
type conversionView struct {
	ID        string         `json:"id"`
	FileID    string         `json:"file_id"`
	Target    convert.Target `json:"target"`
	State     string         `json:"state"`
	Progress  float64        `json:"progress"`
	Error     string         `json:"error,omitempty"`
	Files     []resultFile   `json:"files,omitempty"`
	Cost      cost           `json:"cost,omitzero"`
	Repeated  int            `json:"repeated,omitempty"` // How often it had to be submitted again without knowing whether there was a task.
	CreatedAt time.Time      `json:"created_at"`
}

func (a *app) conversionView(row *rivertype.JobRow) (v conversionView, err error) {
	var args conversion
	if err := json.Unmarshal(row.EncodedArgs, &args); err != nil {
		return v, err
	}
	state, err := readState[conversionState](row)
	v = conversionView{
		ID: strconv.FormatInt(row.ID, 10), FileID: args.FileID, Target: args.Target, State: stateQueued,
		Progress: state.Progress, Error: state.Error, Files: state.Files, Cost: state.Cost,
		Repeated: state.Repeated, CreatedAt: row.CreatedAt,
	}
	switch {
	case state.Done:
		v.State = stateDone
	case state.Error != "" || given(row, &v.Error):
		v.State = stateFailed
	case state.Task != nil:
		v.State = stateConverting
	}
	return v, err
}

// messageView is a message as the API shows it.
type messageView struct {
	ID        string    `json:"id"`
	State     string    `json:"state"`
	Error     string    `json:"error,omitempty"`
	Repeated  int       `json:"repeated,omitempty"` // How often it was posted again without knowing whether it had arrived.
	CreatedAt time.Time `json:"created_at"`
}

func (a *app) messageView(row *rivertype.JobRow) (v messageView, err error) {
	state, err := readState[messageState](row)
	v = messageView{
		ID: strconv.FormatInt(row.ID, 10), State: stateQueued, Error: state.Error,
		Repeated: state.Repeated, CreatedAt: row.CreatedAt,
	}
	switch {
	case state.Sent:
		v.State = stateSent
	case state.Error != "" || given(row, &v.Error):
		v.State = stateFailed
	}
	return v, err
}

// given reports whether the queue has given a job up, and says so.
func given(row *rivertype.JobRow, text *string) bool {
	if row.State != rivertype.JobStateDiscarded && row.State != rivertype.JobStateCancelled {
		return false
	}
	if *text == "" {
		*text = "given up after too many failures"
	}
	return true
}
