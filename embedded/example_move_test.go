package embedded_test

import (
	"bytes"
	"context"
	"fmt"
	"log"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/embedded"
	"github.com/quirelib/quire/store"
)

// Move a library to another instance, under another tenant.
func ExampleOpen_move() {
	ctx := context.Background()
	open := func() *embedded.Quire {
		q, err := embedded.Open(ctx, "", &embedded.Options{Store: store.NewMemory()})
		if err != nil {
			log.Fatal(err)
		}
		return q
	}
	from, to := open(), open()
	defer from.Close(ctx)
	defer to.Close(ctx)

	ada, err := from.Library.CreateUser(ctx, quire.UserInput{ID: "ada"})
	if err != nil {
		log.Fatal(err)
	}
	note, err := from.Library.CreateElemental(ctx, ada.Actor(), quire.ElementalInput{
		Title: "Where things are", TypeID: quire.TypeDocument, CategoryID: quire.CategoryText,
		Body: "The spare keys are in the blue jar.",
	})
	if err != nil {
		log.Fatal(err)
	}
	job, err := from.Engine.Ingest(ctx, ada.TenantID, quire.IngestRequest{ElementalID: note.ID})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := from.Engine.Wait(ctx, ada.TenantID, job.ID); err != nil {
		log.Fatal(err)
	}

	var archive bytes.Buffer // or a file
	if err := from.Engine.Export(ctx, ada.TenantID, &archive); err != nil {
		log.Fatal(err)
	}
	res, err := to.Engine.Import(ctx, &archive, &quire.ImportOptions{TenantID: "lovelace"})
	if err != nil {
		log.Fatal(err)
	}
	hits, err := to.Engine.Search(ctx, quire.SearchRequest{Query: "spare keys", Filters: quire.Filters{TenantID: "lovelace"}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(res.Elementals, res.Chunks, res.Ingests)
	fmt.Println(hits[0].Chunk.Title)
	// Output:
	// 1 1 0
	// Where things are
}
