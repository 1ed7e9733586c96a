package import Basics
import JSON

/// The program whose traces are delivered.
package struct TracedService: Sendable {
    package let name: String
    package let version: String
    /// Id of this process.
    package let instance: String

    package init(name: String, version: String, instance: String) {
        self.name = name
        self.version = version
        self.instance = instance
    }
}

/// Spans in the JSON encoding of OTLP (OpenTelemetry Protocol 1.x): ids are hexadecimal, and
/// 64-bit numbers are strings.
package enum TraceDocument {
    private static let bytesPerSpan = 512

    /// Returns the body of a request to `/v1/traces`.
    package static func body(_ spans: [TraceSpan], of service: TracedService) -> [UInt8] {
        JSONWriter.document(capacity: (spans.count + 1) * bytesPerSpan) { json in
            json.object { request in
                request.array("resourceSpans") { list in
                    list.object { group in
                        group.object("resource") { resource in
                            resource.array("attributes") { list in
                                attribute("service.name", .name(service.name), &list)
                                attribute("service.version", .name(service.version), &list)
                                attribute("service.instance.id", .name(service.instance), &list)
                            }
                        }
                        group.array("scopeSpans") { list in
                            list.object { group in
                                group.object("scope") { $0.member("name", "hearth") }
                                group.array("spans") { list in
                                    for span in spans { list.object { write(span, to: &$0) } }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    private static func write(_ span: TraceSpan, to json: inout JSONWriter) {
        json.member(
            "traceId",
            hexadecimal(UInt64(truncatingIfNeeded: span.trace >> 64))
                + hexadecimal(UInt64(truncatingIfNeeded: span.trace)))
        json.member("spanId", hexadecimal(span.id))
        if let parent = span.parent { json.member("parentSpanId", hexadecimal(parent)) }
        json.member("name", span.name)
        json.member("kind", span.kind.rawValue)
        json.member("startTimeUnixNano", "\(span.start)")
        json.member("endTimeUnixNano", "\(span.end)")
        if !span.attributes.isEmpty || span.failure != nil {
            json.array("attributes") { list in
                for item in span.attributes { attribute(item.name, item.value, &list) }
                if let failure = span.failure { attribute("error.type", .name(failure), &list) }
            }
        }
        // STATUS_CODE_ERROR.
        if span.failure != nil { json.object("status") { $0.member("code", 2) } }
    }

    private static func attribute(
        _ name: StaticString, _ value: TraceSpan.Value, _ list: inout JSONWriter
    ) {
        list.object { json in
            json.member("key", "\(name)")
            json.object("value") { json in
                if case .integer(let number) = value {
                    json.member("intValue", "\(number)")
                } else {
                    json.member("stringValue", value.text)
                }
            }
        }
    }

    private static func hexadecimal(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Returns the number of rejected spans that a collector's response states; nil if the response
    /// is not valid OTLP.
    package static func rejected(in body: [UInt8]) -> Int? {
        // A collector that accepts everything may answer with an empty body.
        if body.isEmpty { return 0 }
        guard let value = try? JSONValue(parsing: body), case .object = value else { return nil }
        do {
            let field = JSONField(value)
            guard let partial = try field["partialSuccess"].ifPresent,
                let count = try partial["rejectedSpans"].ifPresent
            else { return 0 }
            // OTLP writes 64-bit numbers as strings; a JSON number is accepted as well.
            if let number = try? count.integer() { return max(0, Int(number)) }
            return Int(try count.string()).map { max(0, $0) }
        } catch {
            return nil
        }
    }
}
