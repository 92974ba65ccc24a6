package reliability

// jobs is area C: jobs, their order, and races.
var jobs = []Row{}
