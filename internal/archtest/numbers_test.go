package archtest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/token"
	"github.com/weboffice-go/weboffice/webhook"
)

// TestNumbers wants the numbers on pages to be those of the code.
func TestNumbers(t *testing.T) {
	t.Parallel()
	tolerance := int(signing.DefaultTolerance.Minutes())
	callback := int(preview.DefaultTimeout.Seconds())
	if token.DefaultTimeout != preview.DefaultTimeout {
		t.Error("the callbacks have two time-outs, and the pages name one")
	}
	tree := repository(t)
	for _, n := range []struct {
		page, text string
		value      int
	}{
		{"README.md", "| %d messages a minute", webhook.MessagesPerMinute},
		{"README.md", "minute, %d calls a second |", convert.DefaultCallsPerSecond},
		{"README.zh.md", "| 每分钟 %d 条消息", webhook.MessagesPerMinute},
		{"README.zh.md", "消息、每秒 %d 次调用 |", convert.DefaultCallsPerSecond},
		{"docs/errors.md", "more than %d minutes off", tolerance},
		{"docs/errors.md", "| More than %d characters", webhook.MaxMessageLength},
		{"docs/errors.zh.md", "偏差超过 %d 分钟", tolerance},
		{"docs/errors.zh.md", "| 超过 %d 个字符", webhook.MaxMessageLength},
		{"docs/limitations.md", "| What the %d characters count |", webhook.MaxMessageLength},
		{"docs/limitations.zh.md", "| %d 个字符怎么数 |", webhook.MaxMessageLength},
		{"docs/production.md", "| %d a second, queries included |", convert.DefaultCallsPerSecond},
		{"docs/production.md", "| %d in any minute |", webhook.MessagesPerMinute},
		{"docs/production.md", "| time of a callback | %d seconds |", callback},
		{"docs/production.md", "A Date may be %d minutes off", tolerance},
		{"docs/production.zh.md", "| 每秒 %d 次，查询也算 |", convert.DefaultCallsPerSecond},
		{"docs/production.zh.md", "| 任意一分钟 %d 条 |", webhook.MessagesPerMinute},
		{"docs/production.zh.md", "| 单个回调的时间 | %d 秒 |", callback},
		{"docs/production.zh.md", "Date 允许偏差 %d 分钟", tolerance},
	} {
		if want := fmt.Sprintf(n.text, n.value); !strings.Contains(tree.pages[n.page], want) {
			t.Errorf("%s does not say %q", n.page, want)
		}
	}
}
