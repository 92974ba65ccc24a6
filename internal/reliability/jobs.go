package reliability

// jobs is area C: jobs, their order, and races.
var jobs = []Row{
	{ID: "C1", Package: ".", Test: "TestForcedOrders", Controls: []Control{{
		Guard: "a deletion cancels what is queued", File: "delete.go",
		Old: "return ch.cancelMatching(ctx, tx, f, lost)", New: "return nil",
	}}},
	{ID: "C1", Package: ".", Test: "TestRandomOrders", Controls: []Control{{
		Guard: "a deletion cancels what is queued", File: "delete.go",
		Old: "return ch.cancelMatching(ctx, tx, f, lost)", New: "return nil",
	}}},
	{ID: "C2", Package: ".", Test: "TestForcedOrders", Controls: []Control{{
		Guard: "the version is compared in the transaction that commits", File: "attempt.go",
		Old: "rec.Version != read.Version || current", New: "current",
	}}},
	{ID: "C3", Package: ".", Test: "TestReadersSeeOldOrNew", Long: true, Controls: []Control{{
		Guard: "a search and a commit exclude each other", File: "mirror.go",
		Old: "			if err := m.lock.RLock(ctx); err != nil {\n				return err\n			}\n			defer m.lock.RUnlock()\n			agreed = m.generation == before && m.inStep()\n",
		New: "			agreed = true || before == 0\n",
	}}},
	{ID: "C3", Package: ".", Test: "TestOldSnapshot", Controls: []Control{{
		Guard: "a search checks that no commit came in between", File: "mirror.go",
		Old: "agreed = m.generation == before && m.inStep()", New: "agreed = true || before == 0",
	}}},
	{ID: "C3", Package: ".", Test: "TestNoCommitInsideASearch", Controls: []Control{{
		Guard: "a search and a commit exclude each other", File: "mirror.go",
		Old: "			if err := m.lock.RLock(ctx); err != nil {\n				return err\n			}\n			defer m.lock.RUnlock()\n			agreed = m.generation == before && m.inStep()\n",
		New: "			agreed = true || before == 0\n",
	}}},
	{ID: "C4", Package: ".", Test: "TestFailureAtEachBatch", Controls: []Control{{
		Guard: "chunks are replaced after the last batch only", File: "attempt.go",
		Old: "		if err := a.embed(ctx, pieces); err != nil {\n			return err\n		}",
		New: "		if err := a.embed(ctx, pieces); err != nil {\n			pieces = pieces[:0]\n		}",
	}}},
	{ID: "C5", Package: ".", Test: "TestParallelIngests", Controls: []Control{{
		Guard: "a queued job stands for later ones", File: "commit.go",
		Old: "		if i >= 0 {\n			j := active[i]", New: "		if i >= 1<<20 {\n			j := active[i]",
	}}},
	{ID: "C6", Package: ".", Test: "TestKillWhileIngesting", Long: true, Controls: []Control{{
		Guard: "who asks again under the same trace id gets the same job", File: "commit.go",
		Old: "case err == nil && j.ElementalID == rec.ID:", New: "case err == nil && j.ElementalID == rec.ID && len(j.ID) > 1<<20:",
	}}},
	{ID: "C7", Package: ".", Test: "TestPoisonAmongMany", Controls: []Control{{
		Guard: "the attempts of a job are bounded", File: "worker.go",
		Old: "case CodeOf(failure) == CodeInvalid || j.Attempts >= e.opts.MaxAttempts:", New: "case CodeOf(failure) == CodeConflict:",
	}}},
	{ID: "C8", Package: ".", Test: "TestServiceFaults", Controls: []Control{{
		Guard: "vectors are checked before they are stored", File: "embed.go",
		Old: "		if !ok {\n			return nil,", New: "		if !ok && len(texts) > 1000 {\n			return nil,",
	}, {
		Guard: "a service is left alone as long as it asks", File: "worker.go",
		Old: "return min(RetryAfter(failure), retryLimit) + backoff(attempts)", New: "return backoff(attempts)",
	}, {
		Guard: "batches that have come back are kept", File: "attempt.go",
		Old: "return tx.PutDrafts(ctx, a.job.ElementalID, a.model.fingerprint, drafts)", New: "return nil",
	}}},
	{ID: "C9", Package: ".", Test: "TestOutage", Controls: []Control{{
		Guard: "an outage uses up no attempts", File: "attempt.go",
		Old: "a.model.probe(ctx)", New: "false",
	}}},
	{ID: "C12", Package: ".", Test: "TestClockSteps", Controls: []Control{{
		Guard: "a job without a pause is due whatever the clock says", File: "commit.go",
		Old: "CreatedAt: now(),\n", New: "CreatedAt: now(), RunAfter: now(),\n",
	}, {
		Guard: "jobs of a killed process go back into the queue", File: "engine.go",
		Old: "			return takeBack(ctx, tx)", New: "			return nil",
	}, {
		Guard: "jobs are taken as they were asked for, not by their times", File: "store/jobs.go",
		Old: "	i := slices.IndexFunc(tx.activeJobs, func(j *quire.Job) bool {\n		return !dueAt(j).After(now) && !tx.leased(j.ElementalID, now)\n	})\n	if i < 0 {\n		return quire.Job{}, notFound(\"job\")\n	}\n	j := cloneJob(*tx.activeJobs[i])\n",
		New: "	line := slices.Clone(tx.activeJobs)\n	slices.SortStableFunc(line, func(a, b *quire.Job) int { return a.CreatedAt.Compare(b.CreatedAt) })\n	i := slices.IndexFunc(line, func(j *quire.Job) bool {\n		return !dueAt(j).After(now) && !tx.leased(j.ElementalID, now)\n	})\n	if i < 0 {\n		return quire.Job{}, notFound(\"job\")\n	}\n	j := cloneJob(*line[i])\n",
	}, {
		Guard: "leases are renewed", File: "lease.go",
		Old: "		j.LeaseUntil = now().Add(leaseTime)\n", New: "",
	}}},
	{ID: "C10", Package: ".", Test: "TestCancelAtAnyTime", Long: true, Controls: []Control{{
		Guard: "a cancelled transaction is rolled back", File: "store/sqlite/tx.go",
		Old: "		if err := fn(t); err != nil {\n			return err", New: "		if err := fn(t); err != nil {\n			t.sql.Commit()\n			return err",
	}, {
		Guard: "an update is one transaction", File: "elemental.go",
		Old: "	owner := MediaOwner{ElementalID: id}\n	media, err := l.draftFor(", New: "	if p.Title != nil && p.Body != nil {\n		if _, err := l.UpdateElemental(ctx, a, id, ElementalPatch{Title: p.Title}); err != nil {\n			return Elemental{}, err\n		}\n	}\n	owner := MediaOwner{ElementalID: id}\n	media, err := l.draftFor(",
	}}},
	{ID: "C11", Package: "store/sqlite", Test: "TestReadModifyWrite", Long: true, Controls: []Control{{
		Guard: "one connection writes, and has the lock from the beginning", File: "store/sqlite/conn.go",
		Old: "	c, err := sqlite.NewConnector(dsn(path, pragmas))\n	if err != nil {\n		return nil, unusable(err)\n	}\n	db := sql.OpenDB(connector{c, pragmas})\n	db.SetMaxOpenConns(n)",
		New: "	c, err := sqlite.NewConnector(strings.Replace(dsn(path, pragmas), \"immediate\", \"deferred\", 1))\n	if err != nil {\n		return nil, unusable(err)\n	}\n	db := sql.OpenDB(connector{c, pragmas})\n	db.SetMaxOpenConns(n + 16)",
	}}},
	{ID: "C13", Package: ".", Test: "TestEngineModel", Long: true, Controls: []Control{{
		Guard: "the indexes are filled from all that is stored", File: "load.go",
		Old: "			groups = append(groups, chunks[from:i+1])", New: "			if id := chunks[i].ElementalID; id[len(id)-1] != '0' {\n				groups = append(groups, chunks[from:i+1])\n			}",
	}}},
	{ID: "C14", Package: "internal/conformance", Test: "TestListsAreLinearizable", Long: true, Controls: []Control{{
		Guard: "a removal is done when it returns", File: "item.go",
		Old: `	return l.changeAs(ctx, a, func(tx Tx, _ *changes) error {
		rec, err := ownList(ctx, tx, a, id)
		if err != nil {
			return err
		}
		if rec.TableID != "" {
			probs.add("item_ids", "the items of a column`,
		New: `	late := func(_ context.Context, _ Actor, f func(Tx, *changes) error) error {
		go l.changeAs(context.WithoutCancel(ctx), a, f)
		return nil
	}
	return late(ctx, a, func(tx Tx, _ *changes) error {
		rec, err := ownList(ctx, tx, a, id)
		if err != nil {
			return err
		}
		if rec.TableID != "" {
			probs.add("item_ids", "the items of a column`,
	}}},
}
