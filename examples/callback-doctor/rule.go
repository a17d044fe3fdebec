package main

import "github.com/weboffice-go/weboffice/preview/previewtest"

// step is a part of the examination. A rule whose step was not reached is neither
// kept nor broken.
type step int

const (
	stepContact step = iota
	stepSigned
	stepAnswer // any callback has answered
	stepFile
	stepDownload
	stepBytes
	stepPermission
	stepUsers
	stepQuery
	stepHistory
	stepVersion
	stepPrepare
	stepAddress
	stepSaved
	stepRename
	stepMissing
)

// Rules that no single answer breaks. The others are those of previewtest.
const (
	ruleGateway   = "public reference 3.1: the gateway address is entered without /v3/3rd"
	ruleRoute     = "protocol 4.2: the three callbacks are there, below /v3/3rd/"
	ruleAnswered  = "protocol 4.2: each callback answers for an existing document"
	ruleAccepted  = "public reference 3.1: a callback that the service signed is accepted"
	rulePrefix    = "public reference 3.1: what is signed is the whole path, with the prefix of the gateway address"
	ruleEmptyMD5  = "public reference 3.1: Content-Md5 of a GET is that of its path"
	ruleEmptyType = "public reference 3.1: the Content-Type of a GET enters the signature as the empty text"
	ruleScheme    = "protocol 5.1: Authorization starts with the scheme of the deployment"
	ruleVerified  = "public reference 3.2: a wrong signature is refused"
	ruleUnsigned  = "public reference 3.2: a callback without a signature is refused"
	ruleTarget    = "public reference 3.2: Content-Md5 is compared with what was asked for"
	ruleDate      = "protocol 5.2 rule 1: a Date that is an hour old is refused"
	rulePublic    = "protocol 2.5: url is reachable from the public network"
	ruleHistory   = "protocol 2.6 rule 4: with history 1 there are the callbacks of history"
	ruleVersion   = "public reference 5: each version, and its download, is answered"
	ruleSave      = "protocol 2.6 rule 1: with update 1 there are the callbacks of saving"
	ruleRename    = "protocol 2.6 rule 3: with rename 1 there is the callback of renaming"
	ruleQuery     = "public reference 3.2: what is signed has the query of the path"
	ruleLatest    = "protocol 2.4: file info is that of the latest version"
	ruleMissing   = "public reference 3.3: an unknown document is answered with code 40004"
)

// rule is one line of the report.
type rule struct {
	name   string
	step   step
	change string
}

