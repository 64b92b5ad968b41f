package batch

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"github.com/mmapjfr/jfr/internal/labels"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// Part is a range of an object.
type Part struct {
	Object  string `json:"object"`
	Version string `json:"version,omitempty"`
	// Source is the URI, if the name of the object is without its secrets. Results and names of items do not have it.
	Source string `json:"source,omitempty"`
	// From is the offset of the first byte, and To the one after the last; 0 is the end. Both are 0 for all of it.
	From uint64 `json:"from,omitempty"`
	To   uint64 `json:"to,omitempty"`

	// isLarge says that the object is read by as many goroutines as there are processors; otherwise items are read side by
	// side.
	isLarge bool
}

func (p Part) chunks() mmapjfr.ChunkRange { return mmapjfr.ChunkRange{From: p.From, To: p.To} }

// address returns what to open.
func (p Part) address() string { return cmp.Or(p.Source, p.Object) }

// isWhole reports whether the part is all of its object.
func (p Part) isWhole() bool { return p.From == 0 && p.To == 0 }

// public returns parts as results have them: without what may be secret.
func public(parts []Part) []Part {
	parts = slices.Clone(parts)
	for i := range parts {
		parts[i].Source, parts[i].isLarge = "", false
	}
	return parts
}

func (p Part) compare(o Part) int {
	if c := strings.Compare(p.Object, o.Object); c != 0 {
		return c
	}
	switch {
	case p.From < o.From:
		return -1
	case p.From > o.From:
		return 1
	}
	return 0
}

// Label is a label that a result is for.
type Label struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Item is what one machine does at once: ranges of objects that have the same key.
type Item struct {
	Key   []Label
	Parts []Part
	// Labels are the labels of the objects, in the order of Parts, if [PlanOptions].Labels asks for them. All have the same
	// names in one order.
	Labels [][]Label `json:",omitempty"`
	// Unlisted is damage of an item without parts: an object of which listing has found that it cannot be read now.
	Unlisted []Damage `json:",omitempty"`
}

// PlanOptions say how objects become items.
type PlanOptions struct {
	// By are the names of labels; there is a result for each of their values. An object without a label has "".
	By      []string
	Labeler *Labeler
	// Labels says that items have all labels of their objects: those of an [Export], whose table of recordings has them.
	Labels bool
	// Size is about how many bytes an item has; 0 is 64 MiB.
	Size int64
	// Most is how many parts an item has at most; 0 is any number. Items of an [Export] have all their objects open.
	Most int
	// Apart are names of objects that are in no item with others: those of [Unlisted] of the folder.
	Apart map[string]bool
	// CanDivide reports whether ranges of an object can be read, if their answers add up; nil asks the file whether it begins as a
	// recording that is not packed. It is called for objects that are larger than Size.
	CanDivide func(o Object) bool
}

// defaultSize is about how many bytes an item has.
const defaultSize = 64 << 20

// unknownSize is what an object is taken for whose size is not known.
const unknownSize = 1 << 20

// An object has at most maxRanges ranges, and the objects of a plan have about maxItems together: sizes are whatever lists and
// servers say.
const (
	maxRanges = 1 << 14
	maxItems  = 1 << 22
)

// divided returns how many bytes a range has: size, or a multiple of it if the ranges of objects would be too many.
func divided(objects []Object, size int64) int64 {
	for ; ; size *= 2 {
		most, total := int64(0), int64(0)
		for i := range objects {
			if n := objects[i].Size / size; n > 0 && objects[i].unlisted() == nil {
				most, total = max(most, n), total+n
			}
		}
		if most < maxRanges && total <= maxItems {
			return size
		}
	}
}

