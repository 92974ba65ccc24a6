// Package engine holds parts that plug under a [quire.Engine] and need no network: a
// Markdown-aware Chunker, an extractive LLM and a hashing Embedder. An Engine without a Chunker
// splits as this one does by default, and the LLM is the default of package embedded. The
// default Embedder of embedded is not here: it is that of engine/static, which has trained word
// vectors. The hashing one was the default before it, and is for who wants none of these, or
// has vectors of it stored.
//
// All of them are deterministic and safe for concurrent use.
package engine
