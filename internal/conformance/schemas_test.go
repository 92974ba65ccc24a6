package conformance

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// document is what schemas call the whole document in their references.
const document = "quire:openapi.json"

// schemas holds values against the schemas of a document, each of which is compiled once;
// kin-openapi compiles anew for every value, which takes longer than the request did.
type schemas struct {
	compiler *jsonschema.Compiler
	compiled map[*openapi3.Schema]*jsonschema.Schema
}

func newSchemas(doc []byte) (*schemas, error) {
	whole, err := jsonschema.UnmarshalJSON(bytes.NewReader(doc))
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	return &schemas{compiler, map[*openapi3.Schema]*jsonschema.Schema{}}, compiler.AddResource(document, whole)
}

// check says in which way a JSON text is not as a schema has it.
func (s *schemas) check(schema *openapi3.Schema, text []byte) error {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	compiled := s.compiled[schema]
	if compiled == nil {
		if compiled, err = s.compile(schema); err != nil {
			return err
		}
		s.compiled[schema] = compiled
	}
	return compiled.Validate(value)
}

func (s *schemas) compile(schema *openapi3.Schema) (*jsonschema.Schema, error) {
	text, err := json.Marshal(schema)
	if err != nil {
		return nil, err
	}
	text = bytes.ReplaceAll(text, []byte(`"$ref":"#/`), []byte(`"$ref":"`+document+`#/`))
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("quire:%d.json", len(s.compiled))
	if err := s.compiler.AddResource(name, value); err != nil {
		return nil, err
	}
	return s.compiler.Compile(name)
}

// checkBody says in which way a body is none of those that are described.
func (s *schemas) checkBody(described openapi3.Content, kind string, body []byte) error {
	if len(described) == 0 {
		return nil
	}
	as := described.Get(kind)
	if as == nil {
		return fmt.Errorf("the Content-Type %q is not described", kind)
	}
	if as.Schema == nil || !strings.HasPrefix(kind, "application/json") {
		return nil
	}
	return s.check(as.Schema.Value, body)
}

// checkHeader says in which way the text of a header, "" if there is none, is not as described.
func (s *schemas) checkHeader(described *openapi3.Header, text string) error {
	if text == "" {
		if described.Required {
			return errors.New("it is missing")
		}
		return nil
	}
	if schema := described.Schema.Value; !schema.Type.Is("string") {
		return s.check(schema, []byte(text))
	}
	quoted, err := json.Marshal(text)
	if err != nil {
		return err
	}
	return s.check(described.Schema.Value, quoted)
}
