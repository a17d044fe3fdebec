package commonmark_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What stands between angles and is no HTML is text that somebody wrote.
func TestTagsThatAreText(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, src, want string }{
		{"type parameters", "List<string>, Map<K, V>, Vec<Vec<u8>>, Box<T>", `List&lt;string>, Map&lt;K, V>, Vec&lt;Vec&lt;u8>>, Box&lt;T>`},
		{"names of elements", "Vec<u>, Option<b> and Pair<a, b>", `Vec&lt;u>, Option&lt;b> and Pair&lt;a, b>`},
		{"something to fill in", "git clone <your-name>/<repo> <none>", "git clone &lt;your-name>/&lt;repo> &lt;none>"},
		{"with names of elements", "cp <source> <target file> <input file> <time in seconds>", "cp &lt;source> &lt;target file> &lt;input file> &lt;time in seconds>"},
		{"alone on its line", "<your-name>\n\n<source>\n\n<T>\na", "&lt;your-name>\n\n&lt;source>\n\n&lt;T> a"},
		{"in a block", "<div>List<string> <Foo bar=\"&lt;\"> <b>c</b></div>", "List&lt;string> &lt;Foo bar=\"&amp;lt;\"> **c**"},
		{"over lines", "a <foo\nbar='c'> d", "a &lt;foo bar='c'> d"},
		{"custom elements", "<my-widget size=\"1\">a</my-widget> <b-c/>", "&lt;my-widget size=\"1\">a&lt;/my-widget> &lt;b-c/>"},
		{"end tags", "a</T> b</b> c", "a&lt;/T> b c"},
		{"prefixes", "a <b:c> <xs:element name='d'/>", "a &lt;b:c> &lt;xs:element name='d'/>"},
		{"prefixes in a block", "<p><b:c> <http://d.example> <e@f.example></p>", `&lt;b:c> &lt;http:/\/d.example> &lt;e\@f.example>`},
		{"alternative text", "![Map<K> of `<V>`](https://a.example)", "![](https://a.example) Map&lt;K> of &lt;V>"},
		{"declarations", "a <!HERE> <!DOCTYPE html> b\n\n<!CHANNEL>\n", "a &lt;!HERE>  b\n\n&lt;!CHANNEL>"},
		{"the tag script", "Use <script> tags.\n\n<script>\na\n\nb", "Use &lt;script> tags.\n\n&lt;script> a b"},
		{"a comment without an end", "<!-- a\n\nb", "&lt;!-- a b"},
		{"comments", "<!-- a --> <!--> b <!---> c\n\n<!-- d\n\ne -->\nf", "b c\n\nf"},
		{"an instruction of nothing", "a <?> b", "a  b"},
		{"an instruction without an end", "<?a <b>c</b> <![CDATA[ d", "&lt;?a **c** &lt;!\\[CDATA\\[ d"},
		{"without attributes", "a <img> <hr> <input> <details> b", "a &lt;img>  \n──────────  \n&lt;input> &lt;details> b"},
		{"a drawing", "<p><svg width='1'><g><path d='M0'/></g><text>a</text></svg><g>", "a&lt;g>"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, checkConverted(t, tt.src)); diff != "" {
				t.Errorf("Convert(%q) (-want +got)\n%s", tt.src, diff)
			}
		})
	}
}

// What HTML says by more than its text is not lost either.
func TestWhatHTMLShows(t *testing.T) {
	t.Parallel()
	const u = "https://a.example"
	tests := []struct{ name, src, want string }{
		{"powers", "10<sup>6</sup> x<sup>-2</sup> H<sub>2</sub>O 2<sup>n</sup>", "10⁶ x⁻² H₂O 2ⁿ"},
		{"other scripts", "x<sub>i</sub> e<sup>a + b</sup> 1<sup>st</sup> A<sup>®</sup>", `x\_i e^(a + b) 1^st A®`},
		{"footnote", "word<sup>[1](" + u + ")</sup>", "word^[1](" + u + ")"},
		{"small print", "<sub>made with love</sub>, a <sup>b</sup>", "made with love, a b"},
		{"scripts in a block", "<p>m<sup>2</sup> <b>3</b><sup>4</sup></p>", "m² **3**⁴"},
		{"headings", "<h1 align='center'>a</h1>b<h2>c <b>d</b></h2>", "**a**  \nb  \n**c d**"},
		{"head of a table", "<table><tr><th>a<th>b</th><td>c</tr><tr><td>d</table>", "**a** │ **b** │ c  \nd"},
		{"numbered list", "<ol start=3><li>a</li><li value='7'>b<li>c</ol>", "(3) a  \n(7) b  \n(8) c"},
		{"nested lists", "<ul><li>a<ol><li>b</ol><li>c</ul>", "◦ a  \n\u00a0\u00a0(1) b  \n◦ c"},
		{"list in a cell", "|a|\n|-|\n|b<ul><li>c</li><li> d</li></ul>|", "**a**  \nb  \n◦ c  \n◦ d"},
		{"quote", "<p>a</p><blockquote>b<p>c</blockquote>d", "a  \n│ b  \n│ c  \nd"},
		{"boxes", "<input type=checkbox checked> a <input type='checkbox'>b", "☑ a ☐ b"},
		{"rare elements keep their text", "<q>a</q> <abbr title=b>c</abbr> <ruby>d<rt>e</rt></ruby> <progress>f</progress> <object data=g>h</object>", "a c de f h"},
		{"fields", "<input value=a> <input placeholder='b'><input type=hidden value=c>", "a b"},
		{"media", "<video src='" + u + "/v.mp4' controls></video><audio src=a.ogg></audio> <iframe src='" + u + "' title='b'></iframe>", "<" + u + "/v.mp4> a.ogg [b](" + u + ")"},
		{"sources", "<p>a <video><source src='" + u + "/1'><source src='" + u + "/2'>b</video>", "a <" + u + "/1> <" + u + "/2> b"},
		{"images side by side", "<p>a <img src='" + u + "' alt=b><img src='" + u + "'>c", "a ![](" + u + ") b ![](" + u + ")c"},
		{"an image before a word", "![a](" + u + ")b ![c](" + u + "), d", "![](" + u + ") a b ![](" + u + ") c, d"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, checkConverted(t, tt.src)); diff != "" {
				t.Errorf("Convert(%q) (-want +got)\n%s", tt.src, diff)
			}
		})
	}
}
