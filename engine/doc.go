// Package engine holds the default parts that plug under a [quire.Engine] and need
// no network: a Markdown-aware Chunker, a hashing Embedder and an extractive LLM.
//
// All of them are deterministic and safe for concurrent use.
package engine
