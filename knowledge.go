package quire

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"iter"
	"slices"
	"strings"
)

// KnowledgeFormat is the form of compiled knowledge text.
type KnowledgeFormat string

// The formats.
const (
	FormatText     KnowledgeFormat = "text"     // "Title: .." lines, items numbered and indented
	FormatMarkdown KnowledgeFormat = "markdown" // headings instead of labels
	FormatJSON     KnowledgeFormat = "json"
)

// GroupBy is how table elementals are laid out in knowledge text.
type GroupBy string

// The groupings.
const (
	GroupByRow    GroupBy = "row"
	GroupByColumn GroupBy = "column"
)

// KnowledgeFields returns the names that KnowledgeOptions.Fields may hold, in the
// order in which they are laid out.
func KnowledgeFields() []string {
	names := make([]string, len(knowledgeFields))
	for i, f := range knowledgeFields {
		names[i] = f.name
	}
	return names
}

// KnowledgeOptions select what is compiled and how.
type KnowledgeOptions struct {
	Format  KnowledgeFormat // "" means FormatText
	GroupBy GroupBy         // "" means GroupByRow
	// Fields are names out of KnowledgeFields, in any order; empty means title,
	// description and content. An unknown name is ErrInvalid.
	Fields []string
}

// Knowledge is compiled content: the head of a list or an elemental, and the
// items of a list.
type Knowledge struct {
	Title       string
	Description string
	Type        string // name of the list type or elemental type
	// Items iterates over a list's items; nil for an elemental. It reads them in
	// portions while it is consumed. An error is the last thing yielded.
	Items iter.Seq2[KnowledgeItem, error]
}

// KnowledgeItem is one item of a list.
type KnowledgeItem struct {
	Title       string
	Description string
	Type        string          // name of the elemental type
	Fields      KnowledgeObject // the selected fields
}

// KnowledgeObject is a JSON object with ordered keys: the keys of an elemental are
// the names of its fields with a capital first letter, the content's is Body.
type KnowledgeObject []KnowledgeEntry

// KnowledgeEntry is a key with its value.
type KnowledgeEntry struct {
	Key   string
	Value any // a string, or for what may be several, a []string or []KnowledgeObject; of a table's content the laid out text
}

