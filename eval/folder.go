package eval

import (
	"io"
	"io/fs"
	"strings"

	"github.com/quirelib/quire"
)

// maxFile is the size of the largest file that is read, in bytes.
const maxFile = 16 << 20

// ReadFolder reads the files of a folder and of those inside it as documents whose ids are
// their paths. read makes title and text of a file; one without text is left out. Hidden
// files and folders are left out, and so is what is no regular file. An error of read is
// returned with the path in front; a file of more than 16 MiB is ErrTooLarge.
func ReadFolder(fsys fs.FS, read func(path string, data []byte) (title, text string, err error)) ([]Document, error) {
	var docs []Document
	err := fs.WalkDir(fsys, ".", func(path string, d fs.DirEntry, err error) error {
		hidden := path != "." && strings.HasPrefix(d.Name(), ".")
		switch {
		case err != nil && path == ".":
			return quire.Errorf(quire.CodeUnavailable, "the folder cannot be read").WithCause(err)
		case err != nil:
			return quire.Errorf(quire.CodeUnavailable, "%s cannot be read", path).WithCause(err)
		case d.IsDir() && hidden:
			return fs.SkipDir
		case d.IsDir() || hidden || !d.Type().IsRegular():
			return nil
		}
		data, err := readFile(fsys, path)
		if err != nil {
			return err
		}
		title, text, err := read(path, data)
		if err != nil {
			return quire.Errorf(quire.CodeOf(err), "%s: %v", path, err).WithCause(err)
		}
		if strings.TrimSpace(text) != "" {
			docs = append(docs, Document{ID: path, Title: title, Text: text})
		}
		return nil
	})
	if err == nil && len(docs) == 0 {
		err = quire.Errorf(quire.CodeNotFound, "the folder has no document")
	}
	return docs, err
}

// readFile reads one file.
func readFile(fsys fs.FS, path string) ([]byte, error) {
	f, err := fsys.Open(path)
	if err != nil {
		return nil, quire.Errorf(quire.CodeUnavailable, "%s cannot be opened", path).WithCause(err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	switch {
	case err != nil:
		return nil, quire.Errorf(quire.CodeUnavailable, "%s cannot be read", path).WithCause(err)
	case len(data) > maxFile:
		return nil, quire.Errorf(quire.CodeTooLarge, "%s is larger than %d MiB", path, maxFile>>20)
	}
	return data, nil
}
