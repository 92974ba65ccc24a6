// Package langchain connects Quire with langchaingo (github.com/tmc/langchaingo), in
// both directions: any of its models is an LLM and any of its embedders an Embedder
// of a [quire.Engine], and an Engine is a vector store and retriever of langchaingo.
//
// [NewOpenAI] (and every server that speaks its protocol), [NewOllama] and
// [NewAnthropic] make an LLM, [NewOpenAIEmbedder] and [NewOllamaEmbedder] an
// Embedder. [NewLLM] and [NewEmbedder] take a model that was made elsewhere.
//
// What comes over the wire is watched on its way to langchaingo, which takes an answer
// that was cut off for a whole one, gives errors without their status and ignores the
// order of embeddings: an answer that broke off, by the connection's end or by an
// error event, ends with an error here, and errors say what the server said: errors.As
// finds a [*StatusError] with status and Retry-After. The constructors see to that;
// a model that was made elsewhere has it if it was given an [HTTPClient].
//
// Nothing is read from the environment, and nothing is sent anywhere before the first
// question or text. All types are safe for concurrent use.
//
// The package is a module of its own, so that nobody else downloads what langchaingo
// needs.
package langchain
