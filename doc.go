// Package quire is an embeddable content library and knowledge engine.
//
// A [Library] keeps elementals (prompts, snippets, documents), ordered lists,
// tags, users and API keys, and compiles them into knowledge text. An [Engine]
// over the same Library ingests elementals into searchable chunks, finds the
// passages nearest to a query, and answers questions with cited sources.
//
// Both work behind small interfaces: a [Store] keeps everything durable, a
// [VectorIndex] finds neighbours, an [Embedder] turns text into vectors and an
// [LLM] writes answers. Package embedded assembles the default backends;
// package httpapi serves both halves over HTTP.
//
// # Conventions
//
// Identity is explicit: every Library call on somebody's content names its
// [Actor], every Engine call names its tenant. Times are UTC. Text is valid
// UTF-8 without NUL. Errors are of type [*Error] or match one of the sentinels
// with errors.Is; [CodeOf] gives the code of any error. A call whose context is
// cancelled returns the context's error and has changed nothing.
//
// Every exported method is safe for concurrent use unless its comment says
// otherwise.
package quire
