package reliability

// server is area D: the HTTP server and its streams.
var server = []Row{}
