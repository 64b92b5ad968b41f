package fleet

import (
	"fmt"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/mmapjfr/jfr/cmd/mjfr/answers"
	"github.com/mmapjfr/jfr/mmapjfr/batch"
)

// Job says what is read, and what is written. It goes to all workers.
type Job struct {
	// Note is the command line of the question, as [answers.Command] returns it.
	Note []string
	// Inputs are files, folders, patterns, and what stands for objects of servers. Manifest, if it is not empty, is the list of
	// recordings in their place: a file, or an object that Beam's file systems open.
	Inputs   []string
	Manifest string
	// Key are the names of labels; there is a result for each of their values. Labels is the template that finds them in
	// names, see [batch.NewLabeler].
	Key    []string
	Labels string
	// ItemSize is about how many bytes an item has; 0 is 64 MiB. Split is how many items of an object a worker gets; 0 is 16.
	ItemSize int64
	Split    int
	// Fanout is by how many workers partial results of a key are merged before one merges the rest; 0 and 1 are none.
	Fanout int
	// Out is the folder for results: of the local file system, or one that Beam's file systems know.
	Out string
	// Names are the names of the files of a key; their endings say the format. A data set has names of its own.
	Names []string
	// Diff, if it is not empty, is a label of the key, and maybe two of its values: "service=a,b". Differences are
	// written from the first value to the second, or from each value to the next one by [batch.CompareValues].
	Diff string
}

const (
	defaultItemSize = 64 << 20
	defaultSplit    = 16
)

// itemSize returns how many bytes an item has.
func (j *Job) itemSize() int64 {
	if j.ItemSize <= 0 {
		return defaultItemSize
	}
	return j.ItemSize
}

// isDataSet reports whether files are written where items are read, and not by key.
func (j *Job) isDataSet() bool { return len(j.Note) > 0 && j.Note[0] == "export" }

// diff returns the label that differences are by, and its values, if they are given.
func (j *Job) diff() (label string, values []string) {
	label, list, given := strings.Cut(j.Diff, "=")
	if given {
		values = strings.Split(list, ",")
	}
	return label, values
}

// check returns an error if a job cannot be done.
func (j *Job) check() error {
	if len(j.Note) == 0 {
		return fmt.Errorf("the job has no question")
	}
	q, err := answers.Question(j.Note)
	if err != nil {
		return err
	}
	if _, err := batch.NewLabeler(j.Labels); err != nil {
		return err
	}
	label, values := j.diff()
	switch {
	case j.Out == "":
		return fmt.Errorf("the job has no folder for results")
	case j.isDataSet() && isRemote(q.(*batch.Export).Dir):
		return fmt.Errorf("tables are written to a folder of the file system, which all workers share, and not to %s", q.(*batch.Export).Dir)
	case len(j.Names) == 0 && !j.isDataSet():
		return fmt.Errorf("the job names no files for results")
	case j.Diff == "":
	case j.Note[0] != "profile":
		return fmt.Errorf("differences are those of profiles, not of a %s", j.Note[0])
	case !slices.Contains(j.Key, label):
		return fmt.Errorf("differences are by a label of the key, which has no %s", label)
	case values != nil && (len(values) != 2 || values[0] == values[1]):
		return fmt.Errorf("differences are between two values of %s, as in %s=1,2", label, label)
	}
	return nil
}

// Build adds the steps of a job to a pipeline.
func Build(s beam.Scope, j Job) error {
	if err := j.check(); err != nil {
		return err
	}
	s = s.Scope("mjfr " + j.Note[0])
	works := beam.Reshuffle(s, beam.ParDo(s, &listFn{Job: j}, beam.Impulse(s)))
	sums := beam.ParDo(s, &readFn{Note: j.Note, Fanout: j.Fanout}, works)
	if j.Fanout > 1 {
		sums = beam.ParDo(s, &gatherFn{}, beam.CombinePerKey(s, &sumFn{Note: j.Note}, sums))
	}
	sums = beam.CombinePerKey(s, &sumFn{Note: j.Note}, sums)
	var lines beam.PCollection
	if j.isDataSet() {
		lines = beam.ParDo(s, &completeFn{Job: j}, beam.GroupByKey(s, beam.AddFixedKey(s, beam.DropKey(s, sums))))
	} else {
		fits := beam.Combine(s, &fitsSumFn{}, beam.ParDo(s, &fitsFn{Note: j.Note}, sums))
		lines = beam.ParDo(s, &writeFn{Job: j}, sums, beam.SideInput{Input: fits})
	}
	if j.Diff != "" {
		of := beam.ParDo(s, &pairFn{Job: j}, sums)
		lines = beam.Flatten(s, lines, beam.ParDo(s, &compareFn{Job: j}, beam.GroupByKey(s, of)))
	}
	beam.ParDo0(s, &reportFn{Out: j.Out}, beam.GroupByKey(s, beam.AddFixedKey(s, lines)))
	return nil
}
