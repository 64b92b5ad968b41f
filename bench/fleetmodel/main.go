// Command fleetmodel computes what a fleet of recordings costs that is summed up each day, what breaks first, and
// simulates stragglers and lost machines:
//
//	go run ./bench/fleetmodel
//
// docs/FLEET-MODEL.md explains it, and where its numbers come from.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
)

// day is the fleet of a day: a million files and a petabyte.
var day = Fleet{Files: 1e6, Bytes: 1e15, Sigma: 1, Keys: 1, Largest: 1}

// byService is the same with a result for each service and hour, of which the largest has two thousandths.
var byService = Fleet{Files: 1e6, Bytes: 1e15, Sigma: 1, Keys: 24_000, Largest: 0.002}

// Questions, as measured.
var (
	profile = Question{Name: "profile", Speed: 190 * MB, Facts: 1100 * MB, Partial: 210e3, Merged: 20e6, Decode: 150 * MB}
	cpuOnly = Question{Name: "profile -t cpu", Speed: 1200 * MB, Facts: 2000 * MB, Partial: 134e3, Merged: 15e6, Decode: 160 * MB}
	sql     = Question{Name: "query", Speed: 400 * MB, Facts: 1000 * MB, Partial: 5.3e3, Merged: 1e6, Decode: 80 * MB}
	tables  = Question{Name: "export", Speed: 22 * MB, Partial: 12e3, Merged: math.Inf(1), Decode: 100 * MB, Writes: 84}
)

const mib = 1 << 20

// Designs, each with one thing more than the one before. Profiles are made as the seventh says, statements that join or weigh events as
// the sixth; the last two are other ways to divide these.
var designs = []Design{
	{Name: "items of 64 MiB on machines of their own", Item: 64 * mib, Split: 1, Get: 4 * mib, Chunk: 12 * MB, Bundle: 1},
	{Name: "+ up to 16 items of a file together", Item: 64 * mib, Split: 16, Get: 4 * mib, Chunk: 12 * MB, Bundle: 1},
	{Name: "+ whole files", Item: 64 * mib, Get: 4 * mib, Chunk: 12 * MB, Bundle: 1},
	{Name: "+ bundles of 100, fan-out 1000", Item: 64 * mib, Get: 4 * mib, Chunk: 12 * MB, Bundle: 100, Fanout: 1000},
	{Name: "+ items of 1 GiB", Item: 1024 * mib, Get: 4 * mib, Chunk: 12 * MB, Bundle: 100, Fanout: 1000},
	{Name: "+ requests of 16 MiB", Item: 1024 * mib, Get: 16 * mib, Chunk: 12 * MB, Bundle: 100, Fanout: 1000},
	{Name: "+ items apart, facts carried by results", Item: 1024 * mib, Split: 1, Get: 16 * mib, Chunk: 12 * MB, Bundle: 100, Fanout: 1000, Facts: FactsCarried},
	{Name: "+ or facts of large files once", Item: 1024 * mib, Split: 1, Get: 16 * mib, Chunk: 12 * MB, Bundle: 100, Fanout: 1000, Facts: FactsOnce},
	{Name: "+ or facts by each range first", Item: 1024 * mib, Split: 1, Get: 16 * mib, Chunk: 12 * MB, Bundle: 100, Fanout: 1000, Facts: FactsInRanges},
}

// cluster has what is done in two hours, at list prices of 2026 for one region of a large cloud.
var cluster = Cluster{
	Cores: 2000, Network: 150 * MB, Memory: 4e9, Deadline: 2 * 3600, Prefixes: 4, Gets: 5500, Puts: 3500, Page: 0.1,
	CoreHour: 0.04, Get1000: 0.0004, Put1000: 0.005, SlowShare: 0.01, SlowFactor: 3, LossPerHour: 0.05,
}

func main() {
	f := flag.CommandLine
	f.IntVar(&cluster.Cores, "cores", cluster.Cores, "how many cores there are")
	f.IntVar(&cluster.Prefixes, "prefixes", cluster.Prefixes, "how many parts of the key space the store serves side by side")
	f.Float64Var(&cluster.Network, "network", cluster.Network, "bytes per second and core")
	f.Float64Var(&cluster.Deadline, "deadline", cluster.Deadline, "seconds that the work may take")
	f.Float64Var(&cluster.CoreHour, "core-hour", cluster.CoreHour, "dollars for an hour of a core")
	f.Float64Var(&cluster.LossPerHour, "loss", cluster.LossPerHour, "how often a core is lost in an hour")
	scale := f.Float64("scale", 0.1, "the share of the fleet, and of the cores, that is simulated")
	seed := f.Uint64("seed", 1, "the seed of the simulation")
	flag.Parse()
	loads(os.Stdout)
	stragglers(os.Stdout, *scale, *seed)
}

// loads prints what designs ask of the cluster.
func loads(w io.Writer) {
	for _, fleet := range []Fleet{day, byService} {
		for _, q := range []Question{profile, cpuOnly, sql, tables} {
			fmt.Fprintf(w, "\n%s, %d results\n", q.Name, fleet.Keys)
			for _, d := range designs {
				l := Expect(fleet, q, d, cluster)
				fmt.Fprintf(w, "  %-42s %8.0f core hours  %7.1f PB fetched  %6.0f M GETs  %6.1f M PUTs  %7.1f GB shuffled  $%.0f + $%.0f\n", d.Name,
					l.CoreSeconds/3600, l.Fetched/1e15, l.Gets/1e6, l.Puts/1e6, l.Shuffle/1e9, l.ComputeDollars, l.RequestDollars)
				for i, limit := range worst(l.Limits(fleet, cluster)) {
					if i < 3 {
						fmt.Fprintf(w, "      %6.2f of %s\n", limit.Ratio, limit.What)
					}
				}
			}
		}
	}
}

// worst returns limits with the one first that breaks first.
func worst(list []Limit) []Limit {
	slices.SortStableFunc(list, func(a, b Limit) int { return cmp.Compare(b.Ratio, a.Ratio) })
	return list
}

// stragglers prints simulated runs of a share of the fleet.
func stragglers(w io.Writer, scale float64, seed uint64) {
	f, c := day, cluster
	f.Files, f.Bytes, c.Cores = int(float64(f.Files)*scale), f.Bytes*scale, int(float64(c.Cores)*scale)
	fmt.Fprintf(w, "\nsimulated: %d files, %.0f TB, %d cores\n", f.Files, f.Bytes/1e12, c.Cores)
	for _, sigma := range []float64{0, 1, 2} {
		for _, change := range []struct {
			name       string
			slow, loss float64
		}{{"all cores alike", 0, 0}, {"1 % slow", cluster.SlowShare, 0}, {"and lost", cluster.SlowShare, cluster.LossPerHour}} {
			for _, d := range []Design{designs[0], designs[1], designs[5], designs[6], designs[7], designs[8]} {
				f.Sigma, c.SlowShare, c.LossPerHour = sigma, change.slow, change.loss
				r := Simulate(f, profile, d, c, seed)
				ideal := f.Bytes / min(profile.Speed, c.Network) / float64(c.Cores)
				fmt.Fprintf(w, "  sigma %.0f, %-15s %-42s %7d tasks  %5.2f of the ideal time  longest task %6.0f s  lost %5.2f %%  fetched %5.2f times\n",
					sigma, change.name, d.Name, r.Tasks, r.Seconds/ideal, r.Longest, 100*r.Lost/r.Busy, r.Fetched/f.Bytes)
			}
		}
	}
}
