package main

// fieldsTopic is the topic of help about fields.
const fieldsTopic = "fields"

// aboutFields is that help.
const aboutFields = `A field has the same name and value in --fields, in --where, in the keys of --ndjson, in
the titles of --csv, and in mmapjfr.Path. Names with dots lead into structs, and numbers
in brackets to elements of arrays:

  duration
  eventThread.javaThreadId
  stackTrace.frames[0].method.name

mjfr metadata --events NAME lists the fields that a recording has of an event type.

Fields of any event:
  @type      the name of its type: jdk.ThreadPark
  @start     when it began: startTime
  @end       when it ended
  @duration  how long it lasted: duration, and 0 where its type has none
  @thread    the thread that it happened in or that was sampled: eventThread, or else
             sampledThread, thread, or the first field that is a thread; also without @
             where there is no field thread
  @stack     the stack trace
  @top       the innermost frame of the stack trace
  @class     the class that the event is about: the first field that is a class, such as
             objectClass, monitorClass, parkedClass, thrownClass, loadedClass; of
             OldObjectSample that of the object
  @offset    where it begins in the file
  @size      how many bytes it takes there
  @chunk     the number of its chunk, from 0

Fields of any thread:
  name           the name in Java, or else that of the operating system
  javaId, osId   its numbers; null where it has none
  virtual        whether it is a virtual one
Fields of any class:
  name           as in Java: java.lang.String, byte[]
  @raw           as in the JVM: java/lang/String, [B
Fields of any method:
  signature      java.lang.String.indexOf(String, int)
  class          the class that declares it
  @raw           as in the JVM: java/lang/String.indexOf(Ljava/lang/String;I)I
Fields of any frame:
  text           its method, and its line if it is known
  class, line    the class of its method, and its line
Fields of any stack trace:
  top            its innermost frame

If a recorded field has one of these names, the name means the recorded field, except for
the name of a class. A name after @raw. always means the recorded field:
objectClass.@raw.name.

Where a text is needed, threads, classes, methods and frames stand for their names:
--where '@thread ~ ^worker' and --fields @thread,@top.
`
