package verify

import "fmt"

// Severity says how bad a finding is.
type Severity uint8

// The severities, the worst one last.
const (
	// Note is a peculiarity that harms nobody.
	Note Severity = iota
	// Warning is something that readers get along with, or that recorders are known to
	// write now and then.
	Warning
	// Error is damage: a reader loses or misreads something.
	Error
)

// String returns "note", "warning" or "error".
func (s Severity) String() string { return [...]string{"note", "warning", "error"}[min(s, Error)] }

// MarshalText returns what String returns.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Kind is a kind of finding.
type Kind uint8

// The kinds, by what they are about; see [Kind.Meaning].
const (
	// The file.
	EmptyFile Kind = iota
	NotARecording
	UnsupportedVersion
	TruncatedHeader
	BytesBetweenChunks
	TrailingBytes

	// The header of a chunk.
	TruncatedChunk
	UnfinishedChunk
	ChunkSize
	OverlappingChunk
	HeaderFlags
	MinorVersion
	RawIntegers
	TickRate
	ChunkStart
	ChunkDuration
	ChunkOrder
	ChunkGap
	FinalChunk

	// Metadata.
	MetadataOffset
	BadMetadata
	NewerMetadata
	MetadataTrailingBytes
	BadTypeID
	DuplicateType
	ConflictingType
	BadName
	DuplicateField
	UndescribedType
	UnknownReference
	Dimension
	TypeLayout
	RefusedMetadata
	BadUnit
	BadDescriptor

	// Checkpoints and constants.
	BadCheckpoint
	BrokenChain
	ChainLoop
	ForwardChain
	UnchainedCheckpoint
	CheckpointMask
	PoolType
	PoolCount
	EmptyPool
	BadConstant
	CheckpointTrailingBytes
	DuplicateKey

	// Events.
	ZeroSize
	EventSize
	UnknownType
	NotAnEvent
	UnreadableEvent
	ShortEvent
	EventTrailingBytes
	EventTime
	NegativeDuration

	// Values.
	DanglingConstant
	StringEncoding
	MalformedString
	LoneSurrogate

	kinds
)

// traits describe a kind.
type traits struct {
	code     string
	severity Severity
	meaning  string
}

