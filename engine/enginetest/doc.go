// Package enginetest tests what plugs under a [quire.Engine] and stands in for it
// in tests.
//
// [RunIndex], [RunTextIndex], [RunEmbedder], [RunReranker], [RunLLM], [RunChunker] and
// [RunExtractor] check that an implementation of [quire.VectorIndex], [quire.TextIndex],
// [quire.Embedder], [quire.Reranker], [quire.LLM], [quire.Chunker] or [quire.Extractor]
// holds its contract; [BenchIndex] measures an index. Each takes an opener, so that every
// subtest works on one of its own.
//
// [Index], [Embedder] and [LLM] are fakes that hold the same contracts and mean
// something: equal texts have equal vectors, shared words bring texts nearer, and
// an answer quotes its sources. What they do can be held back at a [Gate], made to
// fail, and asked for afterwards. All of it may be called from many goroutines,
// and nothing of it starts one.
package enginetest
