package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"

	"github.com/quirelib/quire/internal/segment"
)

// gloveDimension is the length of GloVe's vectors. In the file each has two numbers
// more: its length and its place.
const gloveDimension = 100

// vocabulary is words with their vectors, most frequent first.
type vocabulary struct {
	words   []string
	ranks   []int // places among all tokens of GloVe, from 1
	vectors [][]float32
}

// readGlove reads the first words that segment.Words returns as they are, folded, at
// most limit. Others never occur in a text as it is embedded.
func readGlove(r io.Reader, limit int) (*vocabulary, error) {
	d := json.NewDecoder(bufio.NewReaderSize(r, 1<<20))
	if err := skipTo(d, "vectors"); err != nil {
		return nil, err
	}
	v := new(vocabulary)
	seen := make(map[string]bool)
	for rank := 1; d.More() && len(v.words) < limit; rank++ {
		var numbers []float32
		key, err := d.Token()
		if err == nil {
			err = d.Decode(&numbers)
		}
		if err != nil {
			return nil, err
		}
		if len(numbers) < gloveDimension {
			return nil, fmt.Errorf("the vector of %v has %d numbers", key, len(numbers))
		}
		words := segment.Words(key.(string))
		if len(words) != 1 || seen[words[0]] {
			continue
		}
		seen[words[0]] = true
		v.words = append(v.words, words[0])
		v.ranks = append(v.ranks, rank)
		v.vectors = append(v.vectors, numbers[:gloveDimension])
	}
	return v, nil
}

// skipTo reads an object up to the start of the object that is the value of a key.
func skipTo(d *json.Decoder, key string) error {
	if err := expect(d, json.Delim('{')); err != nil {
		return err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		if name == key {
			return expect(d, json.Delim('{'))
		}
		var skipped json.RawMessage
		if err := d.Decode(&skipped); err != nil {
			return err
		}
	}
	return fmt.Errorf("there is no %q", key)
}

// expect reads one token.
func expect(d *json.Decoder, want json.Delim) error {
	got, err := d.Token()
	if err == nil && got != want {
		err = fmt.Errorf("%v where %v should be", got, want)
	}
	return err
}
