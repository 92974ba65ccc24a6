package httpapi

import (
	"bytes"
	"encoding/base64"
	"encoding/json"

	"github.com/quirelib/quire"
)

// mediaInput reads the files of a payload. null is the same as absent.
func mediaInput(o object) quire.MediaInput {
	return quire.MediaInput{
		Images: read(o, "images", arrayOf(asUpload)).val,
		Covers: read(o, "cover_images", arrayOf(asUpload)).val,
		Files:  read(o, "files", arrayOf(asUpload)).val,
		Avatar: read(o, "avatar", asUpload).ptr(),
	}
}

// mediaPatch reads the files of an update: what is absent stays.
func mediaPatch(o object) quire.MediaPatch {
	avatar := read(o, "avatar", asUpload)
	return quire.MediaPatch{
		Images:   clearable(o, "images", arrayOf(asUpload)),
		Covers:   clearable(o, "cover_images", arrayOf(asUpload)),
		Files:    clearable(o, "files", arrayOf(asUpload)),
		Avatar:   avatar.ptr(),
		NoAvatar: avatar.null,
	}
}

// mediaRemoval reads which files are to be deleted. Nothing is a removal of nothing, but
// whoever misspells a name must not be told that it was done.
func mediaRemoval(o object) quire.MediaRemoval {
	images, covers := read(o, "images", arrayOf(asNumericID)), read(o, "cover_images", arrayOf(asNumericID))
	files, avatar := read(o, "files", arrayOf(asNumericID)), read(o, "avatar", asBool)
	if len(o.fields) > 0 && !images.set && !covers.set && !files.set && !avatar.set {
		o.wrong("missing", "must name what to remove in images, cover_images, files or avatar")
	}
	return quire.MediaRemoval{Images: images.val, Covers: covers.val, Files: files.val, Avatar: avatar.val}
}

func asUpload(p place, raw json.RawMessage) quire.Upload {
	o := asObject(p, raw)
	data := read(o, "file_buffer", asBuffer)
	if o.fields != nil && data.ptr() == nil {
		o.child("file_buffer").wrong("missing", "is required")
	}
	return quire.Upload{Name: read(o, "file_name", asString).val, Data: data.val}
}

// asBuffer reads bytes in one of three forms: the object that Node.js makes of a
// Buffer, an array of numbers, or base64.
func asBuffer(p place, raw json.RawMessage) []byte {
	switch raw[0] {
	case '[':
		return asByteNumbers(p, raw)
	case '"':
		return asBase64(p, raw)
	case '{':
		o := asObject(p, raw)
		read(o, "type", asString) // "Buffer", which says no more than data does
		data := read(o, "data", asByteNumbers)
		if data.ptr() == nil {
			o.child("data").wrong("missing", "is required")
		}
		return data.val
	}
	p.wrong("bytes_type", "must be an object with data, an array of numbers, or a base64 string")
	return nil
}

// asByteNumbers reads an array of whole numbers from 0 to 255. Arrays of millions of
// them are common, so that nothing is allocated but the bytes.
func asByteNumbers(p place, raw json.RawMessage) []byte {
	if raw[0] != '[' {
		p.wrong("list_type", "must be an array")
		return nil
	}
	s := splitter{data: raw}
	out := make([]byte, 0, 1+bytes.Count(raw, []byte{','}))
	for s.next() != ']' {
		n, ok := byteNumber(s.value())
		if !ok {
			p.child(len(out)).wrong("int_type", "must be a whole number from 0 to 255")
			return nil
		}
		out = append(out, n)
	}
	return out
}

// byteNumber reads one to three digits; JSON has no zeros in front.
func byteNumber(digits []byte) (byte, bool) {
	n := 0
	for _, d := range digits {
		if d < '0' || d > '9' || len(digits) > 3 {
			return 0, false
		}
		n = 10*n + int(d-'0')
	}
	return byte(n), n <= 255
}

// asBase64 reads a base64 string (RFC 4648, section 4), or the data: URL that browsers
// make of a file (RFC 2397), whose type is not believed.
func asBase64(p place, raw json.RawMessage) []byte {
	text := raw[1 : len(raw)-1]
	if bytes.IndexByte(text, '\\') >= 0 {
		text = []byte(asString(p, raw))
	}
	if bytes.HasPrefix(text, []byte("data:")) {
		head, data, _ := bytes.Cut(text, []byte{','})
		if !bytes.HasSuffix(head, []byte(";base64")) {
			p.wrong("bytes_type", "must be base64: a data: URL needs ;base64 before its comma")
			return nil
		}
		text = data
	}
	out := make([]byte, base64.StdEncoding.DecodedLen(len(text)))
	n, err := base64.StdEncoding.Decode(out, text)
	if err != nil {
		p.wrong("bytes_type", "must be base64 in the standard alphabet, with padding")
		return nil
	}
	return out[:n]
}
