package quire

import "github.com/quirelib/quire/internal/picture"

// checkPixels shares LibraryOptions.MaxPixelsPerCall out to the inputs of one call, in
// their order. It returns an error for each one that it is not enough for: then nothing in
// that one is decoded. Images that will be refused without decoding cost nothing.
func (l *Library) checkPixels(ins ...MediaInput) []error {
	left := l.opts.MaxPixelsPerCall
	errs := make([]error, len(ins))
	for i, in := range ins {
		var unfit problems
		if l.checkUploads(&unfit, in, maxAddedMedia); len(unfit) > 0 {
			continue
		}
		var probs problems
		needed := 0
		for _, u := range in.byKind() {
			if u.kind == MediaFile {
				continue
			}
			for k, f := range u.files {
				needed += picture.Pixels(f.Data, l.opts.MaxPixels)
				if needed > left && len(probs) == 0 {
					probs.add(u.at(k)+"/file_buffer", "the images of one call may have %d pixels in all, and with this one they have more; send them in several calls", l.opts.MaxPixelsPerCall)
				}
			}
		}
		if errs[i] = probs.err(); errs[i] == nil {
			left -= needed
		}
	}
	return errs
}
