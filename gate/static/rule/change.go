package rule

import (
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/aigate/gate/gate/strict"
)

// Change is what a rule looks for in the difference of base and head, statement by
// statement. Patterns see a statement in one form: on one line, without comments. At
// least one of Removes, Adds, Guards, Conditions, Numbers, Lists,
// Handlers, Always and Later is there.
type Change struct {
	Removes    []string // matched less often than before; with Adds, both must hold
	Adds       []string // matched more often than before
	Guards     []string // of "if CONDITION => BLOCK" that refuses something, and is gone or refuses no more
	Conditions []string // of a condition that lets more through than before
	Numbers    []string // what comes before a number that changed too far
	Lists      []string // what comes before a list that has lost texts
	Handlers   []string // of "if except ERROR of STATEMENT => BLOCK" that is new and doesn't refuse
	Always     []string // what a function does first now, whatever it is given

	Later []string // of a statement that came before one of Than, and comes after it now
	Than  []string

	Larger  float64 // Numbers: at least so many times what it was; 0 for none
	Smaller float64 // Numbers: at most so many times what it was; 0 for none

	In       []string // names of functions, with those around them; absent is all
	Existing bool     // only in functions that the base has
	Keeps    []string // the function still has that
	Lacks    []string // the function has none of that, nor has what it newly calls
	After    []string // with Adds: what comes follows one of these in its function
	Before   []string // with Adds: what comes precedes one of these, which the base has as well
	Under    []string // with Adds: what comes is inside a block whose head is one of these
	File     []string // the path or the text of the file has one of these
	Still    bool     // with Removes: the head still mentions what the statement was about
	Varies   bool     // with Adds: what comes puts more than constants of the program into a text
	Unless   []string // the statement, or the test, isn't one of these; with Adds, the one that comes
	Covered  []string // nor does the change add one of these where it would count
}

// patterns are all of them.
func (c *Change) patterns() []*[]string {
	return []*[]string{&c.Removes, &c.Adds, &c.Guards, &c.Conditions, &c.Numbers, &c.Lists, &c.Handlers, &c.Always, &c.In, &c.Keeps, &c.Lacks, &c.After, &c.Before, &c.Under, &c.File, &c.Unless, &c.Covered, &c.Later, &c.Than}
}

// changeOf reads the key "change".
func changeOf(r *reader, dst **Change) func(*yaml.Node) {
	return func(n *yaml.Node) {
		c := &Change{}
		names := []string{"removes", "adds", "guards", "conditions", "numbers", "lists", "handlers", "always", "in", "keeps", "lacks", "after", "before", "under", "file", "unless", "covered", "later", "than"}
		var fields []strict.Field
		for i, to := range c.patterns() {
			fields = append(fields, strict.Key(names[i], func(v *yaml.Node) {
				r.Items(v, names[i], func(v *yaml.Node) {
					if checkPattern(&r.Reader, v, r.checked) {
						*to = append(*to, v.Value)
					}
				})
			}))
		}
		r.Mapping(n, "change", append(fields,
			strict.Key("larger", times(r, "larger", &c.Larger)),
			strict.Key("smaller", times(r, "smaller", &c.Smaller)),
			strict.Key("existing", r.Flag("existing", &c.Existing)),
			strict.Key("still", r.Flag("still", &c.Still)),
			strict.Key("varies", r.Flag("varies", &c.Varies)))...)
		if len(c.Removes)+len(c.Adds)+len(c.Guards)+len(c.Conditions)+len(c.Numbers)+len(c.Lists)+len(c.Handlers)+len(c.Always)+len(c.Later) == 0 {
			r.Fail(n, "a change needs \"removes\", \"adds\", \"guards\", \"conditions\", \"numbers\", \"lists\", \"handlers\", \"always\" or \"later\"")
		}
		if (len(c.Numbers) > 0) != (c.Larger > 0 || c.Smaller > 0) {
			r.Fail(n, "\"numbers\" come with \"larger\" or \"smaller\", and these with \"numbers\"")
		}
		if len(c.Adds) == 0 && (len(c.After)+len(c.Before)+len(c.Under) > 0 || c.Varies) {
			r.Fail(n, "\"after\", \"before\", \"under\" and \"varies\" come with \"adds\"")
		}
		if (len(c.Later) > 0) != (len(c.Than) > 0) {
			r.Fail(n, "\"later\" and \"than\" come together")
		}
		if c.Still && len(c.Removes) == 0 {
			r.Fail(n, "\"still\" comes with \"removes\"")
		}
		*dst = c
	}
}

// times reads how far a number may move.
func times(r *reader, what string, dst *float64) func(*yaml.Node) {
	return func(n *yaml.Node) {
		v, err := strconv.ParseFloat(n.Value, 64)
		if err != nil || v <= 0 || v > 1e6 || (what == "larger") != (v > 1) {
			r.Fail(n, "larger is a factor above 1, smaller one between 0 and 1, not %s", strict.Kind(n))
			return
		}
		*dst = v
	}
}
