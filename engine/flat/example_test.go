package flat_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/quirelib/quire/embedded"
	"github.com/quirelib/quire/engine/flat"
)

// The default index is another one; this one is an option.
func ExampleNew() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "quire")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	index := flat.New(nil)
	defer index.Close()
	q, err := embedded.Open(ctx, dir, &embedded.Options{Index: index})
	if err != nil {
		log.Fatal(err)
	}
	defer q.Close(ctx)
	fmt.Println(q.Engine.Health(ctx).Components["index"].Name)
	// Output: flat
}