// MarshalJSON writes the object with its keys in order.
func (o KnowledgeObject) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, e := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		key, err := json.Marshal(e.Key)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(e.Value)
		if err != nil {
			return nil, err
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// knowledgeFields says what each field shows of an elemental.
var knowledgeFields = []struct {
	name, key string
	byDefault bool
	value     func(l *Library, e *Elemental) any // but that of content for a table
}{
	{"id", "Id", false, func(_ *Library, e *Elemental) any { return e.ID }},
	{"title", "Title", true, func(_ *Library, e *Elemental) any { return e.Title }},
	{"type", "Type", false, func(_ *Library, e *Elemental) any { return e.Type.Name }},
	{"description", "Description", true, func(_ *Library, e *Elemental) any { return e.Description }},
	{"content", "Body", true, func(_ *Library, e *Elemental) any { return e.Body }},
	{"url", "Url", false, func(_ *Library, e *Elemental) any { return e.URL }},
	{"images", "Images", false, func(l *Library, e *Elemental) any { return l.imageURLs(e.Details) }},
	{"video", "Video", false, func(_ *Library, e *Elemental) any { return e.VideoURL }},
	{"tutorial", "Tutorial", false, func(_ *Library, e *Elemental) any { return tutorialObjects(e.TutorialSteps) }},
	{"files", "Files", false, func(l *Library, e *Elemental) any { return l.fileObjects(e.Details) }},
}

func tutorialObjects(steps []TutorialStep) []KnowledgeObject {
	out := make([]KnowledgeObject, len(steps))
	for i, s := range steps {
		out[i] = KnowledgeObject{{"Title", s.Title}, {"Description", s.Description}, {"Video", s.VideoURL}}
	}
	return out
}

// imageURLs are the addresses of the images of an elemental, without covers and avatar.
func (l *Library) imageURLs(d *Details) []string {
	out := []string{}
	for _, m := range d.mediaOf(MediaImage) {
		out = append(out, l.MediaURL(m))
	}
	return out
}

func (l *Library) fileObjects(d *Details) []KnowledgeObject {
	out := []KnowledgeObject{}
	for _, m := range d.mediaOf(MediaFile) {
		out = append(out, KnowledgeObject{{"Name", m.Name}, {"Url", l.MediaURL(m)}})
	}
	return out
}

// normal fills the defaults in and checks the names.
func (o KnowledgeOptions) normal() (KnowledgeOptions, error) {
	var probs problems
	switch o.Format {
	case "":
		o.Format = FormatText
	case FormatText, FormatMarkdown, FormatJSON:
	default:
		probs.add("format", "must be text, markdown or json")
	}
	switch o.GroupBy {
	case "":
		o.GroupBy = GroupByRow
	case GroupByRow, GroupByColumn:
	default:
		probs.add("group_by", "must be row or column")
	}
	for _, name := range o.Fields {
		if !slices.Contains(KnowledgeFields(), name) {
			probs.add("fields", "must be names out of id, title, type, description, content, url, images, video, tutorial, files")
			break
		}
	}
	o.Fields = unique(o.Fields)
	return o, probs.err()
}

// object returns the selected fields of an elemental.
func (o KnowledgeOptions) object(l *Library, e *Elemental) KnowledgeObject {
	var out KnowledgeObject
	for _, f := range knowledgeFields {
		if slices.Contains(o.Fields, f.name) || len(o.Fields) == 0 && f.byDefault {
			out = append(out, KnowledgeEntry{f.key, f.value(l, e)})
			if f.name == "content" && e.TypeID == TypeTable {
				out[len(out)-1].Value = tableContentIn(e, o.GroupBy).text()
			}
		}
	}
	return out
}

// markdownObject is object for the Markdown layout, which writes the content of a table
// its own way.
func (o KnowledgeOptions) markdownObject(l *Library, e *Elemental) KnowledgeObject {
	out := o.object(l, e)
	if i := slices.IndexFunc(out, func(e KnowledgeEntry) bool { return e.Key == "Body" }); i >= 0 && e.TypeID == TypeTable {
		out[i].Value = tableContentIn(e, o.GroupBy)
	}
	return out
}

// fieldsOf is the object of an elemental with the fields that the options select.
type fieldsOf = func(KnowledgeOptions, *Library, *Elemental) KnowledgeObject

// errNoWriter: a nil io.Writer was given for a text.
var errNoWriter = Errorf(CodeInvalid, "a writer for the text is required")

// ListKnowledge compiles a list for reading item by item. How far list and items are of
// one moment, [WholeList] says.
func (l *Library) ListKnowledge(ctx context.Context, a Actor, id int64, opts KnowledgeOptions) (Knowledge, error) {
	if _, err := opts.normal(); err != nil {
		return Knowledge{}, err
	}
	w, err := l.WholeList(ctx, a, id, true)
	if err != nil {
		return Knowledge{}, err
	}
	return w.Knowledge(ctx, opts)
}

// WriteListKnowledge writes the compiled text of a list in the format of opts, item
// by item: beyond MaxWholeList, memory does not grow with the texts of the list. What was
// written before an error stays written. How far list and items are of one moment,
// [WholeList] says.
func (l *Library) WriteListKnowledge(ctx context.Context, a Actor, id int64, opts KnowledgeOptions, w io.Writer) error {
	if w == nil {
		return errNoWriter
	}
	if _, err := opts.normal(); err != nil {
		return err
	}
	list, err := l.WholeList(ctx, a, id, true)
	if err != nil {
		return err
	}
	return list.WriteKnowledge(ctx, opts, w)
}

// ElementalKnowledge compiles one elemental: the text in the format of opts, and
// its selected fields as an object. The content of a table is its cells by rows or
// columns; in the object it is laid out as in text, whatever the format.
func (l *Library) ElementalKnowledge(ctx context.Context, a Actor, id string, opts KnowledgeOptions) (string, KnowledgeObject, error) {
	if _, err := opts.normal(); err != nil {
		return "", nil, err
	}
	e, err := l.Elemental(ctx, a, id)
	if err != nil {
		return "", nil, err
	}
	return l.KnowledgeText(e, opts)
}

// KnowledgeObject returns the selected fields of an elemental that was already read.
func (l *Library) KnowledgeObject(e Elemental, opts KnowledgeOptions) (KnowledgeObject, error) {
	opts, err := opts.normal()
	if err != nil {
		return nil, err
	}
	return opts.object(l, &e), nil
}

// KnowledgeText lays out an elemental that was already read: for responses that
// carry the text beside the elemental.
func (l *Library) KnowledgeText(e Elemental, opts KnowledgeOptions) (string, KnowledgeObject, error) {
	opts, err := opts.normal()
	if err != nil {
		return "", nil, err
	}
	obj := opts.object(l, &e)
	var b strings.Builder
	err = l.WriteKnowledgeText(e, opts, &b)
	return b.String(), obj, err
}

// WriteKnowledgeText writes the text of KnowledgeText as it is laid out: with its indents
// it may be many times longer than the elemental.
func (l *Library) WriteKnowledgeText(e Elemental, opts KnowledgeOptions, w io.Writer) error {
	if w == nil {
		return errNoWriter
	}
	opts, err := opts.normal()
	if err != nil {
		return err
	}
	b := bufio.NewWriterSize(w, 32<<10)
	switch opts.Format {
	case FormatJSON:
		if err := writeObject(b, opts.object(l, &e)); err != nil {
			return err
		}
	case FormatMarkdown:
		markdownLayout{}.object(b, opts.markdownObject(l, &e), topLevel, "")
	default:
		textLayout{}.object(b, opts.object(l, &e), "", "")
	}
	return b.Flush()
}
