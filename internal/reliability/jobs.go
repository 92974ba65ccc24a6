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
	{ID: "C3", Package: ".", Test: "TestReadersSeeOldOrNew", Controls: []Control{{
		Guard: "a search checks that no commit came in between", File: "mirror.go",
		Old: "agreed = m.generation == before && m.inStep()", New: "agreed = true || m.generation == before",
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
	{ID: "C6", Package: ".", Test: "TestKillWhileIngesting", Controls: []Control{{
		Guard: "jobs of a killed process go back into the queue", File: "engine.go",
		Old: "			return takeBack(ctx, tx)", New: "			return nil",
	}, {
		Guard: "batches that have come back are kept", File: "attempt.go",
		Old: "return tx.PutDrafts(ctx, a.job.ElementalID, a.model.fingerprint, drafts)", New: "return nil",
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
	}}},
}
