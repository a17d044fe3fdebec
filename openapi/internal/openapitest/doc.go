// Package openapitest holds the OpenAPI documents of the module to every golden, and to
// every exchange that the fakes and the handlers make in its tests.
package openapitest
