package reliability

// input is area B: what comes in as text and JSON.
var input = []Row{}
