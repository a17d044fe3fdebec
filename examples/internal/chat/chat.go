// Package chat is what the commands share that post through a robot: its settings in
// the environment, and errors in the words of a command line.
package chat

import (
	"errors"
	"fmt"
	"strings"

	"github.com/weboffice-go/weboffice/examples/internal/cli"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/webhook"
)

const (
	urlVariable    = "WEBOFFICE_ROBOT_URL"
	secretVariable = "WEBOFFICE_ROBOT_SECRET"
	httpVariable   = "WEBOFFICE_ROBOT_ALLOW_HTTP"
)

// Environment is what the environment has to hold, for [cli.Flags].
func Environment() []string {
	return []string{
		urlVariable + "         webhook URL of the robot, as the chat client shows it, ?key= included",
		secretVariable + "      signing secret, if the robot checks signatures",
		httpVariable + "  1 allows a URL of http://, which sends the robot key unencrypted",
	}
}

// Config reads the environment.
func Config(getenv func(string) string) (webhook.Config, error) {
	if getenv(urlVariable) == "" {
		return webhook.Config{}, cli.Usagef("set %s to the webhook URL of the robot, ?key= included, or try -demo", urlVariable)
	}
	return webhook.Config{
		URL:               signing.NewSecret(getenv(urlVariable)),
		SigningSecret:     signing.NewSecret(getenv(secretVariable)),
		AllowInsecureHTTP: getenv(httpVariable) == "1",
	}, nil
}

// Robot is webhook.NewRobot, and names the settings as the user knows them.
func Robot(cfg webhook.Config) (*webhook.Robot, error) {
	robot, err := webhook.NewRobot(cfg)
	if err == nil {
		return robot, nil
	}
	variables := map[string]string{"URL": urlVariable, "SigningSecret": secretVariable}
	var lines []error
	for _, field := range fieldErrors(err) {
		name := field.Field
		if variable, ok := variables[name]; ok {
			name = variable
		}
		reason := strings.ReplaceAll(field.Reason, "AllowInsecureHTTP", httpVariable+"=1")
		lines = append(lines, errors.New(name+" "+reason))
	}
	return nil, cli.Usagef("%w", errors.Join(lines...))
}

// Explain says what to do about an error of sending, and leaves out the names of Go.
func Explain(err error) error {
	switch fields := fieldErrors(err); {
	case errors.Is(err, signing.ErrTimestamp):
		return fmt.Errorf("%w: set this machine's clock", err)
	case errors.Is(err, signing.ErrSignature):
		return fmt.Errorf("%w: compare %s with the chat client", err, secretVariable)
	case errors.Is(err, webhook.ErrNoKeyword):
		return errors.New("the message has none of the robot's keywords: put one into it")
	case len(fields) > 0:
		flags := map[string]string{"URL": "-url", "ButtonTitle": "-button", "Title": "-title", "Label": "-label"}
		var lines []error
		for _, field := range fields {
			if flag, ok := flags[field.Field]; ok {
				lines = append(lines, cli.Usagef("%s %s", flag, field.Reason))
			} else {
				lines = append(lines, errors.New(field.Reason))
			}
		}
		return errors.Join(lines...)
	default:
		return err
	}
}

// fieldErrors returns those that are joined in err.
func fieldErrors(err error) (fields []*webhook.FieldError) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			fields = append(fields, fieldErrors(e)...)
		}
		return fields
	}
	var field *webhook.FieldError
	if errors.As(err, &field) {
		fields = append(fields, field)
	}
	return fields
}
