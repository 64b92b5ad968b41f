package table_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/table"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/oracle/said"
	"github.com/mmapjfr/jfr/internal/views"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/query"
)

// standard are the views of the JDK, in the order of its all-views.
func standard() (list []*views.View) {
	for _, v := range views.All() {
		if v.IsStandard() {
			list = append(list, v)
		}
	}
	return list
}

// sections cuts an answer to all-views into those of the views.
func sections(t testing.TB, answer string, list []*views.View) []string {
	t.Helper()
	cut := make([]string, len(list))
	at := 0
	for i, v := range list {
		title := regexp.QuoteMeta(v.Label)
		begin := regexp.MustCompile(`(?m)(^Can't find .*\n(Did.*\n|Use.*\n)?Missing event found for ` + v.Name + `$|^\nNo events found for '` + title +
			`'\.|^\n *` + title + `( \(Experimental\))?\n(\n|-+\n)|^\n(Too many columns|Columns are too wide))`)
		found := begin.FindStringIndex(answer[at:])
		require.NotNil(t, found, "%s in %.200q", v.Name, answer[at:])
		if i > 0 {
			cut[i-1] += answer[at : at+found[0]]
		}
		cut[i] = answer[at+found[0] : at+found[1]]
		at += found[1]
	}
	cut[len(cut)-1] += answer[at:]
	return cut
}

// viewed returns what the view shows of a recording; "" if event types are missing.
func viewed(t testing.TB, rec *mmapjfr.Recording, v *views.View, o table.Options) string {
	t.Helper()
	st, err := v.Statement(nil, query.Options{JDK: true})
	require.NoError(t, err)
	recs := []*mmapjfr.Recording{rec}
	types, _ := mmapjfr.EventTypes(recs)
	plan, err := st.Plan(types, query.Options{JDK: true})
	if err != nil {
		return ""
	}
	found, err := query.Read(t.Context(), recs, []*query.Plan{plan}, query.ReadOptions{})
	require.NoError(t, err)
	r := found[0].Result()
	r.Title, r.Form = v.Label, v.Form
	return show(t, r, o)
}

// counted are views that count all events, and recordings of which jfr counts others: it takes
// each of several types with one name for all of them, knows no types of later chunks or later in a
// chunk, tells empty labels from missing ones, and reads chunks by the clock of the first.
var (
	counted         = []string{"events-by-count", "events-by-name", "recording"}
	countsDifferent = regexp.MustCompile(`-chunks\.jfr$|-profile|-kinds|concat`)
)

// TestViewsAreThoseOfTheJDK compares each view with what jfr view all-views shows.
func TestViewsAreThoseOfTheJDK(t *testing.T) {
	for i, q := range said.ViewQuestions() {
		o, view := optionsOf(t, q.Words)
		if view != "all-views" || o.Verbose || !longtest.Every(i, 2) {
			continue
		}
		t.Run(strings.Join(append(q.Words, q.Recording), " "), func(t *testing.T) {
			rec := open(t, q.Recording)
			list := standard()
			cut := sections(t, string(said.View(t, q.Recording, q.Words...).Out), list)
			for i, v := range list {
				want, got := cut[i], viewed(t, rec, v, o)
				switch {
				case want == got:
					continue
				case strings.HasPrefix(want, "Can't find"): // then jfr shows nothing of the view
					continue
				case slices.Contains(counted, v.Name) && countsDifferent.MatchString(q.Recording):
					continue
				}
				w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
				n := 0
				for n < min(len(w), len(g))-1 && w[n] == g[n] {
					n++
				}
				assert.Fail(t, v.Name, "line %d\n%q\n%q", n, w[n], g[n])
			}
		})
	}
}
