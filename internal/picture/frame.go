package picture

import (
	"bytes"
	"encoding/binary"
)

// The functions here walk over the structure of a file without decoding it. What comes
// after the end of an image makes it a file of two types at once (a polyglot) and is
// refused. JPEG is the exception, because cameras append previews and videos.

// maxScans is how many scans a JPEG may have: each makes the decoder go over all of the
// image again, and costs the file only a few bytes. Encoders write about ten.
const maxScans = 40

// pngFrame goes from chunk to chunk (W3C PNG, section 5): length, type, data, checksum.
func pngFrame(data []byte) ([]byte, error) {
	const signature, around = 8, 12 // bytes; around is what a chunk has beside its data
	for rest := data[signature:]; len(rest) >= around; {
		end := uint64(binary.BigEndian.Uint32(rest)) + around
		if end > uint64(len(rest)) {
			break
		}
		last := string(rest[4:8]) == "IEND"
		rest = rest[end:]
		if last && len(rest) > 0 {
			return nil, ErrTrailing
		}
		if last {
			return data, nil
		}
	}
	return nil, ErrDamaged
}

// jpegFrame counts the scans (ITU-T T.81, annex B). In the data of a scan 0xFF is
// followed by 0 or by a restart marker, so that every other pair is a marker.
func jpegFrame(data []byte) ([]byte, error) {
	const restart0, restart7, endOfImage, startOfScan = 0xD0, 0xD7, 0xD9, 0xDA
	scans := 0
	for rest := data[2:]; ; {
		i := bytes.IndexByte(rest, 0xFF)
		if i < 0 || i+1 >= len(rest) {
			return nil, ErrDamaged
		}
		marker := rest[i+1]
		rest = rest[i+1:] // 0xFF may be repeated
		switch {
		case marker == 0xFF:
			continue
		case marker == 0 || restart0 <= marker && marker <= restart7:
			rest = rest[1:]
			continue
		case marker == endOfImage:
			return data, nil
		case marker == startOfScan:
			if scans++; scans > maxScans {
				return nil, ErrTooTricky
			}
		}
		if len(rest) < 3 {
			return nil, ErrDamaged
		}
		length := 1 + int(binary.BigEndian.Uint16(rest[1:]))
		if length > len(rest) {
			return nil, ErrDamaged
		}
		rest = rest[length:]
	}
}

// gifFrame goes from block to block (GIF89a, section 12 and appendix A).
func gifFrame(data []byte) ([]byte, error) {
	const header, extension, imageBlock, trailer = 13, 0x21, 0x2C, 0x3B
	if len(data) < header {
		return nil, ErrDamaged
	}
	pos := header + tableSize(data[10])
	images := 0
	for pos < len(data) {
		kind := data[pos]
		switch kind {
		case extension:
			pos += 2
		case imageBlock:
			images++
			if pos+9 >= len(data) {
				return nil, ErrDamaged
			}
			pos += 11 + tableSize(data[pos+9]) // with the byte that begins the pixels
		case trailer:
			if images == 0 {
				return nil, ErrEmpty
			}
			if pos+1 < len(data) {
				return nil, ErrTrailing
			}
			return data, nil
		default:
			return nil, ErrDamaged
		}
		for pos < len(data) && data[pos] != 0 {
			pos += 1 + int(data[pos])
		}
		pos++ // the empty block at the end
	}
	return nil, ErrDamaged
}

// tableSize is the length of the color table that follows a byte of flags.
func tableSize(flags byte) int {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (flags&7 + 1)
}

// webpFrame checks the RIFF container (RFC 9649, section 2). Of an animation it makes
// a file that holds the first frame, because the decoder knows no others.
func webpFrame(data []byte) ([]byte, error) {
	const header = 12
	if len(data) < header {
		return nil, ErrDamaged
	}
	length := 8 + uint64(binary.LittleEndian.Uint32(data[4:]))
	switch {
	case length > uint64(len(data)):
		return nil, ErrDamaged
	case length < uint64(len(data)):
		return nil, ErrTrailing
	}
	animated := false
	for rest := data[header:]; len(rest) > 0; {
		id, chunk, after, ok := riffChunk(rest)
		if !ok {
			return nil, ErrDamaged
		}
		switch {
		case id == "VP8X" && len(chunk) == 10:
			animated = chunk[0]&2 != 0
		case id == "ANMF" && animated:
			return webpOfFrame(chunk)
		}
		rest = after
	}
	if animated {
		return nil, ErrEmpty
	}
	return data, nil
}

// webpOfFrame makes a WebP file of a frame: place, size, duration, flags, then chunks.
func webpOfFrame(frame []byte) ([]byte, error) {
	const head = 16
	if len(frame) < head {
		return nil, ErrDamaged
	}
	var flags byte
	for rest := frame[head:]; len(rest) > 0; {
		id, _, after, ok := riffChunk(rest)
		if !ok {
			return nil, ErrDamaged
		}
		if id == "ALPH" {
			flags = 0x10
		}
		rest = after
	}
	body := []byte("WEBPVP8X\x0a\x00\x00\x00")
	body = append(body, flags, 0, 0, 0)
	body = append(body, frame[6:12]...) // width and height
	body = append(body, frame[head:]...)
	file := binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(body)))
	return append(file, body...), nil
}

// riffChunk splits off a chunk: type, length, data, and a byte where the length is odd.
func riffChunk(data []byte) (id string, chunk, after []byte, ok bool) {
	const head = 8
	if len(data) < head {
		return "", nil, nil, false
	}
	length := uint64(binary.LittleEndian.Uint32(data[4:]))
	end := head + length + length%2
	if end > uint64(len(data)) {
		return "", nil, nil, false
	}
	return string(data[:4]), data[head : head+length], data[end:], true
}
