package convert

// Codes of answers that are no success. The protocol names none (protocol 7);
// these are from public reference 2. What is said of repeating is a judgement: an
// invalid request stays invalid. Only [CodeRateLimiter] and [CodeTooManyTask] say
// that a submit was not carried out.
const (
	CodeUnknown                     = -1    // Unknown; repeating may help.
	CodeInvalidArgument             = 10001 // An argument is not valid; repeating does not help.
	CodeTimeout                     = 10002 // The service took too long; repeating helps.
	CodePermissionDenied            = 10003 // The app may not use this endpoint; repeating does not help.
	CodeAppNotExist                 = 20002 // There is no such app; repeating does not help.
	CodeInvalidScope                = 20003 // OAuth: scope; repeating does not help.
	CodeInvalidRedirectURI          = 20004 // OAuth: redirect address; repeating does not help.
	CodeInvalidResponseType         = 20005 // OAuth: response type; repeating does not help.
	CodeAuditNotPass                = 20006 // Developer or app are not approved; repeating does not help.
	CodeUserUnauthorized            = 30001 // Not logged in; repeating does not help.
	CodeRateLimiter                 = 30002 // Too many calls; repeating later helps.
	CodeInvalidSignature            = 30003 // The signature does not match; repeating does not help.
	CodeInternalError               = 30004 // The service failed; repeating helps.
	CodeNoImpl                      = 30005 // The service does not do this; repeating does not help.
	CodeOnlineFileType              = 30006 // A document of the online kind, which has no file; repeating does not help.
	CodeUserAccountRestrictedAccess = 30007 // The account is not allowed; repeating does not help.
	CodeFileSizeLimited             = 30008 // The document is too large; repeating does not help.
	CodeDownloadFail                = 30009 // The service could not download the document; repeating helps where its host was at fault.
	CodeTooManyTask                 = 30010 // Too many tasks under way; repeating later helps.
	CodeExecuteFailed               = 30011 // An edit command failed; repeating does not help.
	CodeFileNotExists               = 30012 // There is no such document; repeating does not help.
	CodeLinkNotExists               = 30014 // There is no such link; repeating does not help.
	CodeFileNameConflict            = 30015 // The name is taken; repeating does not help.
	CodeTooManyWebhooks             = 30016 // More than ten webhooks in a document; repeating does not help.
	CodeInvalidPermissionResponse   = 40001 // The integrator's permission callback answered wrong; repeating does not help.
	CodeAccountUpgrading            = 40008 // The account is being upgraded; repeating later helps.
)
