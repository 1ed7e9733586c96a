import Glibc
import Testing

extension Site {
    /// Sends bytes unchanged and reads the response to its end.
    func raw(_ text: String) throws -> String {
        let socket = try KeptSockets.connected(to: port, seconds: 20)
        defer { close(socket) }
        let bytes = Array(text.utf8)
        let sent = Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        try #require(sent == bytes.count)
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = recv(socket, &buffer, buffer.count, 0)
            if count <= 0 { break }
            received += buffer.prefix(count)
        }
        return String(decoding: received, as: UTF8.self)
    }
}
