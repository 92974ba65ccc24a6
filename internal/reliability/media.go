package reliability

// media is area F: files, pictures and URLs.
var media = []Row{}