// table describes each kind. The meaning is for readers of the recording.
var table = [kinds]traits{
	EmptyFile:          {"empty-file", Error, "there is nothing to read"},
	NotARecording:      {"not-a-recording", Error, "no reader takes it for a recording"},
	UnsupportedVersion: {"unsupported-version", Error, "what it holds was not checked"},
	TruncatedHeader:    {"truncated-header", Error, "no reader takes it for a recording"},
	BytesBetweenChunks: {"bytes-between-chunks", Error, "the JDK's readers refuse the file, others may miss a chunk"},
	TrailingBytes:      {"trailing-bytes", Error, "the JDK's readers refuse the file"},

	TruncatedChunk:   {"truncated-chunk", Error, "all that was after the end is lost, mostly the constants and types of what is left"},
	UnfinishedChunk:  {"unfinished-chunk", Note, "the recorder is still writing or was killed; the JDK's readers refuse the file"},
	ChunkSize:        {"chunk-size", Error, "readers do not know where the next chunk begins"},
	OverlappingChunk: {"overlapping-chunk", Error, "readers take one chunk for events of the other"},
	HeaderFlags:      {"header-flags", Note, "readers ignore these bits"},
	MinorVersion:     {"minor-version", Note, "it may hold what readers do not know"},
	RawIntegers:      {"raw-integers", Note, "the JDK's readers take integers for compressed and misread the chunk"},
	TickRate:         {"tick-rate", Error, "no time in the chunk can be computed"},
	ChunkStart:       {"chunk-start", Warning, "all times in the chunk are wrong"},
	ChunkDuration:    {"chunk-duration", Warning, "readers see the chunk end before it begins"},
	ChunkOrder:       {"chunk-order", Note, "readers that take chunks for ordered by time see time go back"},
	ChunkGap:         {"chunk-gap", Note, "nothing of that time was recorded, or a chunk is missing"},
	FinalChunk:       {"final-chunk", Note, "readers of a stream stop before the chunks that follow"},

	MetadataOffset:        {"metadata-offset", Error, "without types no event of the chunk can be read"},
	BadMetadata:           {"bad-metadata", Error, "the types that it describes cannot be read"},
	NewerMetadata:         {"newer-metadata", Warning, "readers do not see the types that only it describes"},
	MetadataTrailingBytes: {"metadata-rest", Warning, "readers ignore these bytes"},
	BadTypeID:             {"type-id", Error, "events and fields of the type cannot be read"},
	DuplicateType:         {"duplicate-type", Error, "readers take the last one, for all values of either"},
	ConflictingType:       {"conflicting-type", Error, "readers take the newest one, also for values of the other"},
	BadName:               {"bad-name", Warning, "readers cannot find it by its name"},
	DuplicateField:        {"duplicate-field", Warning, "readers find only one of the two by its name"},
	UndescribedType:       {"undescribed-type", Error, "no value of the type that has the field can be read"},
	UnknownReference:      {"unknown-reference", Error, "readers do not see the annotation or setting, and the JDK's refuse the file"},
	Dimension:             {"dimension", Warning, "readers take it for an array of one dimension"},
	TypeLayout:            {"type-layout", Error, "no value of the type can be read"},

	RefusedMetadata: {"refused-metadata", Error, "the JDK's readers refuse the file"},
	BadUnit:         {"bad-unit", Error, "the JDK's jfr fails where it prints the field"},
	BadDescriptor:   {"bad-descriptor", Error, "the JDK's jfr fails where it prints the method or the class"},

	BadCheckpoint:           {"bad-checkpoint", Error, "its constants, and those of older checkpoints, cannot be found"},
	BrokenChain:             {"broken-chain", Error, "the constants of older checkpoints cannot be found"},
	ChainLoop:               {"chain-loop", Error, "readers that do not look out for it never end"},
	ForwardChain:            {"forward-chain", Warning, "readers may take a newer constant for an older one"},
	UnchainedCheckpoint:     {"unchained-checkpoint", Error, "no reader finds its constants"},
	CheckpointMask:          {"checkpoint-mask", Note, "readers ignore these bits"},
	PoolType:                {"pool-type", Error, "this pool and those after it in the checkpoint cannot be read"},
	PoolCount:               {"pool-count", Error, "this pool and those after it in the checkpoint cannot be read"},
	EmptyPool:               {"empty-pool", Error, "the JDK's readers refuse the file"},
	BadConstant:             {"bad-constant", Error, "this constant and those after it in the checkpoint cannot be read"},
	CheckpointTrailingBytes: {"checkpoint-rest", Error, "the JDK's readers refuse the file, others ignore these bytes"},
	DuplicateKey:            {"duplicate-key", Note, "readers take the one in the oldest checkpoint"},

	ZeroSize:           {"zero-size", Error, "readers end here and lose what follows in the chunk"},
	EventSize:          {"event-size", Error, "readers end here and lose what follows in the chunk"},
	UnknownType:        {"unknown-type", Error, "readers leave the event out"},
	NotAnEvent:         {"not-an-event", Error, "readers leave it out"},
	UnreadableEvent:    {"unreadable-event", Error, "readers leave the event out, or end here"},
	ShortEvent:         {"short-event", Error, "its fields cannot be read, or are those of the next event"},
	EventTrailingBytes: {"event-rest", Warning, "readers ignore these bytes; the fields may be read wrongly"},
	EventTime:          {"event-time", Note, "readers that leave out chunks by their time miss it"},
	NegativeDuration:   {"negative-duration", Warning, "the event ends before it begins"},

	DanglingConstant: {"dangling-constant", Warning, "no pool has it, so readers take it for null"},
	StringEncoding:   {"string-encoding", Error, "neither the string nor what follows it can be read"},
	MalformedString:  {"malformed-string", Warning, "readers replace bytes that are not characters"},
	LoneSurrogate:    {"lone-surrogate", Note, "the JDK keeps it and prints \\u and its number in JSON, ? elsewhere; readers of UTF-8 have U+FFFD"},
}

// String returns the code of the kind, such as "dangling-constant". Codes do not
// change.
func (k Kind) String() string {
	if k >= kinds {
		return fmt.Sprintf("kind-%d", uint8(k))
	}
	return table[k].code
}

// MarshalText returns what String returns.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// Severity returns how bad findings of the kind are.
func (k Kind) Severity() Severity {
	if k >= kinds {
		return Error
	}
	return table[k].severity
}

// Meaning returns what findings of the kind mean for readers of the recording: a part of a
// sentence.
func (k Kind) Meaning() string {
	if k >= kinds {
		return ""
	}
	return table[k].meaning
}

// Kinds returns all kinds.
func Kinds() []Kind {
	list := make([]Kind, kinds)
	for i := range list {
		list[i] = Kind(i)
	}
	return list
}
