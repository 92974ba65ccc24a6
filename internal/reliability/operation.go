package reliability

// operation is area H: logs, secrets and health.
var operation = []Row{}
