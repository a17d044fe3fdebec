package main

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/riverqueue/river/rivertype"
	_ "modernc.org/sqlite" // the driver "sqlite"
)

// The queues, and how many jobs of each a replica works on at once. Most of that time
// they wait for the limits, which all replicas share.
const (
	conversionQueue   = "conversions"
	conversionWorkers = 8
	messageQueue      = "messages"
	messageWorkers    = 2
	sweepQueue        = "sweep"
)

// jobs is what the program asks of the queue. A client of River is one, for either
// database.
type jobs interface {
	Insert(ctx context.Context, args river.JobArgs, opts *river.InsertOpts) (*rivertype.JobInsertResult, error)
	JobGet(ctx context.Context, id int64) (*rivertype.JobRow, error)
	JobUpdate(ctx context.Context, id int64, params *river.JobUpdateParams) (*rivertype.JobRow, error)
}

// runner works on the jobs.
type runner interface {
	Start(ctx context.Context) error
	Stop(ctx context.Context) error
	StopAndCancel(ctx context.Context) error
}

// backlog is how many jobs of a kind are in a state.
type backlog struct {
	kind, state string
	count       int64
}

// counter counts the jobs in a database, of either kind.
func counter(db *sql.DB) func(ctx context.Context) ([]backlog, error) {
	return func(ctx context.Context) (found []backlog, err error) {
		rows, err := db.QueryContext(ctx, "SELECT kind, state, count(*) FROM river_job GROUP BY kind, state")
		if err != nil {
			return nil, err
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			var b backlog
			if err := rows.Scan(&b.kind, &b.state, &b.count); err != nil {
				return nil, err
			}
			found = append(found, b)
		}
		return found, rows.Err()
	}
}

// queue is the durable jobs: in PostgreSQL for all replicas, or in a SQLite file for
// this process alone.
type queue struct {
	jobs
	runner
	ready   func(ctx context.Context) error
	backlog func(ctx context.Context) ([]backlog, error)
	close   func() error
}

// openQueue connects, creates the tables or brings them up to date, and starts nothing.
func openQueue(ctx context.Context, s *settings, logger *slog.Logger, workers *river.Workers) (*queue, error) {
	if s.postgresURL.IsZero() {
		return openSQLite(ctx, s, logger, workers)
	}
	return openPostgres(ctx, s, logger, workers)
}

func openPostgres(ctx context.Context, s *settings, logger *slog.Logger, workers *river.Workers) (_ *queue, err error) {
	pool, err := pgxpool.New(ctx, s.postgresURL.Reveal())
	if err != nil {
		return nil, errPostgresURL
	}
	defer func() {
		if err != nil {
			pool.Close()
		}
	}()
	if pool.Config().MaxConns < minConns {
		return nil, fmt.Errorf("%s: pool_max_conns must be at least %d: the lock of the migration, notices and jobs have one each", variable("postgres-url"), minConns)
	}
	driver := riverpgxv5.New(pool)
	if err := migrateLocked(ctx, pool, driver, logger); err != nil {
		return nil, err
	}
	client, err := river.NewClient(driver, riverConfig(s, logger, workers))
	if err != nil {
		return nil, err
	}
	return &queue{
		jobs: client, runner: client, ready: pool.Ping,
		backlog: counter(stdlib.OpenDBFromPool(pool)),
		close:   func() error { pool.Close(); return nil },
	}, nil
}

// minConns is the least number of connections to PostgreSQL.
const minConns = 4

// migrationLock is the advisory lock that lets one replica at a time migrate.
const migrationLock = 0x7765626f6666 // "weboff"

func migrateLocked[T any](ctx context.Context, pool *pgxpool.Pool, driver riverdriver.Driver[T], logger *slog.Logger) error {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock($1)", int64(migrationLock)); err != nil {
		return err
	}
	defer func() {
		_, _ = conn.Exec(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", int64(migrationLock))
	}()
	return migrate(ctx, driver, logger)
}

