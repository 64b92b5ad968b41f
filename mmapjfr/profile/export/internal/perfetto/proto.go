package perfetto

// The numbers of fields, as in perfetto_trace.proto of version 58.
const (
	tracePacket = 1

	packetClockSnapshot, packetTimestamp, packetSequence = 6, 8, 10
	packetTrackEvent, packetInterned, packetFlags        = 11, 12, 13
	packetDefaults, packetTrackDescriptor                = 59, 60
	packetStackSample                                    = 135

	snapshotClock, snapshotPrimary = 1, 2
	clockID, clockTimestamp        = 1, 2

	defaultsClock, defaultsSample                  = 58, 100
	sampleSource, samplePrimary, sampleFollowers   = 1, 2, 3
	trackUUID, trackName, trackProcess             = 1, 2, 3
	trackThread, trackParent, trackCounter         = 4, 5, 8
	processPID, processCommand, processName        = 1, 2, 6
	processLabel                                   = 8
	threadPID, threadTID, threadName               = 1, 2, 5
	counterUnit, counterUnitName                   = 3, 6
	eventCategory, eventAnnotation, eventType      = 3, 4, 9
	eventName, eventTrack, eventDouble             = 10, 11, 44
	eventFlow, eventLastFlow, eventStack           = 47, 48, 56
	annotationName, annotationBool, annotationInt  = 1, 2, 4
	annotationDouble, annotationText               = 5, 6
	annotationArray, annotationInterned            = 12, 17
	stackTask, stackCallstack, stackWeight         = 2, 6, 11
	stackFollowers                                 = 14
	taskPID, taskTID, taskAsync                    = 2, 3, 4
	asyncName, asyncKind                           = 2, 3
	descriptorName, descriptorUnit, descriptorText = 2, 3, 6

	internedCategories, internedNames, internedSources = 1, 2, 18
	internedAnnotations, internedFunctions             = 3, 5
	internedFrames, internedCallstacks                 = 6, 7
	internedPaths, internedMappings, internedTexts     = 17, 19, 29
	internedTasks, internedAsync                       = 48, 51
	iid, iidText                                       = 1, 2
	frameFunction, frameMapping, framePC, frameSource  = 2, 3, 4, 5
	frameLine, frameKind                               = 6, 7
	callstackFrames                                    = 2
	mappingPath                                        = 7
)

// The types of track events.
const eventBegin, eventEnd, eventInstant, eventCounter = 1, 2, 3, 4

// The flags of packets: what was interned before is forgotten, and what is interned is needed.
const stateCleared, stateNeeded = 1, 2

// The units of counters, and those of samples.
const (
	unitTime, unitCount, unitBytes                   = 1, 2, 3
	sampleNanoseconds, sampleBytes, sampleCountsUnit = 1, 4, 9
)
