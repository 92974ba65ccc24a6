package reliability

// durability is area A: what survives crashes, full disks and damaged files.
var durability = []Row{
	{ID: "A6", Package: ".", Test: "TestVerify", Controls: []Control{
		{Guard: "the checksums of elementals, lists and media", File: "store/sqlite/verify.go", Old: "case !bytes.Equal(have, want):", New: "case false:"},
		{Guard: "the counting of marks", File: "verify_counters.go", Old: "n != counted.have {", New: "n < 0 {"},
		{Guard: "the comparison of passages with what they cite", File: "engine_verify.go", Old: "text[chunk.Start:chunk.End] != chunk.Text", New: "false"},
		{Guard: "the look at the length of vectors", File: "engine_verify.go", Old: "case !(math.Abs(squares-1) < 1e-3):", New: "case math.IsNaN(squares):"},
	}},
	{ID: "A6", Package: "store/sqlite", Test: "TestFlippedBytes", Controls: []Control{
		{Guard: "the checksums", File: "store/sqlite/verify.go", Old: "case !bytes.Equal(have, want):", New: "case false:"},
	}},
}
