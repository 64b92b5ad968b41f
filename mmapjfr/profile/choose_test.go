package profile_test

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mmapjfr/jfr/internal/profiles"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

// TestChoosePools makes one thread of those whose names differ in their last number.
func TestChoosePools(t *testing.T) {
	for name, want := range map[string]string{
		"http-nio-8080-exec-12": "[http-nio-8080-exec-*]", "GC Thread#3": "[GC Thread#*]", "C2 CompilerThread0": "[C2 CompilerThread*]",
		"main": "[main]", "": "[*]", "17": "[*]",
	} {
		p := profile.New()
		k := profile.Kinds()[0]
		p.AddKind(k)
		p.Add(k.Name, p.Push(0, p.AddText("run")), p.AddLabels(profile.Labels{Thread: name, ThreadID: 7}), 1, 2)
		p.Add(k.Name, p.Push(0, p.AddText("run")), p.AddLabels(profile.Labels{Thread: name, ThreadID: 8}), 1, 2)
		q := p.Choose(profile.Choice{Pools: true, Threads: true})
		samples := 0
		for s := range q.Samples() {
			samples++
			assert.Equal(t, want, q.Labels(s.Labels).ThreadName())
			assert.Equal(t, []int64{2, 4}, s.Values)
			var frames []string
			for _, f := range q.Stack(s.Stack) {
				frames = append(frames, f.Method.Name)
			}
			assert.Equal(t, []string{"run", want}, frames)
		}
		assert.Equal(t, 1, samples)
	}
	p := profile.New()
	p.AddKind(untyped)
	p.Add("samples", 0, p.AddLabels(profile.Labels{}), 1)
	for s := range p.Choose(profile.Choice{Pools: true}).Samples() {
		assert.Equal(t, "[no thread]", p.Labels(s.Labels).ThreadName())
	}
}

// TestClassify names what the virtual machine did, by the frames from the outermost on.
func TestClassify(t *testing.T) {
	const native, cpp = profile.Native, profile.Cpp
	type frame struct {
		class, name string
		kind        profile.FrameKind
	}
	for want, frames := range map[string][]frame{
		"[gc]":            {{"", "start_thread", native}, {"", "java_start", cpp}, {"", "WorkerThread::run", cpp}},
		"[jit]":           {{"", "thread_native_entry", cpp}, {"", "CompileBroker::compiler_thread_loop", cpp}, {"", "Verifier::verify", cpp}},
		"[vm]":            {{"", "thread_native_entry", cpp}, {"", "VMThread::run", cpp}},
		"[vtable_stubs]":  {{"a/A", "b", profile.JITCompiled}, {"", "itable stub", native}},
		"[native]":        {{"a/A", "b", profile.JITCompiled}, {"libc.so", "read", native}, {"", "vfs_read", profile.Kernel}},
		"[Interpreter]":   {{"a/A", "b", profile.Interpreted}, {"", "I2C/C2I adapters", native}},
		"[c1_comp]":       {{"a/A", "b", profile.JITCompiled}, {"", "Runtime1::new_instance", cpp}},
		"[c2_comp]":       {{"a/A", "b", profile.JITCompiled}, {"a/A", "c", profile.Inlined}, {"", "jbyte_arraycopy", native}},
		"[c2i_adapter]":   {{"a/A", "b", profile.JITCompiled}, {"", "I2C/C2I adapters", native}},
		"[class_init]":    {{"a/A", "b", profile.JITCompiled}, {"", "InstanceKlass::initialize_impl", cpp}},
		"[class_load]":    {{"java/lang/ClassLoader", "loadClass", profile.JITCompiled}, {"a/A", "b", profile.Interpreted}},
		"[class_resolve]": {{"a/A", "b", profile.JITCompiled}, {"", "LinkResolver::resolve_invoke", cpp}},
		"[class_verify]":  {{"a/A", "b", profile.JITCompiled}, {"", "Verifier::verify", cpp}},
		"[lambda_init]":   {{"java/lang/invoke/LambdaMetafactory", "metafactory", profile.Inlined}, {"a/A", "b", profile.C1Compiled}},
	} {
		p := profile.New()
		p.AddKind(untyped)
		s := p.Push(0, p.AddText("[truncated]"))
		for _, f := range frames {
			s = p.Push(s, p.AddFrame(profile.Frame{Method: profile.Method{Class: f.class, Name: f.name}, Kind: f.kind}))
		}
		p.Add("samples", s, p.AddLabels(profile.Labels{}), 1)
		p.Add("samples", 0, p.AddLabels(profile.Labels{}), 1)
		q := p.Choose(profile.Choice{Classify: true})
		outermost := make(map[string]int64)
		for s := range q.Samples() {
			name := ""
			for _, f := range q.Stack(s.Stack) {
				name = f.Method.Name
			}
			outermost[name] += s.Values[0]
		}
		assert.Equal(t, map[string]int64{want: 1, "": 1}, outermost)
	}
}

