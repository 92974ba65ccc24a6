package reliability

// durability is area A: what survives crashes, full disks and damaged files.
var durability = []Row{
	{ID: "A6", Package: ".", Test: "TestVerify", Controls: []Control{
		{Guard: "the checksums of elementals, lists and media", File: "store/sqlite/verify_rows.go", Old: "case !bytes.Equal(r.sum, want):", New: "case len(want) == 0:"},
		{Guard: "the counting of marks", File: "verify_counters.go", Old: "n != counted.have {", New: "n < 0 {"},
		{Guard: "the comparison of passages with what they cite", File: "engine_verify.go", Old: "text[chunk.Start:chunk.End] != chunk.Text", New: "false"},
		{Guard: "whose a file is", File: "store/sqlite/sum.go", Old: "texts(m.Owner.ElementalID, ", New: "texts(\"\", "},
		{Guard: "the look at the length of vectors", File: "engine_verify.go", Old: "case !isUnit(chunk.Vector):", New: "case len(chunk.Vector) == 0:"},
	}},
	{ID: "A6", Package: ".", Test: "TestVerifyGoesOn", Controls: []Control{
		{Guard: "damage is passed over by the walk", File: "verify.go", Old: "	if CodeOf(err) != CodeCorrupt {", New: "	if err != nil {"},
		{Guard: "a missing table is damage", File: "store/sqlite/query.go", Old: `strings.Contains(err.Error(), "no such ")`, New: `strings.Contains(err.Error(), "none such ")`},
		{Guard: "a read transaction outlives damage", File: "store/sqlite/tx.go", Old: "t.reads && quire.CodeOf(err) == quire.CodeCorrupt", New: "false"},
	}},
	{ID: "A6", Package: "store/sqlite", Test: "TestVerifyNames", Controls: []Control{
		{Guard: "a row that cannot be read ends nothing", File: "store/sqlite/query.go", Old: "err != nil && quire.CodeOf(err) != quire.CodeCorrupt {", New: "err != nil {"},
	}},
	{ID: "A6", Package: "embedded", Test: "TestDamagedRow", Controls: []Control{
		{Guard: "a row that cannot be decoded is dropped", File: "damage.go", Old: "return CodeOf(err) == CodeCorrupt && c.ID != \"\"", New: "return false"},
		{Guard: "a row that does not say what it is or whose is dropped", File: "damage.go", Old: "return c.ID == \"\" || c.TenantID == \"\" || c.ElementalID == \"\"", New: "return false"},
		{Guard: "a transaction that writes outlives it", File: "store/sqlite/query.go", Old: "columnOf(err); undecodable {", New: "columnOf(err); undecodable && t.reads {"},
	}},
	{ID: "A6", Package: "store/sqlite", Test: "TestVerifySchema", Controls: []Control{
		{Guard: "the comparison with the schema of a new file", File: "store/sqlite/verify_structure.go", Old: "		{\"schema\", compareSchema},\n", New: ""},
	}},
	{ID: "A6", Package: "store/sqlite", Test: "TestFlippedBytes", Controls: []Control{
		{Guard: "the checksums", File: "store/sqlite/verify_rows.go", Old: "case !bytes.Equal(r.sum, want):", New: "case len(want) == 0:"},
	}},
	{ID: "A1", Package: ".", Test: "TestKillWhileWriting", Long: true, Controls: []Control{{
		Guard: "an elemental goes with its passages and jobs", File: "elemental.go",
		Old: "		if _, err := ch.drop(ctx, tx, rec.TenantID, rec.ID); err != nil {\n			return err\n		}\n		if err := tx.DeleteElemental",
		New: "		if err := tx.DeleteElemental",
	}}},
	{ID: "A2", Package: "store/sqlite", Test: "TestPowerCut", Long: true, Controls: []Control{{
		Guard: "each commit waits for the disk", File: "store/sqlite/sqlite.go",
		Old: "n.Synchronous = Full", New: "n.Synchronous = Normal",
	}}},
	{ID: "A3", Package: ".", Test: "TestHealthOfWrites", Controls: []Control{{
		Guard: "a refused write is noted", File: "writable.go", Old: "		l.writes.failing.Store(true)\n", New: "",
	}}},
	{ID: "A3", Package: "store/sqlite", Test: "TestFailingCalls", Controls: []Control{{
		Guard: "what the disk says to a commit counts", File: "store/sqlite/tx.go",
		Old: "return t.session.failure(context.Background(), t.sql.Commit())", New: "t.sql.Commit()\n		return nil",
	}, {
		Guard: "a disk that fails has its own error", File: "store/sqlite/errors.go",
		Old: "	case sqlite3.SQLITE_IOERR,", New: "	case",
	}}},
	{ID: "A4", Package: ".", Test: "TestDiskFull", Controls: []Control{{
		Guard: "a full disk has its own error", File: "store/sqlite/errors.go",
		Old: "	case sqlite3.SQLITE_FULL:", New: "	case sqlite3.SQLITE_NOLFS:",
	}}},
	{ID: "A4", Package: ".", Test: "TestFullStoreIsNoLoop", Controls: []Control{{
		Guard: "a pause after a failure of the store, whatever is signalled", File: "worker.go",
		Old: "wait, ready = storePause, nil", New: "wait = storePause",
	}}},
	{ID: "A5", Package: "store/sqlite", Test: "TestFailedUploads", Controls: []Control{{
		Guard: "a transaction that failed is rolled back", File: "store/sqlite/tx.go",
		Old: "		if err := fn(t); err != nil {\n			return err", New: "		if err := fn(t); err != nil {\n			t.sql.Commit()\n			return err",
	}}},
	{ID: "A6", Package: "store/sqlite", Test: "TestDamagedFiles", Long: true, Controls: []Control{{
		Guard: "a file is looked at before it is opened for writing", File: "store/sqlite/inspect.go",
		Old: "	h, err := readHeader(path)", New: "	if info.Size() > 0 {\n		return true, nil\n	}\n	h, err := readHeader(path)",
	}, {
		Guard: "the structure of all tables is checked", File: "store/sqlite/inspect.go",
		Old: "	return quire.ErrCorrupt.WithCause(errors.New(verdict))", New: "	return nil",
	}, {
		Guard: "an empty file is damaged", File: "store/sqlite/inspect.go",
		Old: "		return false, lost(path)", New: "		return false, nil",
	}}},
	{ID: "A7", Package: "store/sqlite", Test: "TestFrozen", Controls: []Control{{
		Guard: "steps that are released stay as they are", File: "store/sqlite/migrate.go",
		Old: "	for version < to {", New: "	for version < to-1 {",
	}}},
	{ID: "A7", Package: "store/sqlite", Test: "TestNewerSchema", Controls: []Control{{
		Guard: "the version is looked at before anything is written", File: "store/sqlite/inspect.go",
		Old: "	case int(v) > len(migrations):", New: "	case int(v) > len(migrations)+1<<20:",
	}}},
	{ID: "A7", Package: "store/sqlite", Test: "TestKillWhileMigrating", Controls: []Control{{
		Guard: "each step is one transaction", File: "store/sqlite/migrate.go",
		Old: "	if _, err := tx.ExecContext(ctx, migrations[version]); err != nil {",
		New: "	if err := tx.Commit(); err != nil {\n		return err\n	}\n	if _, err := db.ExecContext(ctx, migrations[version]); err != nil {\n		return err\n	}\n	if tx, err = db.BeginTx(ctx, nil); err != nil {",
	}}},
	{ID: "A8", Package: ".", Test: "TestRebuiltIndex", Controls: []Control{{
		Guard: "the indexes are filled from all that is stored", File: "load.go",
		Old: "			groups = append(groups, chunks[from:i+1])", New: "			if id := chunks[i].ElementalID; id[len(id)-1] != '0' {\n				groups = append(groups, chunks[from:i+1])\n			}",
	}}},
	{ID: "A9", Package: "store/sqlite", Test: "TestLockedByProcess", Controls: []Control{{
		Guard: "the locks of the file", File: "store/sqlite/file.go",
		Old: "	ok, err := lock.TryLockContext(short, 20*time.Millisecond)", New: "	ok, err := true, short.Err()",
	}}},
	{ID: "A10", Package: "store/sqlite", Test: "TestFileGone", Controls: []Control{{
		Guard: "each transaction looks whether the file is in its place", File: "store/sqlite/tx.go",
		Old: "	if err := s.inPlace(); err != nil { // now, however long it waited\n		return err\n	}\n", New: "",
	}}},
	{ID: "A11", Package: "store/sqlite", Test: "TestOddPaths", Controls: []Control{{
		Guard: "paths are quoted in the name that SQLite gets", File: "store/sqlite/conn.go",
		Old: "	return (&url.URL{Scheme: \"file\", Path: path, RawQuery: q.Encode()}).String()", New: "	return (&url.URL{Scheme: \"file\"}).String() + path + \"?\" + q.Encode()",
	}}},
	{ID: "A11", Package: "store/sqlite", Test: "TestUnusablePaths", Controls: []Control{{
		Guard: "only files are opened", File: "store/sqlite/inspect.go",
		Old: "	case !info.Mode().IsRegular():", New: "	case info.Size() < 0:",
	}}},
	{ID: "A12", Package: "embedded", Test: "TestBackupBesideWriters", Controls: []Control{{
		Guard: "a backup is of one commit", File: "store/sqlite/backup.go",
		Old: "	_, err = conn.ExecContext(x.ctx, `VACUUM INTO ?`, path)",
		New: "	var seq int\n	var name, file string\n	conn.QueryRowContext(x.ctx, `PRAGMA database_list`).Scan(&seq, &name, &file)\n	data, err := os.ReadFile(file)\n	if err == nil {\n		err = os.WriteFile(path, data, 0o600)\n	}",
	}}},
	{ID: "A12", Package: "store/sqlite", Test: "TestBackupBesideLog", Controls: []Control{
		{Guard: "a log that holds something is looked for", File: "store/sqlite/file.go", Old: "		case info.Size() > 0:\n			return suffix, nil\n", New: "		case info.Size() < 0:\n			return suffix, nil\n"},
		{Guard: "once more before the backup gets its name", File: "store/sqlite/backup.go", Old: "	if err := noLog(path); err != nil { // it may have come meanwhile\n		return err\n	}\n", New: ""},
	}},
	{ID: "A14", Package: "store/sqlite", Test: "TestPragmas", Controls: []Control{{
		Guard: "foreign keys are on, on every connection", File: "store/sqlite/conn.go",
		Old: "		{\"foreign_keys\", \"1\", \"1\"},\n", New: "",
	}}},
	{ID: "A13", Package: ".", Test: "TestLogStaysSmall", Controls: []Control{{
		Guard: "a chat holds no transaction while the LLM writes", File: "chat.go",
		Old: `func (e *Engine) ChatStream(ctx context.Context, req ChatRequest) iter.Seq2[ChatEvent, error] {
	return func(yield func(ChatEvent, error) bool) {
`,
		New: `var held = make(chan struct{}, 1)

func (e *Engine) ChatStream(ctx context.Context, req ChatRequest) iter.Seq2[ChatEvent, error] {
	return func(yield func(ChatEvent, error) bool) {
		release := make(chan struct{})
		defer close(release)
		select {
		case held <- struct{}{}:
			go e.lib.store.View(context.WithoutCancel(ctx), func(tx ReadTx) error { tx.CountChunks(ctx); <-release; <-held; return nil })
		default:
		}
`,
	}, {
		Guard: "a long log is cut when it is used again", File: "store/sqlite/conn.go",
		Old: `"journal_size_limit", "4194304", "4194304"`, New: `"journal_size_limit", "-1", "-1"`,
	}}},
}
