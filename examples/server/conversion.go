package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/riverqueue/river"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/preview"
)

// conversion is a job: a stored document becomes a text or a PDF. Each step is one call
// of the service. Between two steps the job is in the database only, so no worker waits
// for a task, and any replica does the next step.
type conversion struct {
	Key       string         `json:"key" river:"unique"`
	FileID    string         `json:"file_id"`
	Target    convert.Target `json:"target"`
	RequestID string         `json:"request_id"`
}

// Kind implements river.JobArgs.
func (conversion) Kind() string { return conversionKind }

// InsertOpts implements river.JobArgsWithInsertOpts.
func (conversion) InsertOpts() river.InsertOpts { return once(conversionQueue) }

// conversionState is what a conversion stores. No field is left out where it is zero: the
// driver for SQLite merges a new state into the old one.
type conversionState struct {
	intent
	Task      *convert.Task `json:"task"`
	Forgotten int           `json:"forgotten"` // How many tasks the service has forgotten.
	Progress  float64       `json:"progress"`  // From 0 to 100.
	Files     []resultFile  `json:"files"`
	Cost      cost          `json:"cost"`
	Done      bool          `json:"done"`
	Error     string        `json:"error"` // Set: it failed.
}

// resultFile is one file that a conversion made.
type resultFile struct {
	Name string `json:"name"`
	Size int64  `json:"size"`
}

// cost is what one conversion took.
type cost struct {
	SourceBytes    int64   `json:"source_bytes"`
	ResultBytes    int64   `json:"result_bytes"`
	Pages          int     `json:"pages,omitempty"` // Of a text, which has one file for each; the service does not count those of a PDF.
	ServiceSeconds float64 `json:"service_seconds"` // As the service measures it.
	TotalSeconds   float64 `json:"total_seconds"`   // From the request to the stored result.
}

// converter works on conversions.
type converter struct {
	river.WorkerDefaults[conversion]
	app *app
}

// conversionJob is one step of a conversion.
type conversionJob struct {
	*app
	*river.Job[conversion]
	state conversionState
}

// Work implements river.Worker.
func (w *converter) Work(ctx context.Context, job *river.Job[conversion]) (err error) {
	ctx = withRequestID(ctx, job.Args.RequestID)
	j := &conversionJob{app: w.app, Job: job}
	if j.state, err = readState[conversionState](job.JobRow); err != nil {
		return err
	}
	switch {
	case j.state.Done:
		return nil // The process died after it had stored that.
	case j.state.Error != "":
		return river.JobCancel(errors.New(j.state.Error))
	case time.Since(job.CreatedAt) > w.app.settings.deadline:
		return j.fail(ctx, j.state.expired("finished", w.app.settings.deadline))
	case j.state.Task == nil:
		return j.submit(ctx)
	default:
		return j.follow(ctx)
	}
}

func (j *conversionJob) save(ctx context.Context) error { return j.store(ctx, j.ID, &j.state) }

// submit makes the task at the service.
func (j *conversionJob) submit(ctx context.Context) error {
	address, name, err := j.download(ctx, j.Args.FileID)
	switch {
	case errors.Is(err, preview.ErrNotFound), errors.Is(err, preview.ErrForbidden), errors.Is(err, preview.ErrInvalid):
		return j.fail(ctx, "there is no such document")
	case err != nil:
		return j.later(ctx, "the document cannot be read", err)
	}
	task, err := j.send(before(ctx, func(ctx context.Context) error {
		if j.state.try() {
			j.metrics.repeated.WithLabelValues(conversionKind).Inc()
			j.logger.WarnContext(ctx, "a submit is repeated: the service may have two tasks", "job", j.ID)
		}
		return j.save(ctx)
	}), address, name)
	switch {
	case err == nil:
		j.state.Begun, j.state.Task, j.state.Trouble = false, &task, ""
		if err := j.save(ctx); err != nil {
			return err
		}
		j.logger.InfoContext(ctx, "submitted", "job", j.ID, "task", task.ID, "file", j.Args.FileID)
		return river.JobSnooze(j.settings.poll)
	case !errors.Is(err, convert.ErrNotAccepted):
		return j.later(ctx, "it is unknown whether the service has the task", err)
	}
	j.state.refused()
	if hopeless(err) {
		return j.fail(ctx, err.Error())
	}
	return j.later(ctx, "the service did not take the document", err)
}

func (j *conversionJob) send(ctx context.Context, address, name string) (convert.Task, error) {
	if j.Args.Target == convert.PDF {
		return j.convert.SubmitPDF(ctx, convert.PDFRequest{URL: address, Filename: name})
	}
	return j.convert.SubmitText(ctx, convert.TextRequest{URL: address, Filename: name})
}

