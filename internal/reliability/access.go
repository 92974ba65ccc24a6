package reliability

// access is area E: who may do what.
var access = []Row{
	{ID: "E10", Package: "httpapi", Test: "TestGuessedKeys", Controls: []Control{
		{"wrong keys are counted", "httpapi/failed_keys.go", "if wrong {\n\t\tf.rates.take(", "if wrong && f.good == nil {\n\t\tf.rates.take("},
		{"keys that were good are let in", "httpapi/failed_keys.go", "\tif good {\n", "\tif good && key == (caller{}) {\n"},
		{"of a wrong key only a part of its hash is logged", "httpapi/failed_keys.go", "hex.EncodeToString(key[:4])", "hex.EncodeToString(key[:4])+secret"},
	}},
}
