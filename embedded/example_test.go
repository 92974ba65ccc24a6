package embedded_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/embedded"
)

// Store a document, ingest it and ask for what it says.
func ExampleOpen() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "quire")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	q, err := embedded.Open(ctx, dir, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer q.Close(ctx)

	user, err := q.Library.CreateUser(ctx, quire.UserInput{ID: "ada"})
	if err != nil {
		log.Fatal(err)
	}
	doc, err := q.Library.CreateElemental(ctx, user.Actor(), quire.ElementalInput{
		Title:      "House rules",
		TypeID:     quire.TypeDocument,
		CategoryID: quire.CategoryText,
		Body:       "The door is locked at ten. The cat may stay out.",
	})
	if err != nil {
		log.Fatal(err)
	}
	job, err := q.Engine.Ingest(ctx, user.TenantID, quire.IngestRequest{ElementalID: doc.ID})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := q.Engine.Wait(ctx, user.TenantID, job.ID); err != nil {
		log.Fatal(err)
	}
	answer, err := q.Engine.Chat(ctx, quire.ChatRequest{
		Query:   "When is the door locked?",
		Filters: quire.Filters{TenantID: user.TenantID},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.Answer)
	fmt.Println("[1]", answer.Sources[0].Chunk.Title)
	// Output:
	// The door is locked at ten. [1]
	// [1] House rules
}