// TestChooseKinds keeps kinds, and of the rest nothing.
func TestChooseKinds(t *testing.T) {
	p := profile.New()
	for _, k := range profile.Kinds() {
		if k.Name == "cpu" || k.Name == "wall" {
			p.AddKind(k)
			p.Add(k.Name, p.Push(0, p.AddText("of "+k.Name)), p.AddLabels(profile.Labels{}), 1, 2)
		}
	}
	q := p.Choose(profile.Choice{Kinds: []string{"wall"}})
	assert.Len(t, q.Kinds(), 1)
	assert.Equal(t, 1, q.Frames())
	assert.Equal(t, 2, profiles.Stacks(q))
	q = p.Choose(profile.Choice{Include: []*regexp.Regexp{regexp.MustCompile("wall")}})
	assert.Len(t, q.Kinds(), 2)
	assert.Equal(t, 1, q.Frames())
}

// TestChooseJavaOnly keeps samples that have no frame of Java.
func TestChooseJavaOnly(t *testing.T) {
	p := profile.New()
	p.AddKind(untyped)
	native := p.Push(0, p.AddFrame(profile.Frame{Method: profile.Method{Class: "libc.so", Name: "read"}, Kind: profile.Native}))
	p.Add("samples", native, p.AddLabels(profile.Labels{}), 1)
	p.Add("samples", p.Push(native, 0), p.AddLabels(profile.Labels{}), 2)
	p.Add("samples", 0, p.AddLabels(profile.Labels{}), 4)
	q := p.Choose(profile.Choice{JavaOnly: true})
	sums := make(map[string]int64)
	for s := range q.Samples() {
		name := ""
		for _, f := range q.Stack(s.Stack) {
			name += profile.Names{}.Frame(f)
		}
		sums[name] = s.Values[0]
	}
	assert.Equal(t, map[string]int64{"(no stack)": 3, "": 4}, sums)
}

// TestNormalize gives hidden classes one name, and no other class.
func TestNormalize(t *testing.T) {
	for name, want := range map[string]string{
		"a/B$$Lambda$98+0x00007fcf7400dc98/1637061418": "a/B$$Lambda", "a/B$$Lambda$47/399573350": "a/B$$Lambda", "a.B$$Lambda/0x000000006a040c20": "a.B$$Lambda",
		"a/B$$Lambda+0x800000033": "a/B$$Lambda", "a/B$$Lambda.0x0000c0": "a/B$$Lambda", "java/lang/invoke/LambdaForm$MH/0x0123": "java/lang/invoke/LambdaForm$MH",
		"java/lang/invoke/LambdaForm$MH+0x01/12": "java/lang/invoke/LambdaForm$MH", "a/dead": "a/dead", "a/b/c": "a/b/c", "a/B$1": "a/B$1",
	} {
		assert.Equal(t, want, profiles.ObjectName(profile.Names{Normalize: true}, name))
	}
}
