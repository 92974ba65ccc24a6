package eval

import (
	"encoding/json"
	"io"
	"strconv"
	"strings"

	"github.com/quirelib/quire"
)

// question is a line of a file of questions.
type question struct {
	ID       string          `json:"id"`
	BEIRID   string          `json:"_id"`
	Question string          `json:"question"`
	Answers  []string        `json:"answers"`
	Relevant json.RawMessage `json:"relevant"`
	Source   string          `json:"source"`
	Sections []struct {
		Document string `json:"document"`
		Heading  string `json:"heading"`
	} `json:"sections"`
	Title   string  `json:"title"`
	Passage *string `json:"passage"`
}

// ReadQuestions reads questions, one JSON object a line:
//
//		{"question": "..", "sections": [{"document": "guide.md", "heading": "Installing"}]}
//		{"question": "..", "relevant": {"019a-..": 2, "019b-..": 1}, "answers": ["7 days", "a week"]}
//		{"question": "..", "answers": ["a week"], "passage": "the text that says so", "title": ".."}
//		{"_id": "q7", "question": "..", "answers": ["a week"], "source": "d12"}
//
//	  - question: what is asked; the only field that is always needed.
//	  - relevant: what answers it, by elemental ids, names of attached files, or whatever
//	    [Options.Names] calls documents; a list, or an object with grades of 1 to 1000.
//	  - source: the same for a single one.
//	  - sections: the answer stands directly under this heading of the document; "" is before
//	    the first, and marks of code and emphasis do not count.
//	  - answers: texts of which an answer must hold one.
//	  - passage, with title: a document that answers it, which becomes one of the set's, once
//	    where several lines have it.
//	  - id, or _id: default is the number of the question, from 1.
//
// A question needs one of relevant, source, sections, passage and answers. Other fields are let be.
// name is the set's and stands in errors, which are those of [ReadBEIR].
func ReadQuestions(r io.Reader, name string) (*Dataset, error) {
	set := &Dataset{Name: name}
	ids, passages := make(map[string]bool), make(map[string]string)
	err := eachLine(r, name, func(line []byte) error {
		var in question
		if err := parse(line, &in); err != nil {
			return err
		}
		q, err := in.query(len(set.Queries) + 1)
		if err != nil {
			return err
		}
		if ids[q.ID] {
			return quire.Errorf(quire.CodeInvalid, "the id %q is there twice", q.ID)
		}
		ids[q.ID] = true
		if in.Passage != nil {
			q.Relevant[set.addPassage(in.Title, *in.Passage, passages)] = 1
		}
		set.Queries = append(set.Queries, q)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(set.Queries) == 0 {
		return nil, quire.Errorf(quire.CodeInvalid, "%s holds no question", name)
	}
	return set, nil
}

// query checks a question and makes a Query of it, without its passage. number is that of
// the question.
func (in *question) query(number int) (Query, error) {
	q := Query{ID: in.ID, Text: in.Question}
	switch {
	case q.ID == "" && in.BEIRID != "":
		q.ID = in.BEIRID
	case q.ID == "":
		q.ID = strconv.Itoa(number)
	}
	if err := checkID("id", q.ID); err != nil {
		return q, err
	}
	if strings.TrimSpace(q.Text) == "" {
		return q, quire.Errorf(quire.CodeInvalid, "\"question\" is missing or blank")
	}
	if in.Passage != nil && strings.TrimSpace(*in.Passage) == "" {
		return q, quire.Errorf(quire.CodeInvalid, "\"passage\" is blank")
	}
	for _, a := range in.Answers {
		if Normalise(a) != "" {
			q.Answers = append(q.Answers, a)
		}
	}
	for _, section := range in.Sections {
		if err := checkID("document", section.Document); err != nil {
			return q, err
		}
		q.Sections = append(q.Sections, Section(section))
	}
	var err error
	if q.Relevant, err = in.relevant(); err != nil {
		return q, err
	}
	documents := len(q.Relevant) > 0 || in.Passage != nil
	switch {
	case documents && len(q.Sections) > 0:
		return q, quire.Errorf(quire.CodeInvalid, "has \"sections\" beside \"relevant\", \"source\" or \"passage\": either sections or documents are to be found")
	case !documents && len(q.Sections) == 0 && len(q.Answers) == 0:
		return q, quire.Errorf(quire.CodeInvalid, "needs one of \"relevant\", \"source\", \"sections\", \"passage\" and \"answers\"")
	}
	return q, nil
}

// relevant returns the grades of what the line names, a list as grades of 1.
func (in *question) relevant() (map[string]int, error) {
	grades := make(map[string]int)
	if in.Source != "" {
		grades[in.Source] = 1
	}
	var list []string
	switch {
	case len(in.Relevant) == 0 || string(in.Relevant) == "null":
	case json.Unmarshal(in.Relevant, &list) == nil:
		for _, id := range list {
			grades[id] = 1
		}
	case json.Unmarshal(in.Relevant, &grades) != nil:
		return nil, quire.Errorf(quire.CodeInvalid, "\"relevant\" must be a list of strings, or an object of whole numbers")
	}
	for id, grade := range grades {
		if err := checkID("relevant", id); err != nil {
			return nil, err
		}
		if grade < 1 || grade > maxGrade {
			return nil, quire.Errorf(quire.CodeInvalid, "the grade %d of %.40q is not between 1 and %d", grade, id, maxGrade)
		}
	}
	return grades, nil
}
