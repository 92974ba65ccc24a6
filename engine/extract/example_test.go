package extract_test

import (
	"fmt"
	"io/fs"
	"testing/fstest"

	"github.com/quirelib/quire/engine/extract"
)

// Reading the documents of a directory.
func ExampleText() {
	dir := fstest.MapFS{
		"guide.html": {Data: []byte("<title>Guide</title><nav>Home</nav><h1>Start</h1><p>Run <code>quire</code>.")},
		"logo.png":   {Data: []byte("\x89PNG\r\n\x1a\n")},
		"notes.md":   {Data: []byte("# Notes\n\nBuy *milk*.\n")},
	}
	_ = fs.WalkDir(dir, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !extract.Supported(path) {
			return err
		}
		data, err := fs.ReadFile(dir, path)
		if err != nil {
			return err
		}
		doc, err := extract.Text(path, data, nil)
		if err != nil {
			fmt.Println(err)
			return nil // the others may be fine
		}
		fmt.Printf("%s (%s): %q\n", doc.Title, doc.Format, doc.Text)
		return nil
	})
	_, err := extract.Text("logo.png", dir["logo.png"].Data, nil)
	fmt.Println(err)
	// Output:
	// Guide (html): "# Start\n\nRun `quire`."
	// Notes (markdown): "# Notes\n\nBuy *milk*.\n"
	// is not a text document, but image/png
}