// ruleTable has every rule, in the order of the report.
var ruleTable = []rule{
	{ruleGateway, stepContact, "Enter the address without /v3/3rd: the service adds it, and would call /v3/3rd/v3/3rd/…. Everything else was checked without it."},
	{ruleRoute, stepContact, "Serve GET /v3/3rd/files/{id}, …/download and …/permission below the address, and look whether a proxy in front changes the path."},
	{ruleAnswered, stepContact, "A document that the user may open must be answered with code 0: look into your log for the reason. Are the -file and WEBOFFICE_TOKEN right? HTTP 401 may also mean that a signature is missing: then leave out -unsigned."},
	{ruleAccepted, stepContact, "Look into your log for the reason: code 40002 is also that of a user whom the system does not know, then set WEBOFFICE_TOKEN. Otherwise compare app id and key with the console. Sign app key + Content-Md5 + Content-Type (nothing, for a GET) + Date as it was received, and compare the clocks."},
	{rulePrefix, stepSigned, "Compute the MD5 over the path as the service called it: a proxy or router strips the prefix before you see it, so put it back (signing.VerifierConfig.PublicPrefix)."},
	{ruleEmptyMD5, stepSigned, "Where the body is empty, compute the MD5 over the path, not over nothing."},
	{ruleEmptyType, stepSigned, "For a GET, sign with the empty text in the place of Content-Type, not with application/json."},
	{ruleScheme, stepSigned, "Your system takes another scheme than -scheme. Ask which one your deployment signs with, and accept that."},
	{ruleQuery, stepQuery, "Compute the MD5 over the path and its query, as they were called: the documents leave open which one the service signs, so accept both."},
	{ruleVerified, stepSigned, "Verify the signature of every callback, and answer 401 with code 40002 where it does not match: as it is, anybody can read your documents."},
	{ruleUnsigned, stepSigned, "Refuse a callback that has no Authorization: leaving the header out must not skip the check."},
	{ruleTarget, stepSigned, "Compute Content-Md5 yourself, over the path that was asked for, and compare it: a header that is taken on trust lets one signature open every document."},
	{ruleDate, stepSigned, "Refuse a Date that is more than 15 minutes away from your clock: otherwise a callback can be repeated forever."},

	{previewtest.RuleJSON, stepAnswer, "Answer in JSON with Content-Type application/json, in UTF-8, on every path, errors of the framework (404, 405, 500) included."},
	{previewtest.RuleStatus, stepAnswer, "Answer a success with HTTP 200, and without a redirect."},
	{previewtest.RuleCode, stepAnswer, "Write code as a number: {\"code\":0,…}."},
	{previewtest.RuleMessage, stepAnswer, "Name the text of an answer message, not msg, and make it a string."},
	{previewtest.RuleData, stepAnswer, "Put the fields into an object named data: {\"code\":0,\"data\":{…}}."},

	{previewtest.RuleFileFields, stepFile, "Return all eight fields, with a value in each."},
	{previewtest.RuleFileTypes, stepFile, "Write ids and names as strings; version, size and times as numbers without quotes and fractions; and no null."},
	{previewtest.RuleFileID, stepFile, "Return the id that is in the path, letter by letter, and not one of your database."},
	{previewtest.RuleFileIDLength, stepFile, "Give the viewer ids of at most 47 characters."},
	{previewtest.RuleFileName, stepFile, "Replace the forbidden characters in the name (preview.CleanName does)."},
	{previewtest.RuleFileNameLength, stepFile, "Shorten the name, and keep its extension (preview.CleanName does)."},
	{previewtest.RuleVersion, stepFile, "Count versions from 1, one more after each save; a time in milliseconds does not fit."},
	{previewtest.RuleSize, stepFile, "Return the size in bytes, and not -1 for one that is not known."},
	{previewtest.RuleTimes, stepFile, "Return create_time and modify_time in seconds since 1970: divide milliseconds by 1000."},

	{previewtest.RuleURL, stepDownload, "Return url with scheme and host."},
	{previewtest.RuleDigest, stepDownload, "Return digest in hexadecimal, with digest_type md5 or sha1, or leave out both."},
	{previewtest.RuleHeaders, stepDownload, "Return headers as an object of strings. If there are none, leave the field out."},
	{rulePublic, stepDownload, "Return an address that the service can reach: a public name, not one of your own network or machine."},
	{previewtest.RuleFetch, stepBytes, "Make url give the document by GET, with nothing but the headers that you return: look at expiry, firewall and hotlink protection."},
	{previewtest.RuleFetchSize, stepBytes, "Return as size what the file has now, in bytes: the number in your database may be that of another version."},
	{previewtest.RuleFetchDigest, stepBytes, "Compute digest over the bytes that url gives, again after each save, or leave it out."},

	{previewtest.RuleFlags, stepPermission, "Write flags as 0 and 1: {\"read\":1,\"update\":0}, not true and false, and under these names: write is not read as update."},
	{previewtest.RuleUserID, stepPermission, "Return user_id with the permission: with update or print the viewer needs to know who it is."},
	{previewtest.RuleUserType, stepPermission, "Write user_id as a string, with quotes."},
	{previewtest.RuleUserKnown, stepPermission, "Serve GET /v3/3rd/users, and find the user_id of the permission there: without it the viewer says that the current user does not exist."},

	{previewtest.RuleUsersList, stepUsers, "Return the list itself: {\"code\":0,\"data\":[{\"id\":…}]}, not {\"data\":{\"users\":[…]}}."},
	{previewtest.RuleUserFields, stepUsers, "Return id and name of each user, as strings; the field is id, not user_id."},
	{previewtest.RuleUserAvatar, stepUsers, "Return avatar_url as an https address, or leave it out."},
	{previewtest.RuleUsersAsked, stepUsers, "Read every user_ids of the query (it is repeated: user_ids=1&user_ids=2), and return exactly those."},

	{ruleHistory, stepHistory, "Serve GET /v3/3rd/files/{id}/versions, or return history 0."},
	{previewtest.RuleVersionsList, stepHistory, "Return the list of versions itself as data."},
	{previewtest.RuleVersionsOrder, stepHistory, "Sort versions with the newest first."},
	{previewtest.RuleVersionsPage, stepHistory, "Obey offset and limit of the query."},
	{ruleLatest, stepHistory, "Return in file info the version that comes first in the history."},

	{ruleVersion, stepVersion, "Serve GET /v3/3rd/files/{id}/versions/{version} and …/download for each version that you list."},
	{previewtest.RuleVersionAsked, stepVersion, "Describe the version that is in the path."},

	{ruleSave, stepPrepare, "Serve GET …/upload/prepare, POST …/upload/address and POST …/upload/complete, or return update 0: without them the document opens for reading."},
	{previewtest.RuleDigestTypes, stepPrepare, "Return digest_types as a list of md5, sha1 and sha256; it may be empty."},
	{previewtest.RuleAddress, stepAddress, "Return url with scheme and host, and method PUT or POST."},
	{previewtest.RuleAddressMaps, stepAddress, "Return headers, params and send_back_params as objects of strings, or leave them out."},
	{previewtest.RuleUpload, stepSaved, "Accept the bytes at the upload address, by its method, with the Content-Type application/octet-stream, and answer with 2xx."},
	{previewtest.RuleSaved, stepSaved, "Describe the new version after a save: its number one higher than before, and the size of the bytes that were uploaded."},
	{ruleRename, stepRename, "Serve PUT /v3/3rd/files/{id}/name, or return rename 0."},

	{ruleMissing, stepMissing, "Answer {\"code\":40004,\"message\":…} for an id that you do not know, and no document."},
}
