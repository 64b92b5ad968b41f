package profile

import "strings"

// category is what a virtual machine did: a frame at the root of stacks, drawn as code of a kind.
type category struct {
	name string
	kind FrameKind
}

// The categories are those of the converter of async-profiler.
var (
	categoryGC          = category{"[gc]", Cpp}
	categoryJIT         = category{"[jit]", Cpp}
	categoryVM          = category{"[vm]", Cpp}
	categoryTable       = category{"[vtable_stubs]", Native}
	categoryNative      = category{"[native]", Native}
	categoryInterpreter = category{"[Interpreter]", Native}
	categoryC1          = category{"[c1_comp]", C1Compiled}
	categoryC2          = category{"[c2_comp]", Inlined}
	categoryAdapter     = category{"[c2i_adapter]", Inlined}
	categoryClassInit   = category{"[class_init]", Cpp}
	categoryClassLoad   = category{"[class_load]", Cpp}
	categoryResolve     = category{"[class_resolve]", Cpp}
	categoryVerify      = category{"[class_verify]", Cpp}
	categoryLambda      = category{"[lambda_init]", Cpp}
)

// step is a frame of a stack by name.
type step struct {
	name string
	kind FrameKind
}

// category returns the category of a stack that has frames.
func (p *Profile) category(s StackID) category {
	var list []step // the innermost first
	for _, f := range p.Stack(s) {
		list = append(list, step{Names{}.method(f.Method, f.Kind), f.Kind})
	}
	if c, ok := threadCategory(list); ok {
		return c
	}
	for i, f := range list {
		if c, ok := f.category(list[i+1:]); ok {
			return c
		}
	}
	return codeCategory(list)
}

// threadCategory returns what a thread of the virtual machine is for, by its outermost frames.
func threadCategory(list []step) (c category, ok bool) {
	for i := len(list) - 1; i >= 0; i-- {
		switch f := list[i]; {
		case f.kind == Native || f.kind == Text:
		case f.kind != Cpp:
			return c, ok
		case f.name == "CompileBroker::compiler_thread_loop":
			return categoryJIT, true
		case f.name == "GCTaskThread::run" || f.name == "WorkerThread::run":
			return categoryGC, true
		case f.name == "java_start" || f.name == "thread_native_entry":
			c, ok = categoryVM, true
		}
	}
	return c, ok
}

// category returns what a function is for, wherever it is in a stack: called by the frames that are
// given.
func (f step) category(callers []step) (c category, ok bool) {
	begins := func(text string) bool { return strings.HasPrefix(f.name, text) }
	ends := func(text string) bool { return strings.HasSuffix(f.name, text) }
	switch {
	case f.name == "Verifier::verify":
		return categoryVerify, true
	case begins("InstanceKlass::initialize"):
		return categoryClassInit, true
	case begins("LinkResolver::") || begins("InterpreterRuntime::resolve") || begins("SystemDictionary::resolve"):
		return categoryResolve, true
	case ends("ClassLoader.loadClass"):
		return categoryClassLoad, true
	case ends("LambdaMetafactory.metafactory") || ends("LambdaMetafactory.altMetafactory"):
		return categoryLambda, true
	case ends("table stub"):
		return categoryTable, true
	case f.name == "Interpreter":
		return categoryInterpreter, true
	case begins("I2C/C2I"):
		if len(callers) > 0 && callers[0].kind == Interpreted {
			return categoryInterpreter, true
		}
		return categoryAdapter, true
	}
	return c, false
}

// codeCategory returns how the innermost method of Java was executed, if it called no native code but
// what belongs to it.
func codeCategory(list []step) category {
	compiled := map[FrameKind]category{Interpreted: categoryInterpreter, JITCompiled: categoryC2, C1Compiled: categoryC1}
	inJava := true
	for _, f := range list {
		begins := func(text string) bool { return strings.HasPrefix(f.name, text) }
		switch f.kind {
		case Interpreted, JITCompiled, C1Compiled:
			if !inJava {
				return categoryNative
			}
			return compiled[f.kind]
		case Inlined:
			inJava = true
		case Native:
			switch f.name {
			case "call_stub", "deoptimization", "unknown_Java", "not_walkable_Java", "InlineCacheBuffer":
				return categoryVM
			}
			if begins("JVM_") || begins("Unsafe_") || begins("MHN_") || begins("jni_") {
				return categoryVM
			}
			inJava = inJava && (strings.HasSuffix(f.name, "_arraycopy") || strings.Contains(f.name, "pthread_cond"))
		case Cpp:
			if begins("Runtime1::") {
				return categoryC1
			}
		}
	}
	return categoryNative
}
