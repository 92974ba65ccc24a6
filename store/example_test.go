package store_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/store"
)

// A short-lived program keeps its content in memory.
func ExampleNewMemory() {
	ctx := context.Background()
	s := store.NewMemory()
	defer s.Close()

	err := s.Update(ctx, func(tx quire.Tx) error {
		e := quire.ElementalRecord{
			ID: "tea", OwnerID: "ada", Title: "How to make tea", Visibility: quire.Public, CreatedAt: time.Now(),
		}
		return tx.PutElemental(ctx, e, quire.IndexedText{Title: "how to make tea"})
	})
	if err != nil {
		fmt.Println(err)
		return
	}

	err = s.View(ctx, func(tx quire.ReadTx) error {
		found, total, err := tx.SearchElementals(ctx, quire.ElementalSearch{
			Text:   quire.TextQuery{Phrases: [][]string{{"make", "te"}}, Prefix: true},
			Viewer: quire.Viewer{OwnerID: "bob", OthersToo: true},
			Limit:  10,
		})
		if err != nil {
			return err
		}
		fmt.Println(total, found[0].Title)
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output: 1 How to make tea
}

// A test looks at what a program finds that starts again.
func ExampleMemory_Reopen() {
	ctx := context.Background()
	s := store.NewMemory()
	put := func(tx quire.Tx) error { return tx.PutMeta(ctx, "greeting", []byte("hello")) }
	if err := errors.Join(s.Update(ctx, put), s.Close()); err != nil {
		fmt.Println(err)
		return
	}
	show := func(tx quire.ReadTx) error {
		value, err := tx.Meta(ctx, "greeting")
		fmt.Printf("%s\n", value)
		return err
	}

	fmt.Println(errors.Is(s.View(ctx, show), quire.ErrClosed))
	again := s.Reopen()
	defer again.Close()
	if err := again.View(ctx, show); err != nil {
		fmt.Println(err)
	}
	// Output:
	// true
	// hello
}
