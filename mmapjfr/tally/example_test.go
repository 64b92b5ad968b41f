package tally_test

import (
	"cmp"
	"context"
	"fmt"
	"log"
	"time"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/tally"
)

// The methods that were running most often.
func Example() {
	rec, err := mmapjfr.Open("../../testdata/jdk25-profile.jfr")
	if err != nil {
		log.Fatal(err)
	}
	defer rec.Close()
	samples := rec.Select(mmapjfr.Types("jdk.ExecutionSample"))
	methods, err := tally.Count(context.Background(), samples, func(ev mmapjfr.Event) string {
		return ev.StackTrace().Frame(0).Method().Signature()
	})
	if err != nil {
		log.Print(err) // what could not be read; all else is counted
	}
	for _, m := range methods.TopByCount(20) {
		fmt.Println(m.Count, m.Key)
	}
	// Output:
	// 11 gen.Loaders$Loaded.run()
	// 10 gen.Stacks.hash(int)
	// 2 java.util.HashMap.put(Object, Object)
	// 2 jdk.internal.classfile.impl.DirectCodeBuilder.build(MethodInfo, Consumer, SplitConstantPool, ClassFileImpl, CodeModel)
	// 1 java.io.ByteArrayOutputStream.ensureCapacity(int)
	// 1 java.lang.invoke.DirectMethodHandle$Holder.newInvokeSpecial(Object, Object, Object, Object)
	// 1 java.lang.invoke.InvokerBytecodeGenerator.emitStaticInvoke(CodeBuilder, MemberName, LambdaForm$Name)
	// 1 java.lang.invoke.InvokerBytecodeGenerator.emitStoreInsn(CodeBuilder, TypeKind, int)
	// 1 java.lang.invoke.MethodHandleImpl.makeConstantReturning(Class, Object)
	// 1 jdk.internal.classfile.impl.BoundAttribute.readAttributes(AttributedElement, ClassReader, int, Function)
	// 1 jdk.internal.classfile.impl.ClassReaderImpl.entryByIndex(int, Class)
	// 1 jdk.internal.classfile.impl.StackMapGenerator.<init>(LabelContext, ClassDesc, String, MethodTypeDesc, boolean, RawBytecodeHelper$CodeRange, SplitConstantPool, ClassFileImpl, List)
	// 1 jdk.jfr.internal.MetadataWriter.makeSettingElement(MetadataDescriptor$Element, SettingDescriptor)
	// 1 jdk.jfr.internal.MetadataWriter.makeTypeElement(MetadataDescriptor$Element, Type)
	// 1 jdk.jfr.internal.MetadataWriter.writeInt(DataOutput, int)
}

// How long the threads waited for locks, by the class of the lock.
func ExampleSum() {
	rec, err := mmapjfr.Open("../../testdata/jdk25-profile.jfr")
	if err != nil {
		log.Fatal(err)
	}
	defer rec.Close()
	waits := rec.Select(mmapjfr.Types("jdk.JavaMonitorEnter", "jdk.JavaMonitorWait", "jdk.ThreadPark"))
	class := mmapjfr.Path("@class")
	total, err := tally.Sum(context.Background(), waits,
		func(ev mmapjfr.Event) string { return cmp.Or(ev.Str(class), "nothing that is known") },
		func(ev mmapjfr.Event) int64 { return int64(ev.Duration()) })
	if err != nil {
		log.Print(err) // what could not be read; all else is counted
	}
	for _, row := range total.TopBySum(3) {
		fmt.Println(row.Key, row.Count, time.Duration(row.Sum).Round(time.Millisecond))
	}
	// Output:
	// java.lang.Object 26 6.407s
	// java.lang.Thread 7 583ms
	// nothing that is known 1 110ms
}

// How long garbage collections take.
func ExampleMeasure() {
	rec, err := mmapjfr.Open("../../testdata/jdk25-profile.jfr")
	if err != nil {
		log.Fatal(err)
	}
	defer rec.Close()
	pauses, err := tally.Measure(context.Background(), rec.Select(mmapjfr.Types("jdk.GCPhasePause")),
		func(ev mmapjfr.Event) int64 { return int64(ev.Duration()) })
	if err != nil {
		log.Print(err) // what could not be read; all else is counted
	}
	fmt.Println(pauses.Count(), time.Duration(pauses.At(0.5)), time.Duration(pauses.At(0.99)), time.Duration(pauses.Max()))
	// Output:
	// 8 5.881856ms 819.986432ms 821.40909ms
}
