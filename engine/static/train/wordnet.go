package main

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// synset is a meaning in WordNet.
type synset struct {
	lemmas     []string // that have it, "_" replaced by a space
	definition string
	examples   []string // sentences
}

// pair is two texts that should be near.
type pair struct{ left, right string }

// readSynsets reads a data file of WordNet (wndb(5WN)).
func readSynsets(r io.Reader) ([]synset, error) {
	var sets []synset
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		if strings.HasPrefix(line, "  ") {
			continue // the licence
		}
		s, err := parseSynset(line)
		if err != nil {
			return nil, err
		}
		sets = append(sets, s)
	}
	return sets, lines.Err()
}

// parseSynset reads a line of a data file: offset, file, kind, the number of lemmas,
// lemmas with a number each, pointers, and behind a bar the gloss.
func parseSynset(line string) (synset, error) {
	head, gloss, _ := strings.Cut(line, " | ")
	fields := strings.Fields(head)
	if len(fields) < 4 {
		return synset{}, fmt.Errorf("a synset of %d fields", len(fields))
	}
	count, err := strconv.ParseUint(fields[3], 16, 8)
	if err != nil || len(fields) < 4+2*int(count) {
		return synset{}, fmt.Errorf("synset %s has no %q lemmas", fields[0], fields[3])
	}
	var s synset
	for i := range int(count) {
		lemma, _, _ := strings.Cut(fields[4+2*i], "(") // the place of an adjective: "galore(ip)"
		s.lemmas = append(s.lemmas, strings.ReplaceAll(lemma, "_", " "))
	}
	var definition strings.Builder
	for i, part := range strings.Split(gloss, `"`) {
		if i%2 == 0 {
			definition.WriteString(part)
		} else {
			s.examples = append(s.examples, part)
		}
	}
	s.definition = strings.Trim(definition.String(), " ;")
	return s, nil
}

// pairs returns the pairs of synsets: each lemma and the definition, two lemmas of
// one meaning, the definition and each example.
func pairs(sets []synset) []pair {
	var all []pair
	for _, s := range sets {
		for i, lemma := range s.lemmas {
			all = append(all, pair{lemma, s.definition})
			for _, synonym := range s.lemmas[i+1:] {
				all = append(all, pair{lemma, synonym})
			}
		}
		for _, example := range s.examples {
			all = append(all, pair{s.definition, example})
		}
	}
	return all
}
