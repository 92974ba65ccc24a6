package engine

import (
	"strings"

	"github.com/quirelib/quire/internal/segment"
)

// commonWords holds the stems of the words that are frequent in English of any
// subject, so that they say little about the subject of a text: verbs and nouns of
// general use, numbers, quantities, and the vocabulary of reports and instructions.
var commonWords = func() map[string]bool {
	set := make(map[string]bool)
	for w := range strings.FieldsSeq(`
		able about above accord according account achieve across act actual add addition additional affect after again
		against age ago agree all allow almost alone along already also alter although always among amount analysis another
		answer any anything appear apply approach appropriate approximate area around ask aspect associate assume attempt
		available average away back base basic basis because become before begin behavior behind believe below best better
		between beyond big both bring build care carry case cause central certain chance change character choose clear come
		common compare complete concern conclude conclusion consider consist contain continue contrast correct correspond
		course cover create current cut deal decide decrease degree demonstrate depend derive detail determine develop
		development differ difference different difficult discuss distinct down draw due during each early easy effect
		effective either else enough ensure entire equal especially essential establish estimate even ever every everything
		evidence exact examine example except exist expect experience experiment experimental explain extend extent fact fail
		fall far feel few find first five focus follow following former found four free frequent full further future gain
		general get give given go good great grow happen hard help hence high higher hold however identify illustrate impact
		imply important improve include including increase indeed indicate individual inform information instead introduce
		investigate involve itself keep know known lack large largely last late later learn least leave left less let like
		likely little live long look lose lot low lower made main major make many matter may mean method middle might mind
		more most move much must near necessary need never new next night nine no none not nothing now observe obtain obvious
		occur off offer often old once one ongoing opposite other otherwise out outside over overall own pair part particular
		pass past perform perhaps place possible potential practice prefer presence present previous probable problem produce
		prove provide put question quick quite raise rapid rather real reason recent recommend reduce refer regard relate
		relation relative remain remark report require research respect respective result reveal review right second section
		see seek seem select sense seven several short show side significant similar simple simply since situation six small
		so solve some sometimes soon sort specific still strong study subject subsequent substantial success successful such
		sufficient suggest suitable sum summary support suppose sure take talk ten therefore thing think third thought three
		through throughout thus time today together too toward true try two typical under understand unless unlike until up
		use useful usual variety various vary very want way whole wide within without work world worth wrong yes yet young
	`) {
		set[segment.Stem(w)] = true
	}
	return set
}()
