// Package engine holds the parts that plug under a quire.Engine and need no
// network: an Embedder that hashes words, an LLM that answers with sentences of the
// sources, and the Markdown-aware Chunker.
package engine
