package export

import (
	"fmt"

	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

// periods are the period types of the profiles of Grafana's parser, by kind.
var periods = map[string]profile.ValueType{
	"process_cpu":        {Name: "cpu", Unit: profile.Nanoseconds},
	"wall":               {Name: "wall", Unit: profile.Nanoseconds},
	"alloc_in_new_tlab":  {Name: "space", Unit: profile.Bytes},
	"alloc_outside_tlab": {Name: "space", Unit: profile.Bytes},
	"alloc_sample":       {Name: "space", Unit: profile.Bytes},
	"mutex":              {Name: "mutex", Unit: profile.Count},
	"block":              {Name: "block", Unit: profile.Count},
	"live":               {Name: "objects", Unit: profile.Count},
}

// valueName returns the name of a value in a file of pprof, such as cpu or alloc_bytes. Grafana's
// parser names some by themselves.
func (o *Options) valueName(c profile.Column) string {
	if p := periods[c.Kind.Name]; o.Grafana && (p.Name == "cpu" || p.Unit == profile.Count) {
		return c.Kind.Values[c.Value].Name
	}
	if name := c.Kind.Values[c.Value].Name; name != c.Kind.Name {
		return c.Kind.Name + "_" + name
	}
	return c.Kind.Name
}

// period returns the period type of a file with one kind.
func (o *Options) period(k *profile.Kind) profile.ValueType {
	if o.Grafana {
		return periods[k.Name]
	}
	return profile.ValueType{Name: k.Name, Unit: k.Values[k.Main()].Unit}
}

// grafanaLabels are the labels of samples that Grafana's parser has: those of requests.
func grafanaLabels(l profile.Labels) (list []label) {
	if l.SpanID != 0 {
		list = append(list, label{"profile_id", fmt.Sprintf("%016x", uint64(l.SpanID)), 0})
	}
	return append(list, traceLabel(l)...)
}
