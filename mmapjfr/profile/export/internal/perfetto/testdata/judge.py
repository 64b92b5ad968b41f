"""Says what a trace on standard input has, as the messages of Perfetto's own package decode it."""
import collections
import json
import sys

from google.protobuf.unknown_fields import UnknownFieldSet
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as pb


def unknown(message):
    n = len(UnknownFieldSet(message))
    for field, value in message.ListFields():
        if field.message_type:
            for inner in value if field.is_repeated else [value]:
                n += unknown(inner)
    return n


trace = pb.Trace()
trace.ParseFromString(sys.stdin.buffer.read())
names, sources, tracks = {}, {}, {}
events, counters, samples, weights = (collections.Counter() for _ in range(4))
for p in trace.packet:
    seq = p.trusted_packet_sequence_id
    if p.HasField("trace_packet_defaults"):
        sources[seq] = p.trace_packet_defaults.stack_sample_defaults.source
    for name in p.interned_data.event_names:
        names[seq, name.iid] = name.name
    if p.HasField("track_descriptor"):
        d = p.track_descriptor
        tracks[d.uuid] = d.thread.thread_name or d.name
    e = p.track_event
    if e.type in (pb.TrackEvent.TYPE_SLICE_BEGIN, pb.TrackEvent.TYPE_INSTANT):
        events[names[seq, e.name_iid]] += 1
    elif e.type == pb.TrackEvent.TYPE_COUNTER:
        counters[tracks[e.track_uuid]] += 1
    if p.HasField("stack_sample"):
        samples[sources[seq]] += 1
        weights[sources[seq]] += p.stack_sample.primary_weight
json.dump({"unknown": unknown(trace), "tracks": len(tracks), "events": events, "counters": counters, "samples": samples, "weights": weights},
          sys.stdout, indent=2, sort_keys=True)
print()
