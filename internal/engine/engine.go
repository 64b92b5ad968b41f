// Package engine lends what the other packages of this module need of package mmapjfr, and its
// users do not. Each function is a method or function of mmapjfr that is not exported there:
// ChunkBytes is bytes of Chunk, where its comment stands.
//
// They are called through variables, so what they are given escapes: make closures and slices of
// arguments once, not for each event.
package engine

import (
	"context"
	"io"
	"io/fs"
	"iter"
	"time"

	"github.com/mmapjfr/jfr/internal/engine/door"
	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/mmapjfr"
)

var (
	BatchHasStrings               = door.Through[func(*mmapjfr.Batch, *mmapjfr.FieldPath) []bool]("BatchHasStrings")
	BatchWorker                   = door.Through[func(*mmapjfr.Batch) int]("BatchWorker")
	BatchStringViews              = door.Through[func(*mmapjfr.Batch, *mmapjfr.FieldPath) []string]("BatchStringViews")
	ChunkAllTypes                 = door.Through[func(mmapjfr.Chunk) ([]mmapjfr.Type, error)]("ChunkAllTypes")
	ChunkBytes                    = door.Through[func(mmapjfr.Chunk) []byte]("ChunkBytes")
	ChunkCachedConstantsErr       = door.Through[func(mmapjfr.Chunk) error]("ChunkCachedConstantsErr")
	ChunkConstantReader           = door.Through[func(mmapjfr.Chunk) (*mmapjfr.ConstantReader, error)]("ChunkConstantReader")
	ChunkDropPages                = door.Through[func(mmapjfr.Chunk)]("ChunkDropPages")
	ChunkEventsBefore             = door.Through[func(mmapjfr.Chunk) uint64]("ChunkEventsBefore")
	ChunkEventsOf                 = door.Through[func(mmapjfr.Chunk, ...string) iter.Seq2[mmapjfr.Event, error]]("ChunkEventsOf")
	ChunkEventsOffset             = door.Through[func(mmapjfr.Chunk) uint64]("ChunkEventsOffset")
	ChunkGrowing                  = door.Through[func(mmapjfr.Chunk) *mmapjfr.GrowingChunk]("ChunkGrowing")
	ChunkIndex                    = door.Through[func(mmapjfr.Chunk) *index.Chunk]("ChunkIndex")
	ChunkHasVarints               = door.Through[func(mmapjfr.Chunk) bool]("ChunkHasVarints")
	ChunkIsUnflushed              = door.Through[func(mmapjfr.Chunk) bool]("ChunkIsUnflushed")
	ChunkRecording                = door.Through[func(mmapjfr.Chunk) *mmapjfr.Recording]("ChunkRecording")
	ChunkRegion                   = door.Through[func(mmapjfr.Chunk) (string, *time.Location, error)]("ChunkRegion")
	ChunkRepeats                  = door.Through[func(mmapjfr.Chunk) (mmapjfr.Chunk, bool)]("ChunkRepeats")
	ChunkSameJVM                  = door.Through[func(mmapjfr.Chunk, mmapjfr.Chunk) bool]("ChunkSameJVM")
	ChunkTicksToNanos             = door.Through[func(mmapjfr.Chunk, int64) int64]("ChunkTicksToNanos")
	ChunkWriteRange               = door.Through[func(mmapjfr.Chunk, io.Writer, uint64, uint64) (int64, error)]("ChunkWriteRange")
	ChunkFollowerAdvance          = door.Through[func(*mmapjfr.ChunkFollower) (mmapjfr.ByteRange, error)]("ChunkFollowerAdvance")
	ChunkFollowerBytesRead        = door.Through[func(*mmapjfr.ChunkFollower) uint64]("ChunkFollowerBytesRead")
	ChunkFollowerClose            = door.Through[func(*mmapjfr.ChunkFollower) error]("ChunkFollowerClose")
	ChunkFollowerFinal            = door.Through[func(*mmapjfr.ChunkFollower) bool]("ChunkFollowerFinal")
	ChunkFollowerFinished         = door.Through[func(*mmapjfr.ChunkFollower) bool]("ChunkFollowerFinished")
	ChunkFollowerHasHeader        = door.Through[func(*mmapjfr.ChunkFollower) bool]("ChunkFollowerHasHeader")
	ChunkFollowerStat             = door.Through[func(*mmapjfr.ChunkFollower) (fs.FileInfo, error)]("ChunkFollowerStat")
	ChunkStreamNext               = door.Through[func(*mmapjfr.ChunkStream) (*mmapjfr.GrowingChunk, mmapjfr.ByteRange, error)]("ChunkStreamNext")
	GrowingChunkChunk             = door.Through[func(*mmapjfr.GrowingChunk) mmapjfr.Chunk]("GrowingChunkChunk")
	GrowingChunkEvent             = door.Through[func(*mmapjfr.GrowingChunk, index.EventHeader, uint64) (mmapjfr.Event, error)]("GrowingChunkEvent")
	GrowingChunkEvents            = door.Through[func(*mmapjfr.GrowingChunk) mmapjfr.ByteRange]("GrowingChunkEvents")
	GrowingChunkMetadataOffset    = door.Through[func(*mmapjfr.GrowingChunk) uint64]("GrowingChunkMetadataOffset")
	GrowingChunkNewestTypes       = door.Through[func(*mmapjfr.GrowingChunk) ([]mmapjfr.Type, error)]("GrowingChunkNewestTypes")
	GrowingChunkProtect           = door.Through[func(*mmapjfr.GrowingChunk, func() error) error]("GrowingChunkProtect")
	ConstantReaderCanRefer        = door.Through[func(*mmapjfr.ConstantReader, mmapjfr.Type) bool]("ConstantReaderCanRefer")
	ConstantReaderCheckpoints     = door.Through[func(*mmapjfr.ConstantReader) []mmapjfr.Checkpoint]("ConstantReaderCheckpoints")
	ConstantReaderConstants       = door.Through[func(*mmapjfr.ConstantReader, mmapjfr.Pool, func(mmapjfr.PooledConstant) bool) bool]("ConstantReaderConstants")
	ConstantReaderErr             = door.Through[func(*mmapjfr.ConstantReader) error]("ConstantReaderErr")
	ConstantReaderEventReferences = door.Through[func(*mmapjfr.ConstantReader, mmapjfr.Event, func(mmapjfr.Reference))]("ConstantReaderEventReferences")
	ConstantReaderLen             = door.Through[func(*mmapjfr.ConstantReader, mmapjfr.Type) int]("ConstantReaderLen")
	ConstantReaderLookup          = door.Through[func(*mmapjfr.ConstantReader, mmapjfr.Type, int64) (uint64, bool)]("ConstantReaderLookup")
	ConstantReaderReferences      = door.Through[func(*mmapjfr.ConstantReader, mmapjfr.Type, uint64, func(mmapjfr.Reference)) (uint64, bool)]("ConstantReaderReferences")
	ConstantReaderReferredTypes   = door.Through[func(*mmapjfr.ConstantReader, mmapjfr.Type, func(mmapjfr.Type))]("ConstantReaderReferredTypes")
	CursorCloneAt                 = door.Through[func(*mmapjfr.Cursor, mmapjfr.Event) *mmapjfr.Cursor]("CursorCloneAt")
	EventBytes                    = door.Through[func(mmapjfr.Event) []byte]("EventBytes")
	EventEndTicks                 = door.Through[func(mmapjfr.Event) int64]("EventEndTicks")
	EventStartTicks               = door.Through[func(mmapjfr.Event) int64]("EventStartTicks")
	FieldPath                     = door.Through[func(mmapjfr.Field) *mmapjfr.FieldPath]("FieldPath")
	RecordingChunksAfter          = door.Through[func(*mmapjfr.Recording) int]("RecordingChunksAfter")
	RecordingDropPages            = door.Through[func(*mmapjfr.Recording, uint64, uint64)]("RecordingDropPages")
	RecordingDropPassed           = door.Through[func(*mmapjfr.Recording)]("RecordingDropPassed")
	RecordingIndex                = door.Through[func(*mmapjfr.Recording) *index.Index]("RecordingIndex")
	RecordingIsFetched            = door.Through[func(*mmapjfr.Recording) bool]("RecordingIsFetched")
	RecordingLoadConstants        = door.Through[func(*mmapjfr.Recording, context.Context, []mmapjfr.Chunk) error]("RecordingLoadConstants")
	RecordingLocation             = door.Through[func(*mmapjfr.Recording) *time.Location]("RecordingLocation")
	RecordingSelectIn             = door.Through[func(*mmapjfr.Recording, mmapjfr.ChunkRange, ...mmapjfr.Filter) *mmapjfr.Selection]("RecordingSelectIn")
	RecordingWorkers              = door.Through[func(*mmapjfr.Recording) int]("RecordingWorkers")
	SelectionChunks               = door.Through[func(*mmapjfr.Selection) []mmapjfr.Chunk]("SelectionChunks")
	SelectionWithRepeats          = door.Through[func(*mmapjfr.Selection) *mmapjfr.Selection]("SelectionWithRepeats")
	SelectionWithWorkers          = door.Through[func(*mmapjfr.Selection, int) *mmapjfr.Selection]("SelectionWithWorkers")
	StackTraceAppendFrames        = door.Through[func(mmapjfr.StackTrace, []mmapjfr.Frame) []mmapjfr.Frame]("StackTraceAppendFrames")
	FrameValue                    = door.Through[func(mmapjfr.Frame) mmapjfr.Value]("FrameValue")
	MethodValue                   = door.Through[func(mmapjfr.Method) mmapjfr.Value]("MethodValue")
	StackTraceValue               = door.Through[func(mmapjfr.StackTrace) mmapjfr.Value]("StackTraceValue")
	ThreadValue                   = door.Through[func(mmapjfr.Thread) mmapjfr.Value]("ThreadValue")
	EventTypeNamed                = door.Through[func([]mmapjfr.Type, string) (mmapjfr.Type, error)]("EventTypeNamed")
	TypeIsSimple                  = door.Through[func(mmapjfr.Type) bool]("TypeIsSimple")
	TypeLayoutErr                 = door.Through[func(mmapjfr.Type) error]("TypeLayoutErr")
	TypeUnwrapped                 = door.Through[func(mmapjfr.Type) mmapjfr.Type]("TypeUnwrapped")
	ValueAppendElementInts        = door.Through[func(mmapjfr.Value, []int64, ...*mmapjfr.FieldPath) []int64]("ValueAppendElementInts")
	ValueAppendUTF16              = door.Through[func(mmapjfr.Value, []uint16) []uint16]("ValueAppendUTF16")
	ValueVarintElements           = door.Through[func(mmapjfr.Value) ([]byte, int, int)]("ValueVarintElements")
	CheckFilter                   = door.Through[func(mmapjfr.Filter, []mmapjfr.Type) error]("CheckFilter")
	CountOnce                     = door.Through[func(...*mmapjfr.Recording) int]("CountOnce")
	FollowChunk                   = door.Through[func(string, int64, ...mmapjfr.Option) (*mmapjfr.ChunkFollower, error)]("FollowChunk")
	KeepConstants                 = door.Through[func(int) mmapjfr.Option]("KeepConstants")
	KeepEvents                    = door.Through[func() mmapjfr.Option]("KeepEvents")
	MatchesType                   = door.Through[func(mmapjfr.Filter, mmapjfr.Type) bool]("MatchesType")
	Named                         = door.Through[func(string) mmapjfr.Option]("Named")
	EventFilter                   = door.Through[func(func(mmapjfr.Type) bool, func(mmapjfr.Event) bool, func([]mmapjfr.Type) error) mmapjfr.Filter]("EventFilter")
	ClassModifiers                = door.Through[func(mmapjfr.Class) int]("ClassModifiers")
	MethodModifiers               = door.Through[func(mmapjfr.Method) int]("MethodModifiers")
	ReadChunks                    = door.Through[func(io.Reader, ...mmapjfr.Option) (*mmapjfr.ChunkStream, error)]("ReadChunks")
	SelectsTypes                  = door.Through[func(mmapjfr.Filter) bool]("SelectsTypes")
	ShareStrings                  = door.Through[func(*mmapjfr.StringTable) mmapjfr.Option]("ShareStrings")
	BatchChunk                    = door.Through[func(*mmapjfr.Batch) mmapjfr.Chunk]("BatchChunk")
	BatchConstants                = door.Through[func(*mmapjfr.Batch, *mmapjfr.FieldPath) []int64]("BatchConstants")
	BatchEvent                    = door.Through[func(*mmapjfr.Batch, int) mmapjfr.Event]("BatchEvent")
	BatchFloats                   = door.Through[func(*mmapjfr.Batch, *mmapjfr.FieldPath) []float64]("BatchFloats")
	BatchInts                     = door.Through[func(*mmapjfr.Batch, *mmapjfr.FieldPath) []int64]("BatchInts")
	BatchLen                      = door.Through[func(*mmapjfr.Batch) int]("BatchLen")
	BatchStrings                  = door.Through[func(*mmapjfr.Batch, *mmapjfr.FieldPath) []string]("BatchStrings")
	BatchType                     = door.Through[func(*mmapjfr.Batch) mmapjfr.Type]("BatchType")
	BatchValue                    = door.Through[func(*mmapjfr.Batch, *mmapjfr.FieldPath, int) mmapjfr.Value]("BatchValue")
	SelectionBatches              = door.Through[func(*mmapjfr.Selection, context.Context, func(worker int, b *mmapjfr.Batch) error) error]("SelectionBatches")
	ChunkTicksToDuration          = door.Through[func(mmapjfr.Chunk, int64) time.Duration]("ChunkTicksToDuration")
	ChunkTicksToTime              = door.Through[func(mmapjfr.Chunk, int64) time.Time]("ChunkTicksToTime")
	ChunkTicksPerSecond           = door.Through[func(mmapjfr.Chunk) int64]("ChunkTicksPerSecond")
	ChunkEventType                = door.Through[func(mmapjfr.Chunk, int64) (mmapjfr.Type, error)]("ChunkEventType")
	ChunkFinal                    = door.Through[func(mmapjfr.Chunk) bool]("ChunkFinal")
	ChunkConstants                = door.Through[func(mmapjfr.Chunk, mmapjfr.Type) iter.Seq2[int64, mmapjfr.Value]]("ChunkConstants")
	ChunkConstant                 = door.Through[func(mmapjfr.Chunk, mmapjfr.Type, int64) mmapjfr.Value]("ChunkConstant")
	TypeRecordedName              = door.Through[func(mmapjfr.Type) string]("TypeRecordedName")
	TypeIsPrimitive               = door.Through[func(mmapjfr.Type) bool]("TypeIsPrimitive")
	TypeComputed                  = door.Through[func(mmapjfr.Type) []mmapjfr.Field]("TypeComputed")
	FieldIsComputed               = door.Through[func(mmapjfr.Field) bool]("FieldIsComputed")
	FieldIsRate                   = door.Through[func(mmapjfr.Field) bool]("FieldIsRate")
	ValueKey                      = door.Through[func(mmapjfr.Value) int64]("ValueKey")
	ValueIsUnset                  = door.Through[func(mmapjfr.Value) bool]("ValueIsUnset")
	EventEndNanos                 = door.Through[func(mmapjfr.Event) int64]("EventEndNanos")
	RecordingTrailingErr          = door.Through[func(*mmapjfr.Recording) error]("RecordingTrailingErr")
	ClassKey                      = door.Through[func(mmapjfr.Class) int64]("ClassKey")
	ClassLoaderKey                = door.Through[func(mmapjfr.ClassLoader) int64]("ClassLoaderKey")
	MethodKey                     = door.Through[func(mmapjfr.Method) int64]("MethodKey")
	MethodAppendSignature         = door.Through[func(mmapjfr.Method, []byte) []byte]("MethodAppendSignature")
	MethodDescriptor              = door.Through[func(mmapjfr.Method) string]("MethodDescriptor")
	ClassInternalName             = door.Through[func(mmapjfr.Class) string]("ClassInternalName")
	RecordingCountEvents          = door.Through[func(*mmapjfr.Recording, context.Context, func(from uint64, to uint64)) iter.Seq2[mmapjfr.Chunk, index.TypeCounts]]("RecordingCountEvents")
	ChunkEventHeaderAt            = door.Through[func(mmapjfr.Chunk, uint64) (index.EventHeader, uint64, error)]("ChunkEventHeaderAt")
)

var foldBatches = door.Through[func(context.Context, *mmapjfr.Selection, func(sum *any, b *mmapjfr.Batch) error,
	func(sum, next *any)) (any, error)]("FoldBatches")

// FoldBatches is [mmapjfr.Fold] for batches of events.
func FoldBatches[T any](
	ctx context.Context, s *mmapjfr.Selection, add func(sum *T, b *mmapjfr.Batch) error, join func(sum, next *T),
) (T, error) {
	made := func(sum *any) *T {
		if *sum == nil {
			*sum = new(T)
		}
		return (*sum).(*T)
	}
	total, err := foldBatches(ctx, s,
		func(sum *any, b *mmapjfr.Batch) error { return add(made(sum), b) },
		func(sum, next *any) { join(made(sum), made(next)) })
	return *made(&total), err
}
