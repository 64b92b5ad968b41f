package main

import (
	"io"
	"runtime"
	"strings"
	"time"

	"github.com/mmapjfr/jfr/internal/jsonout"
)

// peersDocument is a comparison for programs. Names of its members never change.
type peersDocument struct {
	File      string      `json:"file"`
	Bytes     int64       `json:"bytes"`
	Chunks    int         `json:"chunks"`
	Events    uint64      `json:"events"`
	OS        string      `json:"os"`
	Arch      string      `json:"arch"`
	Processor string      `json:"processor,omitempty"`
	Cores     int         `json:"cores"`
	JDK       string      `json:"jdk"`
	Jfrbench  string      `json:"jfrbench"`
	Type      string      `json:"type,omitempty"`
	Works     []peersWork `json:"works"`
}

type peersWork struct {
	Work   string    `json:"work"`
	Peer   string    `json:"peer"`
	Note   string    `json:"note"`
	Events uint64    `json:"events"`
	Runs   int       `json:"runs"`
	JDK    peersSide `json:"jdk"`
	Ours   peersSide `json:"jfrbench"`
	// The ratios are null if a time is missing.
	ProcessRatio *float64 `json:"process_ratio"`
	LoopRatio    *float64 `json:"loop_ratio"`
	Error        string   `json:"error,omitempty"`
}

// peersSide is what one side took: every run in its order, and the medians, which
// are null for what was not measured.
type peersSide struct {
	Process       []float64 `json:"process_seconds"`
	Loop          []float64 `json:"loop_seconds"`
	MedianProcess *float64  `json:"process_median_seconds"`
	MedianLoop    *float64  `json:"loop_median_seconds"`
}

// writePeersJSON writes a comparison on a line.
func writePeersJSON(w io.Writer, r *peersReport) {
	d := peersDocument{
		File: r.file, Bytes: r.size, Chunks: r.chunks, Events: r.events,
		OS: runtime.GOOS, Arch: runtime.GOARCH, Processor: r.cpu, Cores: runtime.NumCPU(),
		JDK: r.jdk, Jfrbench: strings.TrimSpace(version()), Type: r.typeName,
		Works: make([]peersWork, 0, len(r.rows)),
	}
	for i := range r.rows {
		d.Works = append(d.Works, newPeersWork(&r.rows[i]))
	}
	_ = jsonout.New(w).Encode(&d) // it writes to memory, and all numbers are finite
}

func newPeersWork(r *peersRow) peersWork {
	work := peersWork{
		Work: r.work, Peer: r.peer, Note: r.note, Events: r.events, Runs: min(len(r.theirs), len(r.ours)),
		JDK: newPeersSide(r.theirs), Ours: newPeersSide(r.ours),
	}
	if f, ok := r.ratio(processTime); ok {
		work.ProcessRatio = &f
	}
	if f, ok := r.ratio(loopTime); ok {
		work.LoopRatio = &f
	}
	if r.err != nil {
		work.Error = r.err.Error()
	}
	return work
}

func newPeersSide(laps []lap) peersSide {
	s := peersSide{Process: seconds(laps, processTime), Loop: seconds(laps, loopTime)}
	if len(s.Process) > 0 {
		m := median(laps, processTime).Seconds()
		s.MedianProcess = &m
	}
	if len(s.Loop) > 0 {
		m := median(laps, loopTime).Seconds()
		s.MedianLoop = &m
	}
	return s
}

// seconds returns a time of each lap that has it.
func seconds(laps []lap, of func(lap) time.Duration) []float64 {
	list := make([]float64, 0, len(laps))
	for _, l := range laps {
		if t := of(l); t > 0 {
			list = append(list, t.Seconds())
		}
	}
	return list
}
