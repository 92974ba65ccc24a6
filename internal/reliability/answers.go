package reliability

// answers is area G: knowledge text, HTML and answers.
var answers = []Row{
	{ID: "G3", Package: ".", Test: "TestInjections", Controls: []Control{
		{"invisible characters are left out", "prompt.go", "neutralMarkers(visible(text))", "neutralMarkers(text)"},
		{"numbers in brackets are made harmless", "prompt.go", "neutralMarkers(visible(text))", "visible(text)"},
	}},
}
