// Package tokenredis shares access tokens among the processes of one product, by way of
// a Redis server, so that a token is fetched once and not by every process.
//
// A [Source] comes between the cache of each process and the token endpoint. Each replica
// is wired in the same way:
//
//	clients := map[string]token.Client{"SX2024": {Secret: appKey}}
//	endpoint, err := token.NewClientCredentials(token.ClientCredentialsConfig{URL: authURL, Clients: clients})
//	...
//	shared, err := tokenredis.New(tokenredis.Config{
//		Client: redis.NewClient(&redis.Options{Addr: "redis:6379"}),
//		Source: endpoint,
//		Keys:   []signing.Secret{sealingKey},
//		ClientSecret: func(_ context.Context, appID string) (signing.Secret, error) {
//			return clients[appID].Secret, nil
//		},
//	})
//	...
//	handler, err := token.NewHandler(token.Config{Source: token.NewCache(shared, nil), ...})
//
// # One refresh
//
// The first process that asks within Config.Early of the expiry fetches a new token. The
// others get the old one meanwhile; if there is none, they wait. If that process dies, the
// next one may fetch after Config.FetchTimeout and a little. Each fetch has a number, and
// the answer of an earlier one never replaces that of a later one, however late it comes.
// If a fetch fails and the old token is still valid, that is returned, and the failure is
// logged.
//
// Times of expiry are kept by the clock of the server, so the clocks of the processes need
// not agree.
//
// # When Redis is not available
//
// By default [Source.Token] returns an error that is [ErrUnavailable]. A [token.Cache]
// keeps its token until that expires, and so bridges some minutes. It is not known whether
// the service ends older tokens when it makes a new one, so no process fetches on its own,
// unless Config.Fallback says so. A token that was fetched is returned even if it cannot be
// stored. go-redis itself writes to stderr that it cannot connect; redis.SetLogger changes
// that.
//
// What Redis loses at a restart, a failover or by eviction is fetched again. If the lock
// is lost while a process fetches, another one fetches too. Use "maxmemory-policy
// noeviction".
//
// # Security
//
// A token is sealed with AES-256-GCM under a key that is derived from the first of
// Config.Keys, and bound to the name of its key in Redis. To replace a key without a second
// fetch, deploy the new one as the second, then as the first, then alone. A token that no
// key opens is fetched again.
//
// The name of a key holds the id of the app and a part of a SHA-256 of the id and its
// client secret, so tokens of an old secret are not used with a new one. Like any hash, it
// lets those who read it try out guesses: a client secret must be random, as those of the
// service are. No error and no log has tokens, client secrets or sealing keys.
//
// # Keys
//
//	weboffice:token:APP:FINGERPRINT    hash: the sealed token, its expiry, who fetches
//
// It expires with its token. Every script uses one key, so a cluster needs no hash tags.
// Redis 5 or newer is needed, for scripts that ask for the time.
package tokenredis
