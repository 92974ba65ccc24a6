// Package eval measures how well a [quire.Engine] finds and answers, on judged data or on
// a library of one's own, so that it can be seen which setting is better:
//
//	set, err := eval.ReadBEIR(os.DirFS("scifact"), nil) // or ReadQuestions
//	filled, err := eval.Fill(ctx, engine, set, nil)      // unless the library is there already
//	report, err := eval.Run(ctx, engine, set, &eval.Options{Names: filled.Names})
//	err = report.WriteTable(os.Stdout, "text")
//
// The command cmd/quire-eval does this from the command line. docs/quality.md has what it
// printed for the settings that are the defaults.
//
// Results depend on nothing but the data, the settings and the version: the same ones
// print the same report.
package eval