// follow asks once how the task is, and stores the result if there is one.
func (j *conversionJob) follow(ctx context.Context) error {
	status, err := j.convert.Status(ctx, *j.state.Task)
	var answer *convert.APIError
	switch {
	case errors.As(err, &answer) && answer.Code == convert.CodeFileNotExists && j.state.Forgotten < mostForgotten:
		j.state.Task = nil
		j.state.Forgotten++
		return j.later(ctx, "the service has forgotten the task, and gets the document again", err)
	case err != nil && hopeless(err):
		return j.fail(ctx, err.Error())
	case err != nil:
		return j.later(ctx, "the service did not tell how the task is", err)
	}
	switch convert.DefaultClassify(status) {
	case convert.Failed:
		return j.fail(ctx, "the service could not convert the document: "+status.Message)
	case convert.Done:
		return j.finish(ctx, status.Result)
	case convert.Running:
	}
	if status.Progress != j.state.Progress || j.state.Trouble != "" {
		j.state.Progress, j.state.Trouble = status.Progress, ""
		if err := j.save(ctx); err != nil {
			return err
		}
	}
	return river.JobSnooze(j.pause(j.CreatedAt))
}

// mostForgotten is how many tasks of one conversion the service may forget.
const mostForgotten = 2

// finish stores the files, and then that they are there.
func (j *conversionJob) finish(ctx context.Context, result *convert.Result) error {
	if result == nil {
		return j.fail(ctx, "the service reports a success without a result")
	}
	files := make([]resultFile, len(result.Files))
	c := cost{
		SourceBytes: int64(result.ResourceSize), ServiceSeconds: result.Elapsed / 1000,
		TotalSeconds: time.Since(j.CreatedAt).Seconds(),
	}
	for i, file := range result.Files {
		files[i].Name = fmt.Sprintf("%03d.%s", i+1, j.Args.Target)
		size, err := j.fetch(ctx, file, files[i].Name)
		if err != nil {
			return j.later(ctx, "a result cannot be stored", err)
		}
		files[i].Size = size
		c.ResultBytes += size
	}
	if j.Args.Target == convert.Text {
		c.Pages = len(files)
	}
	j.state.Files, j.state.Cost, j.state.Done, j.state.Progress = files, c, true, 100
	if err := j.save(ctx); err != nil {
		return err
	}
	j.metrics.converted(string(j.Args.Target), c)
	j.logger.InfoContext(ctx, "converted", "job", j.ID, "target", string(j.Args.Target),
		slog.Group("cost", "source_bytes", c.SourceBytes, "result_bytes", c.ResultBytes, "pages", c.Pages,
			"service_seconds", c.ServiceSeconds, "total_seconds", c.TotalSeconds))
	return nil
}

// fetch downloads one file and stores it.
func (j *conversionJob) fetch(ctx context.Context, file convert.File, name string) (size int64, err error) {
	part, err := os.CreateTemp("", "weboffice-result-")
	if err != nil {
		return 0, err
	}
	defer func() { _, _ = part.Close(), os.Remove(part.Name()) }()
	if err := j.convert.Download(ctx, file, part); err != nil {
		return 0, err
	}
	if size, err = part.Seek(0, 0); err == nil {
		var info os.FileInfo
		if info, err = part.Stat(); err == nil {
			size = info.Size()
		}
	}
	if err != nil {
		return 0, err
	}
	return size, j.storage.results.Put(ctx, resultKey(j.ID, name), part)
}

func resultKey(id int64, name string) string { return filepath.ToSlash(fmt.Sprintf("%d/%s", id, name)) }

// later logs and stores what went wrong, and lets the job be tried again until its deadline.
func (j *conversionJob) later(ctx context.Context, what string, err error) error {
	j.logger.WarnContext(ctx, what, "job", j.ID, "error", err)
	j.state.Trouble = fmt.Sprintf("%s: %v", what, err)
	if err := j.save(ctx); err != nil {
		return err
	}
	return river.JobSnooze(j.pause(j.CreatedAt))
}

// fail ends the job.
func (j *conversionJob) fail(ctx context.Context, why string) error {
	j.state.Error = why
	if err := j.save(ctx); err != nil {
		return err
	}
	j.metrics.conversions.WithLabelValues(string(j.Args.Target), "failed").Inc()
	j.logger.WarnContext(ctx, "not converted", "job", j.ID, "error", why)
	return river.JobCancel(errors.New(why))
}

// hopeless reports whether the same call cannot succeed later.
func hopeless(err error) bool {
	var field *convert.FieldError
	var answer *convert.APIError
	if errors.As(err, &field) {
		return true
	}
	if !errors.As(err, &answer) {
		return false
	}
	switch answer.Code {
	case convert.CodeInvalidArgument, convert.CodeNoImpl, convert.CodeFileNotExists, convert.CodeDownloadFail:
		return true
	}
	return false
}
