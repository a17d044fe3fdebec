package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/riverqueue/river/rivertype"

	"github.com/weboffice-go/weboffice/markdown"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/webhook"
)

// mentionTimeout is how long a mention may take to become a job. For half a minute more
// no other replica takes it.
const mentionTimeout = 5 * time.Second

// openReceiver takes the messages that mention the robot.
func (a *app) openReceiver() (err error) {
	if a.robot == nil {
		return nil
	}
	a.receiver, err = webhook.NewReceiver(webhook.ReceiverConfig{
		RobotKeys: []signing.Secret{a.robot.Key()}, Names: []string{"robot"},
		Handle: a.mentioned, Timeout: mentionTimeout, Seen: a.shared.seen,
		Observe: a.observe, Logger: a.logger,
	})
	return err
}

// mentioned makes a job of the answer, and only then the service gets its own answer: what
// was accepted is not lost. The key of the job is the id of the event, so even an event
// that every memory has forgotten is answered once.
func (a *app) mentioned(ctx context.Context, e webhook.Event) error {
	var b markdown.Builder
	text := e.Text()
	if id, err := strconv.ParseInt(strings.TrimPrefix(text, "#"), 10, 64); err == nil {
		b.Paragraph(a.tell(ctx, id))
	} else {
		b.Paragraph("Send me the number of a conversion, and I tell how it is. You said:").Quote(text)
	}
	body, err := webhook.Encode(webhook.Markdown{Text: b.String()})
	if err != nil { // The quotation is too long.
		if body, err = webhook.Encode(webhook.Text{Content: "That was too long for me."}); err != nil {
			return err
		}
	}
	key := "mention:" + e.ID()
	if e.CTime == 0 { // The id is that of everything else which this person says in these words.
		key += rand.Text()
	}
	_, err = a.queue.Insert(ctx, message{Key: key, Body: string(body), RequestID: requestID(ctx)}, nil)
	return err
}

// tell says how a conversion is.
func (a *app) tell(ctx context.Context, id int64) string {
	row, err := a.queue.JobGet(ctx, id)
	if errors.Is(err, rivertype.ErrNotFound) || err == nil && row.Kind != conversionKind {
		return fmt.Sprintf("There is no conversion %d.", id)
	}
	if err != nil {
		return fmt.Sprintf("I cannot look up conversion %d now.", id)
	}
	view, err := a.conversionView(row)
	if err != nil {
		return fmt.Sprintf("I cannot read conversion %d.", id)
	}
	return fmt.Sprintf("Conversion %d of %s to %s: %s.", id, view.FileID, view.Target, view.State)
}
