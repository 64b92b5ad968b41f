package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/oracle"
)

// writesStacks is a script that writes collapsed stacks to the file of its last argument.
const writesStacks = `for last; do :; done; printf 'a;b 3\na;c 4\n' >"$last"`

// fakeProfilers makes programs that look like the peers, and returns flags that name them.
func fakeProfilers(t *testing.T, java, mjfr string) []string {
	fakeJDK(t, `[ "$1" = --version ] && echo VM && exit; `+java, "exit 1", "exit 0")
	t.Setenv("PATH", t.TempDir()) // without go
	maven, own := t.TempDir(), filepath.Join(t.TempDir(), "mjfr")
	for _, a := range append(jmcJars, jfrconvJar) {
		_, err := a.in(maven)
		require.ErrorContains(t, err, a.version+" fetches it")
		jar, _, _ := strings.Cut(err.Error(), " is missing; mvn dependency:get -Dartifact=")
		require.NoError(t, os.MkdirAll(filepath.Dir(jar), 0o700))
		require.NoError(t, os.WriteFile(jar, nil, 0o600))
	}
	require.NoError(t, os.WriteFile(own, []byte("#!/bin/sh\n"+mjfr+"\n"), 0o700))
	return []string{"-runs", "2", "-maven", maven, "-mjfr", own, "-only", "html,collapsed,grafana,jmc", "../../testdata/jdk25-profile.jfr"}
}

func TestPeersOfProfiles(t *testing.T) {
	code, report := comparison(t, fakeProfilers(t, writesStacks, strings.ReplaceAll(writesStacks, "3", "5"))...)
	require.Equal(t, exitOK, code, report)
	figures := strings.Repeat(` [0-9.]+ \S+ \| [0-9.]+ \S+ \| \S+ \|`, 3)
	require.Regexp(t, `(?s)^\| profile \|[^\n]*\n\|---[^\n]*\n\| collapsed \| jfrconv 4.5 \|`+figures+` 2 \|\n\| html \| jfrconv 4.5 \|`+figures+` 2 \|\n`+
		`\| grafana \| Grafana's parser [0-9.]+ \|( - \|){9} missing \|\n\| jmc \| JMC 9.1.1 \|`+figures+` 2 \|\n\n`, report)
	require.Contains(t, report, "\n- collapsed: jfrconv 4.5. Both write a line for each stack, jfrconv in one thread. jfrconv counted 7 samples, mjfr 9 samples.\n")
	require.Regexp(t, `- grafana with Grafana's parser [0-9.]+ was not measured: the program that uses Grafana's parser could not be built; Go is needed, and -fetch`, report)
}

func TestPeersOfProfilesThatFail(t *testing.T) {
	code, report := comparison(t, fakeProfilers(t, "echo 'no luck' >&2; exit 1", writesStacks)...)
	require.Equal(t, exitDamaged, code)
	require.Contains(t, report, "- error in html with jfrconv 4.5, so no times are shown: java: exit status 1: no luck\n")
}

func TestPeersOfProfilesWithoutMjfr(t *testing.T) {
	fakeJDK(t, "echo VM", "exit 1", "exit 0")
	t.Setenv("PATH", t.TempDir())
	code, report := comparison(t, "-only", "html", "../../testdata/jdk25-profile.jfr")
	require.Equal(t, exitOK, code)
	require.Contains(t, report, "- html with jfrconv 4.5 was not measured: mjfr is neither beside jfrbench nor on PATH")
}

func TestOptionsOfJfrconv(t *testing.T) {
	maven := t.TempDir()
	for want, events := range map[string][]string{
		"-jar JAR --cpu -o html FILE OUT":      {"jdk.ExecutionSample"},
		"-jar JAR --cpu-time -o html FILE OUT": {"jdk.ExecutionSample", "jdk.NativeMethodSample", "jdk.CPUTimeSample"},
		"-jar JAR -o html FILE OUT":            {"jdk.ExecutionSample", "jdk.NativeMethodSample"},
		"-jar JAR --lock -o html FILE OUT":     nil,
	} {
		p := profilers{sides: sides{file: "FILE", repository: maven}, kind: "cpu", types: map[string]oracle.Count{}}
		for _, e := range events {
			p.types[e] = oracle.Count{Events: 1}
		}
		if events == nil {
			p.kind = "lock"
		}
		run, err := p.jfrconv(t.Context(), "html", "OUT")
		require.ErrorContains(t, err, "mvn dependency:get -Dartifact=tools.profiler:jfr-converter:4.5 fetches it")
		args := run().Args[1:]
		args[1] = "JAR"
		require.Equal(t, want, strings.Join(args, " "))
	}
}

func TestWeightOfCollapsedStacks(t *testing.T) {
	for text, want := range map[string]uint64{"": 0, "a;b c 3\nd 4\n": 7, "a;b 3\n<html>": 0, "\x1f\x8b\x00": 0, "a -5\n": 0} {
		sum, err := collapsedWeight(writeFile(t, []byte(text)))
		require.NoError(t, err)
		require.Equal(t, want, sum, text)
	}
}
