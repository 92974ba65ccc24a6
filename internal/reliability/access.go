package reliability

// access is area E: who may do what.
var access = []Row{}