func migrate[T any](ctx context.Context, driver riverdriver.Driver[T], logger *slog.Logger) error {
	migrator, err := rivermigrate.New(driver, &rivermigrate.Config{Logger: quiet(logger)})
	if err != nil {
		return err
	}
	_, err = migrator.Migrate(ctx, rivermigrate.DirectionUp, nil)
	return err
}

func openSQLite(ctx context.Context, s *settings, logger *slog.Logger, workers *river.Workers) (_ *queue, err error) {
	// A commit is on the disk when it returns. One connection: SQLite has one writer.
	db, err := sql.Open("sqlite", "file:"+filepath.Join(s.data, queueFile)+"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=busy_timeout(5000)")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	defer func() {
		if err != nil {
			_ = db.Close()
		}
	}()
	driver := riversqlite.New(db)
	if err := migrate(ctx, driver, logger); err != nil {
		return nil, err
	}
	cfg := riverConfig(s, logger, workers)
	cfg.FetchPollInterval = 200 * time.Millisecond // SQLite cannot notify.
	client, err := river.NewClient(driver, cfg)
	if err != nil {
		return nil, err
	}
	return &queue{
		jobs: client, runner: client, ready: db.PingContext, close: db.Close,
		backlog: counter(db),
	}, nil
}

func riverConfig(s *settings, logger *slog.Logger, workers *river.Workers) *river.Config {
	return &river.Config{
		Logger:     quiet(logger),
		Workers:    workers,
		JobTimeout: s.jobTimeout,
		// A job that a dead replica was working on is taken by another one.
		RescueStuckJobsAfter:        s.jobTimeout + s.jobTimeout/4,
		CompletedJobRetentionPeriod: s.keep,
		CancelledJobRetentionPeriod: s.keep,
		DiscardedJobRetentionPeriod: s.keep,
		RetryPolicy:                 retryPolicy{},
		Queues: map[string]river.QueueConfig{
			conversionQueue: {MaxWorkers: conversionWorkers},
			messageQueue:    {MaxWorkers: messageWorkers},
			sweepQueue:      {MaxWorkers: 1},
		},
		PeriodicJobs: []*river.PeriodicJob{river.NewPeriodicJob(river.PeriodicInterval(sweepEvery),
			func() (river.JobArgs, *river.InsertOpts) { return sweep{}, nil }, &river.PeriodicJobOpts{RunOnStart: true})},
	}
}

// retryPolicy is for jobs that failed by a bug, or whose replica died: what the service
// says is handled by the workers themselves.
type retryPolicy struct{}

// NextRetry implements river.ClientRetryPolicy.
func (retryPolicy) NextRetry(job *rivertype.JobRow) time.Time {
	return time.Now().Add(min(time.Duration(job.Attempt)*time.Second, time.Minute))
}

// maxAttempts is how often a job may fail by a bug or the death of its replica.
const maxAttempts = 100

// sweep is the job that removes what nobody needs any more. One replica does it.
type sweep struct{}

// Kind implements river.JobArgs.
func (sweep) Kind() string { return "sweep" }

// InsertOpts implements river.JobArgsWithInsertOpts. However often replicas start, there
// is one job a day.
func (sweep) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: sweepQueue, MaxAttempts: 3, UniqueOpts: river.UniqueOpts{ByPeriod: sweepEvery}}
}

type sweeper struct {
	river.WorkerDefaults[sweep]
	app *app
}

// Timeout overrides that of other jobs: a large bucket takes time.
func (*sweeper) Timeout(*river.Job[sweep]) time.Duration { return time.Hour }

// Work implements river.Worker.
func (w *sweeper) Work(ctx context.Context, _ *river.Job[sweep]) error {
	if err := w.app.storage.sweep(ctx); err != nil {
		return err
	}
	return w.app.storage.results.Sweep(ctx, time.Now().Add(-w.app.settings.keep))
}
