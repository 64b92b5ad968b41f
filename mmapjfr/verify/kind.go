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

// The kinds, by what they are about. Programs tell them apart by their codes, see [Kind.String].
const (
	// The file.
	emptyFile Kind = iota
	notARecording
	unsupportedVersion
	truncatedHeader
	bytesBetweenChunks
	trailingBytes

	// The header of a chunk.
	truncatedChunk
	unfinishedChunk
	chunkSize
	overlappingChunk
	headerFlags
	minorVersion
	rawIntegers
	tickRate
	chunkStart
	chunkDuration
	chunkOrder
	chunkGap
	finalChunk

	// Metadata.
	metadataOffset
	badMetadata
	newerMetadata
	metadataTrailingBytes
	badTypeID
	duplicateType
	conflictingType
	badName
	duplicateField
	undescribedType
	unknownReference
	dimension
	typeLayout
	refusedMetadata
	badUnit
	badDescriptor

	// Checkpoints and constants.
	badCheckpoint
	brokenChain
	chainLoop
	forwardChain
	unchainedCheckpoint
	checkpointMask
	poolType
	poolCount
	emptyPool
	badConstant
	checkpointTrailingBytes
	duplicateKey

	// Events.
	zeroSize
	eventSize
	unknownType
	notAnEvent
	unreadableEvent
	shortEvent
	eventTrailingBytes
	eventTime
	negativeDuration

	// Values.
	danglingConstant
	stringEncoding
	malformedString
	loneSurrogate

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
	emptyFile:          {"empty-file", Error, "there is nothing to read"},
	notARecording:      {"not-a-recording", Error, "no reader takes it for a recording"},
	unsupportedVersion: {"unsupported-version", Error, "what it holds was not checked"},
	truncatedHeader:    {"truncated-header", Error, "no reader takes it for a recording"},
	bytesBetweenChunks: {"bytes-between-chunks", Error, "the JDK's readers refuse the file, others may miss a chunk"},
	trailingBytes:      {"trailing-bytes", Error, "the JDK's readers refuse the file"},

	truncatedChunk:   {"truncated-chunk", Error, "all that was after the end is lost, mostly the constants and types of what is left"},
	unfinishedChunk:  {"unfinished-chunk", Note, "the recorder is still writing or was killed; the JDK's readers refuse the file"},
	chunkSize:        {"chunk-size", Error, "readers do not know where the next chunk begins"},
	overlappingChunk: {"overlapping-chunk", Error, "readers take one chunk for events of the other"},
	headerFlags:      {"header-flags", Note, "readers ignore these bits"},
	minorVersion:     {"minor-version", Note, "it may hold what readers do not know"},
	rawIntegers:      {"raw-integers", Note, "the JDK's readers take integers for compressed and misread the chunk"},
	tickRate:         {"tick-rate", Error, "no time in the chunk can be computed"},
	chunkStart:       {"chunk-start", Warning, "all times in the chunk are wrong"},
	chunkDuration:    {"chunk-duration", Warning, "readers see the chunk end before it begins"},
	chunkOrder:       {"chunk-order", Note, "readers that take chunks for ordered by time see time go back"},
	chunkGap:         {"chunk-gap", Note, "nothing of that time was recorded, or a chunk is missing"},
	finalChunk:       {"final-chunk", Note, "readers of a stream stop before the chunks that follow"},

	metadataOffset:        {"metadata-offset", Error, "without types no event of the chunk can be read"},
	badMetadata:           {"bad-metadata", Error, "the types that it describes cannot be read"},
	newerMetadata:         {"newer-metadata", Warning, "readers do not see the types that only it describes"},
	metadataTrailingBytes: {"metadata-rest", Warning, "readers ignore these bytes"},
	badTypeID:             {"type-id", Error, "events and fields of the type cannot be read"},
	duplicateType:         {"duplicate-type", Error, "readers take the last one, for all values of either"},
	conflictingType:       {"conflicting-type", Error, "readers take the newest one, also for values of the other"},
	badName:               {"bad-name", Warning, "readers cannot find it by its name"},
	duplicateField:        {"duplicate-field", Warning, "readers find only one of the two by its name"},
	undescribedType:       {"undescribed-type", Error, "no value of the type that has the field can be read"},
	unknownReference:      {"unknown-reference", Error, "readers do not see the annotation or setting, and the JDK's refuse the file"},
	dimension:             {"dimension", Warning, "readers take it for an array of one dimension"},
	typeLayout:            {"type-layout", Error, "no value of the type can be read"},

	refusedMetadata: {"refused-metadata", Error, "the JDK's readers refuse the file"},
	badUnit:         {"bad-unit", Error, "the JDK's jfr fails where it prints the field"},
	badDescriptor:   {"bad-descriptor", Error, "the JDK's jfr fails where it prints the method or the class"},

	badCheckpoint:           {"bad-checkpoint", Error, "its constants, and those of older checkpoints, cannot be found"},
	brokenChain:             {"broken-chain", Error, "the constants of older checkpoints cannot be found"},
	chainLoop:               {"chain-loop", Error, "readers that do not look out for it never end"},
	forwardChain:            {"forward-chain", Warning, "readers may take a newer constant for an older one"},
	unchainedCheckpoint:     {"unchained-checkpoint", Error, "no reader finds its constants"},
	checkpointMask:          {"checkpoint-mask", Note, "readers ignore these bits"},
	poolType:                {"pool-type", Error, "this pool and those after it in the checkpoint cannot be read"},
	poolCount:               {"pool-count", Error, "this pool and those after it in the checkpoint cannot be read"},
	emptyPool:               {"empty-pool", Error, "the JDK's readers refuse the file"},
	badConstant:             {"bad-constant", Error, "this constant and those after it in the checkpoint cannot be read"},
	checkpointTrailingBytes: {"checkpoint-rest", Error, "the JDK's readers refuse the file, others ignore these bytes"},
	duplicateKey:            {"duplicate-key", Note, "readers take the one in the oldest checkpoint"},

	zeroSize:           {"zero-size", Error, "readers end here and lose what follows in the chunk"},
	eventSize:          {"event-size", Error, "readers end here and lose what follows in the chunk"},
	unknownType:        {"unknown-type", Error, "readers leave the event out"},
	notAnEvent:         {"not-an-event", Error, "readers leave it out"},
	unreadableEvent:    {"unreadable-event", Error, "readers leave the event out, or end here"},
	shortEvent:         {"short-event", Error, "its fields cannot be read, or are those of the next event"},
	eventTrailingBytes: {"event-rest", Warning, "readers ignore these bytes; the fields may be read wrongly"},
	eventTime:          {"event-time", Note, "readers that leave out chunks by their time miss it"},
	negativeDuration:   {"negative-duration", Warning, "the event ends before it begins"},

	danglingConstant: {"dangling-constant", Warning, "no pool has it, so readers take it for null"},
	stringEncoding:   {"string-encoding", Error, "neither the string nor what follows it can be read"},
	malformedString:  {"malformed-string", Warning, "readers replace bytes that are not characters"},
	loneSurrogate:    {"lone-surrogate", Note, "the JDK keeps it and prints \\u and its number in JSON, ? elsewhere; readers of UTF-8 have U+FFFD"},
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
