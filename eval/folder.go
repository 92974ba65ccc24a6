package eval

import (
	"errors"
	"io"
	"io/fs"
	"strings"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/extract"
)

// ReadFolder reads the Markdown, HTML and text files of a folder and of those inside it as
// documents, by their paths. Hidden files and folders are left out, and so are files
// without any text. Another file that engine/extract does not take is an error with its
// path.
func ReadFolder(fsys fs.FS) ([]Document, error) {
	var docs []Document
	err := fs.WalkDir(fsys, ".", func(path string, d fs.DirEntry, err error) error {
		hidden := path != "." && strings.HasPrefix(d.Name(), ".")
		switch {
		case err != nil:
			return quire.Errorf(quire.CodeUnavailable, "%s cannot be read", path).WithCause(err)
		case d.IsDir() && hidden:
			return fs.SkipDir
		case d.IsDir() || hidden || !d.Type().IsRegular() || !extract.Supported(path):
			return nil
		}
		doc, err := readDocument(fsys, path)
		if err == nil && doc.Text != "" {
			docs = append(docs, doc)
		}
		return err
	})
	if err == nil && len(docs) == 0 {
		err = quire.Errorf(quire.CodeNotFound, "the folder has no Markdown, HTML or text file")
	}
	return docs, err
}

// readDocument reads one file, as a document without text if it has none.
func readDocument(fsys fs.FS, path string) (Document, error) {
	f, err := fsys.Open(path)
	if err != nil {
		return Document{}, quire.Errorf(quire.CodeUnavailable, "%s cannot be opened", path).WithCause(err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, extract.DefaultMaxBytes+1))
	if err != nil {
		return Document{}, quire.Errorf(quire.CodeUnavailable, "%s cannot be read", path).WithCause(err)
	}
	if strings.TrimSpace(string(data)) == "" {
		return Document{}, nil
	}
	doc, err := extract.Text(path, data, nil)
	if err != nil {
		if e := (*quire.Error)(nil); errors.As(err, &e) {
			return Document{}, quire.Errorf(e.Code, "%s %v", path, err).WithCause(err)
		}
		return Document{}, err
	}
	return Document{ID: path, Title: doc.Title, Text: doc.Text}, nil
}
