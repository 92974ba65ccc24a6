package reliability

// access is area E: who may do what.
var access = []Row{
	{ID: "E1", Package: "httpapi", Test: "TestAccess", Controls: []Control{
		{"another tenant's elemental is as unknown as none", "ingest.go", "err == nil && rec.TenantID != tenantID", "err == nil && rec.TenantID == \"\""},
		{"only the owner changes an elemental", "elemental.go", "if err == nil && rec.OwnerID != a.UserID {", "if err == nil && rec.OwnerID == \"\" {"},
		{"a tenant is asked about by its own", "httpapi/payload_engine.go", "if !s.opts.MayActFor(c.r.Context(), c.user, f.TenantID) {", "if f.TenantID == \"\" {"},
	}},
	{ID: "E1", Package: "httpapi", Test: "TestMatrix", Controls: []Control{
		{"of two keys none is taken", "httpapi/options.go", "if len(keys) == 1 {", "if len(keys) > 0 {"},
	}},
	{ID: "E2", Package: "httpapi", Test: "TestFilters", Controls: []Control{
		{"a tenant is asked about by its own", "httpapi/payload_engine.go", "if !s.opts.MayActFor(c.r.Context(), c.user, f.TenantID) {", "if f.TenantID == \"\" {"},
		{"a filter that is not known is refused", "httpapi/payload_engine.go", "\t\tif !known {\n\t\t\tb.refuse(", "\t\tif !known {\n\t\t\tfunc(string, ...any) {}("},
	}},
	{ID: "E2", Package: "httpapi", Test: "TestEngineCases", Controls: []Control{
		{"a tenant is asked about by its own", "httpapi/payload_engine.go", "if !s.opts.MayActFor(c.r.Context(), c.user, f.TenantID) {", "if f.TenantID == \"\" {"},
	}},
	{ID: "E3", Package: "httpapi", Test: "TestCanaries", Controls: []Control{
		{"searches look at the visibility", "store/elementals.go", "v.OthersToo && vis == quire.Public", "v.OthersToo"},
		{"a tenant is asked about by its own", "httpapi/payload_engine.go", "if !s.opts.MayActFor(c.r.Context(), c.user, f.TenantID) {", "if f.TenantID == \"\" {"},
		{"repeated requests are answered to their user", "once.go", "tx.Receipt(ctx, a.UserID,", "tx.Receipt(ctx, \"bob\","},
	}},
	{ID: "E4", Package: "httpapi", Test: "TestUnlistedSearches", Controls: []Control{
		{"searches in memory look at the visibility", "store/elementals.go", "v.OthersToo && vis == quire.Public", "v.OthersToo"},
		{"searches in SQLite do", "store/sqlite/search.go", "`.visibility = 1)`, v.OwnerID", "`.visibility > 0)`, v.OwnerID"},
	}},
	{ID: "E4", Package: "httpapi", Test: "TestUnlistedItems", Controls: []Control{
		{"pages of items in SQLite look at the visibility", "store/sqlite/items.go", "(i.visibility = 1 OR i.owner_id = ?)", "(i.visibility > 0 OR i.owner_id = ?)"},
		{"items that are read whole are looked at", "item.go", "rec.OwnerID == a.UserID || rec.Visibility == Public", "rec.OwnerID == a.UserID || rec.Visibility > 0"},
	}},
	{ID: "E5", Package: "httpapi", Test: "TestServerFields", Controls: []Control{
		{"the text is the template, not what answers show of it", "httpapi/payload_elemental.go", "Body:          read(o, \"template\", asString).val", "Body:          read(o, \"template\", asString).val + read(o, \"body_content\", asString).val"},
	}},
	{ID: "E5", Package: "httpapi", Test: "TestOthersInBodies", Controls: []Control{
		{"tags are the owner's", "tag.go", "!ok || t.OwnerID != ownerID {", "!ok || t.OwnerID == \"\" {"},
		{"lists are the owner's", "item.go", "err == nil && rec.OwnerID != ownerID:", "err == nil && rec.OwnerID == \"\":"},
		{"what is hidden is put into no list", "item.go", "allowed[id] = member || mayFind(a, rec)", "allowed[id] = member || rec.ID != \"\""},
	}},
	{ID: "E6", Package: "httpapi", Test: "TestStoredKeys", Controls: []Control{
		{"the hash is stored, not the key", "user.go", "sum := sha256.Sum256([]byte(secret))\n\treturn hex.EncodeToString(sum[:])", "sum := sha256.Sum256([]byte(secret))\n\treturn hex.EncodeToString(sum[:]) + secret"},
		{"only a few characters are kept to tell keys apart", "user.go", "Prefix: secret[:min(8, len(secret)/4)]", "Prefix: secret"},
	}},
	{ID: "E8", Package: "httpapi", Test: "TestKeyPlaces", Controls: []Control{
		{"of two keys none is taken", "httpapi/options.go", "if len(keys) == 1 {", "if len(keys) > 0 {"},
		{"no key is read from the query", "httpapi/options.go", "keys := r.Header.Values(\"X-Api-Key\")\n", "keys := append(r.Header.Values(\"X-Api-Key\"), r.URL.Query()[\"api_key\"]...)\n"},
	}},
	{ID: "E9", Package: "httpapi", Test: "TestKeyRevoked", Controls: []Control{
		{"a revoked key is not valid", "user.go", "return k.RevokedAt == nil && (", "return ("},
	}},
	{ID: "E10", Package: "httpapi", Test: "TestGuessedKeys", Controls: []Control{
		{"wrong keys are counted", "httpapi/failed_keys.go", "if wrong {\n\t\tf.rates.take(", "if wrong && f.good == nil {\n\t\tf.rates.take("},
		{"keys that were good are let in", "httpapi/failed_keys.go", "\tif good {\n", "\tif good && key == (caller{}) {\n"},
		{"of a wrong key only a part of its hash is logged", "httpapi/failed_keys.go", "hex.EncodeToString(key[:4])", "hex.EncodeToString(key[:4])+secret"},
	}},
	{ID: "E11", Package: ".", Test: "TestPrincipals", Controls: []Control{
		{"who is nobody reads nothing", "library.go", "func (l *Library) viewAs(ctx context.Context, a Actor, fn func(tx ReadTx) error) error {\n\tif err := a.Check(); err != nil {", "func (l *Library) viewAs(ctx context.Context, a Actor, fn func(tx ReadTx) error) error {\n\tif err := a.Check(); err != nil && l == nil {"},
		{"a search names a tenant", "search.go", "if f.TenantID == \"\" {", "if f.TenantID == \"*\" {"},
		{"each exported call is looked at", "catalogue.go", "func (l *Library) Catalogue(", "func (l *Library) Everything(ctx context.Context) ([]Elemental, error) { return nil, nil }\n\n// Catalogue\nfunc (l *Library) Catalogue("},
	}},
}
