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
		able about above accord according account achieve across act action actual add addition additional affect after
		again against age ago agree all allow almost alone along already also alter although always among amount
		analysis another answer any anything appear apply approach appropriate approximate area around ask aspect associate assume
		attempt available average away back base basic basis because become before begin behavior behind believe below best better
		between beyond big body book both bring build call care carry case cause center central certain chance change
		character choose clear close come common compare complete concern conclude conclusion condition consider
		consist contain context continue contrast control correct correspond country course cover create current cut data date day
		deal decide decrease define definition degree demonstrate depend derive design detail determine develop development
		differ difference different difficult direct discuss distinct down draw due during each early easy effect effective either
		element else end enough ensure entire equal especially essential establish estimate even event ever every everything
		evidence exact examine example except exist expect experience experiment experimental explain extend extent
		fact factor fail fall family far feature feel few field figure final find first five focus follow following form former found
		four free frequent full function further future gain general get give given go good great group grow half hand happen
		hard head help hence high higher hold home hour house however human hundred idea identify illustrate impact imply important
		improve include including increase indeed independent indicate individual influence inform information initial instead
		interest introduce investigate involve issue item itself job keep key kind know known lack large largely last late later
		lead learn least leave left less let level life light like likely limit line list little live local long look lose lot low
		lower made main major make man many mark matter maximum may mean measure member men mention method middle might million mind
		minimum minute moment money month more most move much must name nature near necessary need never new next night nine
		no none normal not note nothing now number object observe obtain obvious occur off offer often old once one ongoing open
		operate opposite order origin original other otherwise out outside over overall own page pair paper parent part particular
		pass past pattern people percent perform perhaps period person place plan play point position possible potential practice
		prefer presence present prevent previous primary principle probable problem procedure process produce product program
		prove provide public purpose put quality quantity question quick quite raise range rapid rate rather reach read real reason
		receive recent recommend reduce refer regard region relate relation relative remain remark remove repeat replace report
		represent require research respect respective response rest result return reveal review right role room rule run same sample
		scale second section see seek seem select self send sense separate sequence series serve set seven several shape short show
		side sign significant similar simple simply since single situation six size small so social solution solve some
		sometimes soon sort source special specific stage stand standard start state statement step still stop strong structure
		study subject subsequent substantial success successful such sufficient suggest suitable sum summary support suppose
		sure surface system table take talk task technique ten tend term test text theory therefore thing think third thought
		thousand three through throughout thus time today together too top total toward treat treatment true try turn two type typical
		under understand unit unless unlike until up use useful usual valid value variable variety various vary very view wait
		want way week well whole wide within without woman women word work world worth write wrong year yes yet young
	`) {
		set[segment.Stem(w)] = true
	}
	return set
}()
