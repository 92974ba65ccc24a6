package reliability

// durability is area A: what survives crashes, full disks and damaged files.
var durability = []Row{}
