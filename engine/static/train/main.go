// Command train makes the word vectors of engine/static from the packages that
// README.md names.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

const (
	vocabularySize = 100_000
	epochs         = 3
)

func main() {
	out := flag.String("out", "../words.bin", "the file to write")
	cache := flag.String("cache", filepath.Join(os.TempDir(), "quire-static-train"), "where packages are kept")
	flag.Parse()
	if err := run(*out, *cache, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "train:", err)
		os.Exit(1)
	}
}

// run fetches what is missing in cache, trains, and writes the file.
func run(out, cache string, log io.Writer) error {
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return err
	}
	var v *vocabulary
	err := gloveSource.open(cache, func(_ string, r io.Reader) (err error) {
		v, err = readGlove(r, vocabularySize)
		return err
	})
	if err != nil {
		return err
	}
	var sets []synset
	err = wordnetSource.open(cache, func(_ string, r io.Reader) error {
		more, err := readSynsets(r)
		sets = append(sets, more...)
		return err
	})
	if err != nil {
		return err
	}
	file, err := train(v, pairs(sets), log)
	if err != nil {
		return err
	}
	return os.WriteFile(out, file, 0o644)
}

// train returns the file of a vocabulary, tuned on pairs.
func train(v *vocabulary, all []pair, log io.Writer) ([]byte, error) {
	m := newModel(v)
	examples := m.examples(all)
	fmt.Fprintf(log, "%d words, %d pairs\n", len(v.words), len(examples))
	tune(m, examples, epochs, batchSize, log)
	m.temper()
	t, err := m.table(v.words)
	if err != nil {
		return nil, err
	}
	return t.File(), nil
}
