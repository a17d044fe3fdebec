package main

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/redis/go-redis/v9"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/signing"
)

// minSecret is the length of keys and tokens that are ours to choose, in bytes.
const minSecret = 16

// The errors of the drivers may repeat a password.
var (
	errRedisURL    = errors.New(variable("redis-url") + " must be an address such as redis://:password@host:6379/0")
	errPostgresURL = errors.New(variable("postgres-url") + " must be an address such as postgres://user:password@host:5432/database, with valid options")
)

// robotPaths are paths that mean the same to every proxy and router.
var robotPaths = regexp.MustCompile(`^(/[A-Za-z0-9_-][A-Za-z0-9._~-]*)+$`)

// check finds what cannot work, before anything is begun.
func (s *settings) check() (problems []error) {
	problem := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }
	for name, value := range map[string]string{
		"public": s.public, "service": s.service, "token-url": s.tokenURL, "otlp-url": s.otlpURL,
		"s3-endpoint": s.s3Endpoint, "s3-public-endpoint": s.s3PublicEndpoint,
	} {
		if err := checkURL(value); err != nil {
			problem("-%s: %w", name, err)
		}
	}
	for name, value := range map[string]time.Duration{
		"drain": s.drain, "poll": s.poll, "deadline": s.deadline, "job-timeout": s.jobTimeout, "keep": s.keep,
	} {
		if value <= 0 {
			problem("-%s must be longer than 0", name)
		}
	}
	if s.drainDelay < 0 {
		problem("-drain-delay must not be negative")
	}
	if s.callsPerSecond < 1 || s.messagesPerMinute < 1 {
		problem("-calls-per-second and -messages-per-minute must be at least 1")
	}
	if s.logFormat != "text" && s.logFormat != "json" {
		problem("-log-format must be text or json")
	}
	for name, value := range map[string]signing.Secret{"api-token": s.apiToken, "link-key": s.linkKey} {
		if n := len(value.Reveal()); n > 0 && n < minSecret {
			problem("%s must have at least %d bytes", variable(name), minSecret)
		}
	}
	if path := s.robotPath.Reveal(); path != "" && (!robotPaths.MatchString(path) || path == contentPath || strings.HasPrefix(path, preview.PathPrefix)) {
		problem("%s must be a path of letters, digits and -_.~ such as /robot/4fJq, without a slash at its end, and of nothing else", variable("robot-path"))
	}
	if _, err := redis.ParseURL(s.redisURL.Reveal()); err != nil && !s.redisURL.IsZero() {
		problems = append(problems, errRedisURL)
	}
	if _, err := pgxpool.ParseConfig(s.postgresURL.Reveal()); err != nil && !s.postgresURL.IsZero() {
		problems = append(problems, errPostgresURL)
	}
	if s.bucket == "" && (s.bucketPrefix != "" || s.s3Endpoint != "" || s.s3PublicEndpoint != "" || s.s3PathStyle) {
		problem("-bucket is required with the other settings of the storage")
	}
	return append(problems, s.checkService()...)
}

// checkService finds what is missing for a real service, or too much without one.
func (s *settings) checkService() (problems []error) {
	problem := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }
	if s.service == "" {
		for name, set := range map[string]bool{
			"-app-id": s.appID != "", variable("app-key"): !s.appKey.IsZero(), "-token-url": s.tokenURL != "",
			variable("robot-url"): !s.robotURL.IsZero(), variable("robot-secret"): !s.robotSecret.IsZero(),
		} {
			if set {
				problem("%s is set, and -service is not: without it this process plays the service", name)
			}
		}
		return problems
	}
	for name, set := range map[string]bool{
		"-public": s.public != "", "-app-id": s.appID != "", variable("app-key"): !s.appKey.IsZero(),
	} {
		if !set {
			problem("%s is required with -service", name)
		}
	}
	if s.data != "" {
		return problems
	}
	for name, set := range map[string]bool{
		variable("api-token"): !s.apiToken.IsZero(), variable("link-key"): !s.linkKey.IsZero(),
		"-bucket": s.bucket != "", variable("postgres-url"): !s.postgresURL.IsZero(),
		variable("robot-path"): !s.robotPath.IsZero() || s.robotURL.IsZero(),
	} {
		if !set {
			problem("%s or -data is required with -service: a temporary folder would lose it", name)
		}
	}
	return problems
}

// checkURL does not repeat the URL, which may contain a password.
func checkURL(text string) error {
	if text == "" {
		return nil
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.RawQuery != "" {
		return errors.New("must be an address such as https://office.example.com, without a user or a query")
	}
	return nil
}
