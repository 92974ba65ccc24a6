package langchain

import (
	"encoding/json"
	"fmt"
)

// inOrder puts the embeddings of an answer into the order of their indexes, which
// langchaingo does not look at. Indexes that are not each number from 0 once are an
// error, unless there are none, or all are 0, as servers without them send it: then the
// order is that of the texts.
func inOrder(body []byte) ([]byte, error) {
	type item struct {
		Index     int             `json:"index"`
		Embedding json.RawMessage `json:"embedding"`
	}
	var answer struct {
		Data []item `json:"data"`
	}
	err := json.Unmarshal(body, &answer)
	if len(answer.Data) == 0 { // megabytes of vectors are not read twice
		if e := faultIn(body); e != nil {
			return nil, e
		}
	}
	if err != nil {
		return nil, fmt.Errorf("the answer is not a list of embeddings: %w", err)
	}
	sorted, indexed, ordered := make([]item, len(answer.Data)), false, true
	for i, d := range answer.Data {
		indexed = indexed || d.Index != 0
		ordered = ordered && d.Index == i
	}
	if !indexed || ordered {
		return body, nil
	}
	for _, d := range answer.Data {
		if d.Index < 0 || d.Index >= len(sorted) || sorted[d.Index].Embedding != nil || d.Embedding == nil {
			return nil, fmt.Errorf("an embedding has the index %d, which another one has or which none of %d can have", d.Index, len(sorted))
		}
		sorted[d.Index] = d
	}
	return json.Marshal(map[string]any{"data": sorted})
}
