package desk

// Ability is something that an area can or cannot play.
type Ability struct {
	Area  string `json:"area"`
	What  string `json:"what"`
	Zh    string `json:"what_zh"`
	State string `json:"state"` // enforced, assumed, unknown or absent
	Proof string `json:"proof"`
}

// States of an [Ability].
const (
	canEnforced = "enforced" // A test shows it: package and name.
	canAssumed  = "assumed"  // The protocol is silent: where the assumption comes from.
	canUnknown  = "unknown"  // Nothing says how the service behaves.
	canAbsent   = "absent"   // It cannot be played here.
)

// abilities is the table of the overview. A test looks for the tests and the sections
// that it names.
func abilities() []Ability {
	return []Ability{
		{areaConversion, "Signatures: Date, digest, form, app and signature, in this order", "签名：依次校验 Date、摘要、格式、应用和签名值", canEnforced, "converttest.TestSignatures"},
		{areaConversion, "Every rule for the fields of a submit", "提交请求各字段的全部规则", canEnforced, "converttest.TestRulesOfProtocol21"},
		{areaConversion, "A result's link works for half an hour", "结果链接半小时内有效", canEnforced, "converttest.TestResultsExpire"},
		{areaConversion, "A result's link alone gives access, and a signed download is refused", "仅凭结果链接即可下载，带签名头的下载会被拒绝", canEnforced, "converttest.TestSignedDownloadIsRefused"},
		{areaConversion, "Each of the formats becomes text, and all but PDF become PDF, by the local engine", "本机引擎：各格式转 txt，除 pdf 外各格式转 pdf", canEnforced, "office.TestKinds"},
		{areaConversion, "Encrypted documents need their password", "加密文档需要密码", canEnforced, "office.TestPasswords"},
		{areaConversion, "Path and shape of the task query, and its words for a state", "任务查询的路径、格式及状态取值", canAssumed, "public reference 1.1"},
		{areaConversion, "Error codes and their messages", "错误码及其说明", canAssumed, "public reference 2"},
		{areaConversion, "Quotas and the rate of calls: no limit but the fault \"limited\"", "配额与调用频率：除“限流”故障外不限制", canUnknown, "public reference 1.2"},
		{areaConversion, "A document looks exactly as the service would make it", "转换版式与线上服务完全一致", canAbsent, "protocol 1"},

		{areaChat, "Signatures of a robot that wants them", "开启签名校验的机器人：校验签名", canEnforced, "webhooktest.TestServerRefusesWithoutLookingAtTheMessage"},
		{areaChat, "Shapes of text, markdown, link and card", "text、markdown、link、card 的消息格式", canEnforced, "webhooktest.TestServerHoldsMessagesAgainstTheirShapes"},
		{areaChat, "Twenty messages of a robot in any minute", "每个机器人任意一分钟内最多 20 条", canEnforced, "webhooktest.TestServerTakesTwentyMessagesInAnyMinute"},
		{areaChat, "5000 characters, keywords, and the allow list", "5000 字符上限、关键词、IP 白名单", canEnforced, "webhooktest.TestServerEnforcesTheSettingsOfARobot"},
		{areaChat, "A callback address is checked by GET before it is taken", "回调地址先以 GET 校验可用性", canEnforced, "webhooktest.TestRegisterRefuses"},
		{areaChat, "Markdown as a tree: what the subset does not have is named", "Markdown 子集：不支持的元素会被指出", canEnforced, "desk.TestGroup"},
		{areaChat, "What a send is answered, and refusals", "发送的应答与拒绝的格式", canAssumed, "public reference 6.1"},
		{areaChat, "Repeats of a mention that was not answered", "回调未应答时的重试", canUnknown, "protocol 6"},

		{areaViewer, "Every rule for the answers of the callbacks, each named when it is broken", "回调应答的全部规则，违反时逐条指出", canEnforced, "desk.TestViewerSaysWhichRuleIsBroken"},
		{areaViewer, "Opening, history, old versions, renaming", "打开、历史版本、旧版本、重命名", canEnforced, "desk.TestViewerOpensAndSaves"},
		{areaViewer, "A save in its steps, also by two users at the same time", "三步保存，也可两人同时保存", canEnforced, "previewtest.TestViewerSaveSends"},
		{areaViewer, "How callbacks are signed, and which header has the user's token", "回调的签名方式与用户令牌所在的请求头", canAssumed, "public reference 3.1"},
		{areaViewer, "Users, save, rename and history: their paths and shapes", "用户、保存、重命名、历史版本的路径与格式", canAssumed, "public reference 5"},
		{areaViewer, "The editor itself: a saved file is dropped, not typed", "编辑器本身：保存时拖入文件，不能在此编辑", canAbsent, "protocol 1"},

		{areaPlugin, "Every rule for the answer of the token callback", "令牌回调应答的全部规则", canEnforced, "tokentest.TestPluginIsAsStrictAsProtocol2_11"},
		{areaPlugin, "Whether the callback is signed", "令牌回调是否带签名", canAssumed, "protocol 5.3"},

		{areaToken, "The grant: form, client and secret", "授权请求：表单、客户端与密钥", canEnforced, "tokentest.TestEndpointChecksTheGrant"},
		{areaToken, "Path and error codes of the token endpoint", "令牌接口的路径与错误码", canAssumed, "public reference 7.2"},
		{areaToken, "A token is a JWT that expires", "令牌为会过期的 JWT", canEnforced, "desk.TestPluginGetsAToken"},
		{areaToken, "What another service does with a token", "其他服务如何使用令牌", canAbsent, "protocol 1"},
	}
}
