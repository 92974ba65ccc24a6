package reliability

// answers is area G: knowledge text, HTML and answers.
var answers = []Row{}
