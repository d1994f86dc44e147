"""A collector of OpenTelemetry, with the messages of the stock `opentelemetry-proto`.

usage: collector.py FILE

Listens on a free port of this machine, which is its first line of output, and writes each span and each point of a
metric as a line of JSON to FILE. What is not OTLP over HTTP is answered with 400, and said on standard error.
"""

import http.server
import json
import sys

from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
    ExportMetricsServiceResponse,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status


def plain(value):
    """The value of an attribute."""
    kind = value.WhichOneof("value")
    return getattr(value, kind) if kind else None


def attributes(pairs):
    return {pair.key: plain(pair.value) for pair in pairs}


def spans(request):
    for resource in request.resource_spans:
        service = attributes(resource.resource.attributes)
        for scope in resource.scope_spans:
            for span in scope.spans:
                yield {
                    "signal": "span",
                    "service": service,
                    "trace": span.trace_id.hex(),
                    "id": span.span_id.hex(),
                    "parent": span.parent_span_id.hex(),
                    "name": span.name,
                    "kind": Span.SpanKind.Name(span.kind).removeprefix("SPAN_KIND_"),
                    "status": Status.StatusCode.Name(span.status.code).removeprefix("STATUS_CODE_"),
                    "nanoseconds": span.end_time_unix_nano - span.start_time_unix_nano,
                    "attributes": attributes(span.attributes),
                    "events": [event.name for event in span.events],
                }


def points(request):
    for resource in request.resource_metrics:
        for scope in resource.scope_metrics:
            for metric in scope.metrics:
                kind = metric.WhichOneof("data")
                for point in getattr(metric, kind).data_points:
                    value = point.count if kind == "histogram" else getattr(point, point.WhichOneof("value"))
                    yield {
                        "signal": "point",
                        "name": metric.name,
                        "description": metric.description,
                        "kind": kind,
                        "value": value,
                        "attributes": attributes(point.attributes),
                    }


SIGNALS = {
    "/v1/traces": (ExportTraceServiceRequest, ExportTraceServiceResponse, spans),
    "/v1/metrics": (ExportMetricsServiceRequest, ExportMetricsServiceResponse, points),
}


class Collector(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        if self.headers["content-type"] != "application/x-protobuf" or self.path not in SIGNALS:
            return self.refuse(f"{self.path} {self.headers['content-type']}")
        request, response, lines = SIGNALS[self.path]
        try:
            message = request.FromString(body)
        except DecodeError as error:
            return self.refuse(str(error))
        with open(sys.argv[1], "a", encoding="utf-8") as file:
            file.writelines(json.dumps(line) + "\n" for line in lines(message))
        self.send_response(200)
        self.send_header("content-type", "application/x-protobuf")
        self.end_headers()
        self.wfile.write(response().SerializeToString())

    def refuse(self, why):
        print("refused:", why, file=sys.stderr, flush=True)
        self.send_error(400)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Collector)
print(server.server_port, flush=True)
server.serve_forever()
