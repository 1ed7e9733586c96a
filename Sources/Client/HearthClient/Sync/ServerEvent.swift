/// An event of a stream of server-sent events.
struct ServerEvent: Sendable, Hashable {
    /// `message` if the server gave it no name.
    var name: String
    var data: String
    /// Of this event, or of the last one before it that had an id.
    var id: String?
}

/// Reads server-sent events as they come (the HTML standard's `text/event-stream`).
struct ServerEventParser {
    private var line: [UInt8] = []
    private var isAfterCarriageReturn = false
    private var isAtBeginning = true
    private var name = ""
    private var data: [String] = []
    private var id: String?

    /// A line longer than this is no event of Hearth's; the stream is at fault.
    static let maximumLineBytes = 64 * 1024

    /// The events that end with these bytes; nil if a line is too long.
    mutating func take(_ bytes: some Sequence<UInt8>) -> [ServerEvent]? {
        var events: [ServerEvent] = []
        for byte in bytes {
            let isSecondOfPair = isAfterCarriageReturn && byte == 0x0A
            isAfterCarriageReturn = byte == 0x0D
            if isSecondOfPair { continue }
            if byte == 0x0A || byte == 0x0D {
                if let event = endLine() { events.append(event) }
            } else {
                line.append(byte)
                if line.count > Self.maximumLineBytes { return nil }
            }
        }
        return events
    }

    /// Takes the line that has ended; gives an event if the line was empty.
    private mutating func endLine() -> ServerEvent? {
        var text = String(decoding: line, as: UTF8.self)
        line.removeAll(keepingCapacity: true)
        if isAtBeginning, text.unicodeScalars.first == "\u{FEFF}" {
            text.unicodeScalars.removeFirst()
        }
        isAtBeginning = false
        if text.isEmpty {
            defer {
                name = ""
                data = []
            }
            if data.isEmpty { return nil }
            return ServerEvent(
                name: name.isEmpty ? "message" : name, data: data.joined(separator: "\n"), id: id)
        }
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        var value = parts.count > 1 ? parts[1] : ""
        if value.first == " " { value.removeFirst() }
        switch parts[0] {
        case "event": name = String(value)
        case "data": data.append(String(value))
        case "id": if !value.unicodeScalars.contains("\0") { id = String(value) }
        // A comment, or a field that nothing here needs.
        default: break
        }
        return nil
    }
}
