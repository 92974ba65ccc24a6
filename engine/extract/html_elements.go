package extract

import "golang.org/x/net/html/atom"

// rawText are the elements that have only text in them, whatever it looks like.
var rawText = map[atom.Atom]bool{
	atom.Iframe: true, atom.Noembed: true, atom.Noframes: true, atom.Noscript: true, atom.Plaintext: true, atom.Script: true,
	atom.Style: true, atom.Textarea: true, atom.Title: true, atom.Xmp: true,
}

// shows are the elements that show something without any text in them.
var shows = map[atom.Atom]bool{atom.Hr: true, atom.Image: true, atom.Img: true}

// scopes are the elements that end what is opened in them.
var scopes = map[atom.Atom]bool{atom.Applet: true, atom.Marquee: true, atom.Object: true, atom.Table: true, atom.Template: true}

// tableParts are the parts of a table.
var tableParts = map[atom.Atom]bool{
	atom.Caption: true, atom.Col: true, atom.Colgroup: true, atom.Tbody: true, atom.Td: true, atom.Tfoot: true,
	atom.Th: true, atom.Thead: true, atom.Tr: true,
}

// void are the elements without an end that show nothing themselves.
var void = map[atom.Atom]bool{
	atom.Area: true, atom.Base: true, atom.Basefont: true, atom.Bgsound: true, atom.Br: true, atom.Embed: true, atom.Frame: true,
	atom.Input: true, atom.Keygen: true, atom.Link: true, atom.Meta: true, atom.Param: true, atom.Source: true,
	atom.Track: true, atom.Wbr: true,
}

// parserBlocks are the elements that the parser closes others for, or that the text around ends at.
var parserBlocks = map[atom.Atom]bool{
	atom.Address: true, atom.Applet: true, atom.Article: true, atom.Aside: true, atom.Blockquote: true, atom.Body: true, atom.Button: true,
	atom.Caption: true, atom.Center: true, atom.Col: true, atom.Colgroup: true, atom.Dd: true, atom.Details: true, atom.Dialog: true,
	atom.Dir: true, atom.Div: true, atom.Dl: true, atom.Dt: true, atom.Fieldset: true, atom.Figcaption: true, atom.Figure: true,
	atom.Footer: true, atom.Form: true, atom.Frameset: true, atom.H1: true, atom.H2: true, atom.H3: true, atom.H4: true, atom.H5: true,
	atom.H6: true, atom.Head: true, atom.Header: true, atom.Hgroup: true, atom.Hr: true, atom.Html: true, atom.Legend: true, atom.Li: true,
	atom.Listing: true, atom.Main: true, atom.Marquee: true, atom.Menu: true, atom.Nav: true, atom.Object: true, atom.Ol: true,
	atom.Optgroup: true, atom.Option: true, atom.P: true, atom.Plaintext: true, atom.Pre: true, atom.Search: true, atom.Section: true,
	atom.Select: true, atom.Summary: true, atom.Table: true, atom.Tbody: true, atom.Td: true, atom.Template: true, atom.Tfoot: true,
	atom.Th: true, atom.Thead: true, atom.Tr: true, atom.Ul: true, atom.Xmp: true,
}