// Plan returns the items of objects for a question. The same objects give the same items. Large objects are divided into ranges
// if their answers add up; ranges are larger than [PlanOptions].Size says if there would be millions. Objects that are not to be read, see [Object.Err], are items without parts, at the end.
func Plan(q Question, objects []Object, o PlanOptions) (items []Item) {
	if o.Size <= 0 {
		o.Size = defaultSize
	}
	step := divided(objects, o.Size)
	if o.Labeler == nil {
		o.Labeler = &Labeler{}
	}
	switch {
	case !q.isDivisible():
		o.CanDivide = func(Object) bool { return false }
	case o.CanDivide == nil:
		o.CanDivide = isPlain
	}
	type bin struct {
		key     []Label
		objects []Object
	}
	bins := make(map[string]*bin)
	var keys []string
	for _, object := range objects {
		var key []Label
		if len(o.By) > 0 {
			found := o.Labeler.Labels(object)
			for _, name := range o.By {
				key = append(key, Label{name, found[name]})
			}
		}
		text := KeyText(key)
		if bins[text] == nil {
			bins[text], keys = &bin{key: key}, append(keys, text)
		}
		bins[text].objects = append(bins[text].objects, object)
	}
	slices.Sort(keys)
	var unlisted []Item
	for _, text := range keys {
		b := bins[text]
		b.objects = slices.DeleteFunc(b.objects, func(o Object) bool {
			err := o.unlisted()
			if err != nil {
				unlisted = append(unlisted, Item{Key: b.key, Unlisted: []Damage{{Object: o.Name, Error: err.Error(), Unread: true, Again: true}}})
			}
			return err != nil
		})
		first := len(items)
		items = append(items, pack(b.key, slices.DeleteFunc(slices.Clone(b.objects), o.isApart), step, &o)...)
		for _, object := range b.objects {
			if o.isApart(object) {
				items = append(items, pack(b.key, []Object{object}, step, &o)...)
			}
		}
		if o.Labels {
			o.addLabels(items[first:], b.objects)
		}
	}
	return append(items, unlisted...)
}

func (o *PlanOptions) isApart(object Object) bool { return o.Apart[object.Name] }

// addLabels adds the labels of objects to items. Names are those of the template, those of the key, and then others of an
// item's objects: an item does not depend on others.
func (o *PlanOptions) addLabels(items []Item, objects []Object) {
	of := make(map[string]map[string]string)
	for _, object := range objects {
		of[object.Name] = o.Labeler.Labels(object)
	}
	first := slices.Clone(o.Labeler.template.Names())
	for _, name := range o.By {
		if !slices.Contains(first, name) {
			first = append(first, name)
		}
	}
	for i := range items {
		var all []map[string]string
		for _, p := range items[i].Parts {
			all = append(all, of[p.Object])
		}
		names := labels.Order(first, slices.Values(all))
		for _, found := range all {
			var list []Label
			for _, name := range names {
				list = append(list, Label{name, found[name]})
			}
			if len(list) > 0 {
				items[i].Labels = append(items[i].Labels, list)
			}
		}
	}
}

// pack returns the items of objects with a key. A range has step bytes.
func pack(key []Label, objects []Object, step int64, o *PlanOptions) (items []Item) {
	open, size := Item{Key: key}, int64(0)
	for _, object := range objects {
		part := Part{Object: object.Name, Version: object.Version, Source: object.source, isLarge: object.Size > o.Size}
		if object.Size > o.Size && o.CanDivide(object) {
			for from := int64(0); from < object.Size; from += step {
				part.From, part.To = uint64(from), uint64(from+step)
				if from+step >= object.Size {
					part.To = 0
				}
				items = append(items, Item{Key: key, Parts: []Part{part}})
			}
			continue
		}
		n := object.Size
		if n == 0 {
			n = unknownSize
		}
		if size += n; len(open.Parts) > 0 && (size > o.Size || len(open.Parts) == o.Most) {
			items = append(items, open)
			open, size = Item{Key: key}, n
		}
		open.Parts = append(open.Parts, part)
	}
	if len(open.Parts) > 0 {
		items = append(items, open)
	}
	return items
}

// name returns the name of an item: a hash of the question, the key, and the objects and their versions.
func (i Item) name(question string) string {
	i.Parts = public(i.Parts)
	text, err := json.Marshal(struct {
		Format   int
		Question string
		Item     Item
	}{formatVersion, question, i})
	if err != nil {
		panic(err) // strings and numbers can always be marshalled
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}
