package internal_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jdk"
)

// fakeJDK makes a folder that looks like the home of a JDK.
func fakeJDK(t *testing.T, home, version string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the fake commands are shell scripts")
	}
	require.NoError(t, os.MkdirAll(filepath.Join(home, "bin"), 0o700))
	for _, name := range []string{"java", "jfr"} {
		require.NoError(t, os.WriteFile(filepath.Join(home, "bin", name), []byte("#!/bin/sh\necho "+version+"\n"), 0o700))
	}
	return home
}

func addRelease(t *testing.T, home, version string) {
	t.Helper()
	text := "IMPLEMENTOR=\"X\"\nJAVA_VERSION=\"" + version + "\"\n"
	require.NoError(t, os.WriteFile(filepath.Join(home, "release"), []byte(text), 0o600))
}

func TestJDKJudge(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	dir = filepath.Join(dir, "odd [name]")
	jdk17 := fakeJDK(t, filepath.Join(dir, "jdk-17"), "17.0.1")
	path := filepath.Join(dir, "path")
	require.NoError(t, os.MkdirAll(path, 0o700))
	require.NoError(t, os.Symlink(filepath.Join(jdk17, "bin", "java"), filepath.Join(path, "java")))
	require.NoError(t, os.Symlink(filepath.Join(jdk17, "bin", "jfr"), filepath.Join(path, "jfr")))
	t.Setenv("PATH", path)
	t.Setenv("JAVA25_HOME", "")

	_, ok := jdk.Judge()
	assert.False(t, ok, "only a JDK 17")

	fakeJDK(t, filepath.Join(dir, "jdk-8u251"), "8.0.251")
	_, ok = jdk.Judge()
	assert.False(t, ok, "25 in the name, but an old JDK")

	onPath := fakeJDK(t, filepath.Join(dir, "new"), "26-ea")
	require.NoError(t, os.Remove(filepath.Join(path, "jfr")))
	require.NoError(t, os.Symlink(filepath.Join(onPath, "bin", "jfr"), filepath.Join(path, "jfr")))
	home, ok := jdk.Judge()
	assert.True(t, ok, "the jfr on PATH")
	assert.Equal(t, onPath, home)

	beside := fakeJDK(t, filepath.Join(dir, "temurin-25"), "25.0.3")
	home, ok = jdk.Judge()
	assert.True(t, ok, "beside the java on PATH")
	assert.Equal(t, beside, home)

	named := fakeJDK(t, filepath.Join(dir, "other", "jdk"), "25.0.1")
	t.Setenv("JAVA25_HOME", named)
	home, ok = jdk.Judge()
	assert.True(t, ok, "JAVA25_HOME")
	assert.Equal(t, named, home)
}

func TestJDKJudgeVersion(t *testing.T) {
	home := fakeJDK(t, t.TempDir(), "25.0.3")
	version, err := jdk.JudgeVersion(home)
	require.NoError(t, err)
	assert.Equal(t, "25.0.3", version)

	addRelease(t, home, "27")
	version, err = jdk.JudgeVersion(home)
	require.NoError(t, err)
	assert.Equal(t, "27", version, "the release file is asked first")

	for _, old := range []string{"17.0.1", "1.8.0_25", "", "x"} {
		addRelease(t, home, old)
		_, err = jdk.JudgeVersion(home)
		require.ErrorIs(t, err, jdk.ErrNone, old)
	}
	_, err = jdk.JudgeVersion(t.TempDir())
	require.ErrorIs(t, err, jdk.ErrNone)
}

func TestJDKCommand(t *testing.T) {
	home := fakeJDK(t, t.TempDir(), "25.0.3")
	require.NoError(t, os.WriteFile(filepath.Join(home, "bin", "java"), []byte("#!/bin/sh\necho \"$1 $JAVA_TOOL_OPTIONS$KEPT\"\n"), 0o700))
	t.Setenv("JAVA_TOOL_OPTIONS", "-Xmx1m")
	t.Setenv("KEPT", "kept")
	out, err := jdk.Command(t.Context(), home, "java", "-version").Output()
	require.NoError(t, err)
	assert.Equal(t, "-version kept\n", string(out))

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, jdk.Command(ended, home, "java").Run(), context.Canceled)
}

func TestJDKAllFindsJavaHome(t *testing.T) {
	home := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(home, "bin"), 0o700))
	for _, name := range []string{"java", "jfr", "java.exe", "jfr.exe"} {
		require.NoError(t, os.WriteFile(filepath.Join(home, "bin", name), nil, 0o700))
	}
	release := "IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"99.0.1\"\n"
	require.NoError(t, os.WriteFile(filepath.Join(home, "release"), []byte(release), 0o600))
	t.Setenv("JAVA_HOME", home)
	all := jdk.All()
	require.NotEmpty(t, all)
	last := all[len(all)-1]
	assert.Equal(t, 99, last.Major)
	assert.Equal(t, "99.0.1", last.Version)
}
