package previewtest

// The rules that a [Viewer] holds answers to, for AnswerError.Rule.
const (
	RuleJSON    = "public reference 3.3: an answer is one JSON object in UTF-8, of Content-Type application/json"
	RuleStatus  = "public reference 3.3: an answer of code 0 has HTTP status 200"
	RuleCode    = "protocol 7.1: every answer carries code, an integer, which is 0 for success"
	RuleMessage = "public reference 3.3: the text of an answer is message, a string"
	RuleData    = "protocol 2.4 to 2.6: an answer of code 0 carries data, an object"

	RuleFileFields     = "protocol 2.4: file info has id, name, version, size, create_time, modify_time, creator_id and modifier_id, none of them empty"
	RuleFileTypes      = "protocol 2.4: ids and names are strings; version, size and times are integers"
	RuleFileID         = "protocol 2.4: id equals the requested file_id"
	RuleFileIDLength   = "protocol 2.4: id has at most 47 characters"
	RuleFileName       = `protocol 2.4: name has none of \ / | " : * ? < >`
	RuleFileNameLength = "protocol 2.4: name has at most 240 characters"
	RuleVersion        = "protocol 2.4: version is from 1 to 4294967295"
	RuleSize           = "protocol 2.4: size is not negative"
	RuleTimes          = "protocol 2.4: create_time and modify_time are epoch seconds"

	RuleURL         = "protocol 2.5: url is there, absolute, http or https"
	RuleDigest      = "protocol 2.5: digest has a digest_type, md5 or sha1, and as many hexadecimal digits as that has"
	RuleHeaders     = "protocol 2.5: headers is an object of strings, or left out"
	RuleFetch       = "protocol 2.5: url gives the document, when it is fetched with headers"
	RuleFetchSize   = "protocol 2.4: size is that of the document which url gives"
	RuleFetchDigest = "protocol 2.5: digest is that of the document which url gives"

	RuleFlags     = "protocol 2.6: flags have the names of the protocol, and are the integers 0 and 1"
	RuleUserID    = "protocol 2.6 rules 1 and 2: user_id is there when update or print is 1"
	RuleUserType  = "protocol 2.6: user_id is a string"
	RuleUserKnown = "protocol 2.6 rules 1, 2 and 6: the users callback finds the user of the permission"

	RuleUsersList  = "public reference 4: data is the bare list of users"
	RuleUserFields = "public reference 4: a user has id and name, strings that are not empty"
	RuleUserAvatar = "public reference 4: avatar_url is an https address, or left out"
	RuleUsersAsked = "public reference 4: the users that were asked for, each once, and nobody else"

	RuleVersionsList  = "public reference 5: data is a bare list of file infos"
	RuleVersionsOrder = "public reference 5: versions come in descending order"
	RuleVersionsPage  = "public reference 5: no more versions than limit"
	RuleVersionAsked  = "public reference 5: version is the one that was asked for"

	RuleDigestTypes = "public reference 5: digest_types is a list of md5, sha1 and sha256"
	RuleAddress     = "public reference 5: an upload address has url, absolute, and method, PUT or POST"
	RuleAddressMaps = "public reference 5: headers, params and send_back_params are objects of strings, or left out"
	RuleUpload      = "public reference 5: the upload is answered with a status of 2xx"
	RuleSaved       = "public reference 5: after a save, size is that of the uploaded document, and version is higher than before"
)

// Rules lists them, in the order of the protocol.
func Rules() []string {
	return []string{
		RuleJSON, RuleStatus, RuleCode, RuleMessage, RuleData,
		RuleFileFields, RuleFileTypes, RuleFileID, RuleFileIDLength, RuleFileName, RuleFileNameLength,
		RuleVersion, RuleSize, RuleTimes,
		RuleURL, RuleDigest, RuleHeaders, RuleFetch, RuleFetchSize, RuleFetchDigest,
		RuleFlags, RuleUserID, RuleUserType, RuleUserKnown,
		RuleUsersList, RuleUserFields, RuleUserAvatar, RuleUsersAsked,
		RuleVersionsList, RuleVersionsOrder, RuleVersionsPage, RuleVersionAsked,
		RuleDigestTypes, RuleAddress, RuleAddressMaps, RuleUpload, RuleSaved,
	}
}
