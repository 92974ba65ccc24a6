package extract

import (
	"bytes"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/marker"
	"golang.org/x/net/html"
)

const quotePrefix = "> "

// codeLine ends the lines of code while a page is written.
const codeLine = string(marker.MarkerCodeBlockNewline)

// quotedLines puts the prefix of a quote before each line after the first.
var quotedLines = strings.NewReplacer("\n", "\n"+quotePrefix, codeLine, codeLine+quotePrefix)

// renderQuote writes a quote. That of the converter puts nothing before the lines of code, and leaves
// what begins a line for later, when something stands before it and it is not escaped any more.
func renderQuote(ctx converter.Context, w converter.Writer, n *html.Node) converter.RenderStatus {
	var in bytes.Buffer
	ctx.RenderChildNodes(ctx, &in, n)
	_, _ = w.WriteString("\n\n")
	if text := bytes.TrimSpace(in.Bytes()); len(text) > 0 {
		text = ctx.UnEscapeContent(joinBlankLines(text))
		_, _ = w.WriteString(quotePrefix + quotedLines.Replace(string(text)) + "\n\n")
	}
	return converter.RenderSuccess
}

// joinBlankLines makes one of blank lines that follow each other, and takes the hard break before
// one away.
func joinBlankLines(text []byte) []byte {
	out := make([]byte, 0, len(text))
	blank := false
	for line := range bytes.Lines(text) {
		isBlank := len(bytes.TrimSpace(line)) == 0
		switch {
		case isBlank && blank:
			continue
		case isBlank:
			out = append(bytes.TrimRight(out, " \n"), "\n\n"...)
		default:
			out = append(out, line...)
		}
		blank = isBlank
	}
	return out
}
