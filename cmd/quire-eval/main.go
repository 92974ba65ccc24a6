// Command quire-eval measures how well Quire finds and answers, with which setting, on
// judged data or on a library of one's own. Run it with -h for what it takes.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := command(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// command runs the program and returns its exit code: 0, 1 if it failed, 2 if it was
// called wrongly.
func command(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	s, err := parseArgs(args, stdout, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintf(stderr, "quire-eval: %v\nRun quire-eval -h for what it takes.\n", err)
		return 2
	}
	if err := s.run(ctx); err != nil {
		fmt.Fprintf(stderr, "quire-eval: %v\n", err)
		return 1
	}
	return 0
}
