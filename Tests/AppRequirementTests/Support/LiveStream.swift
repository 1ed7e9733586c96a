import Foundation
import FoundationNetworking
import Synchronization
import TestSupport
import Testing

/// A device that receives changes as server-sent events by `URLSession`.
final class LiveStream: NSObject, URLSessionDataDelegate, Sendable {
    private struct State: Sendable {
        var status: Int?
        var text = ""
    }

    private let state = Mutex(State())
    private let session = Mutex<URLSession?>(nil)

    init(_ phone: Phone) throws {
        super.init()
        var request = URLRequest(url: try #require(URL(string: phone.backend.url + "/api/live")))
        request.setValue("Bearer \(phone.token ?? "")", forHTTPHeaderField: "Authorization")
        let session = URLSession(configuration: .ephemeral, delegate: self, delegateQueue: nil)
        self.session.withLock { $0 = session }
        session.dataTask(with: request).resume()
    }

    func urlSession(
        _: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        let status = (response as? HTTPURLResponse)?.statusCode
        state.withLock { $0.status = status }
        completionHandler(.allow)
    }

    func urlSession(_: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        state.withLock { $0.text += String(decoding: data, as: UTF8.self) }
    }

    func awaitStart() throws {
        try eventually { self.state.withLock { $0.status } == 200 }
    }

    func await(_ event: String) throws {
        try eventually { self.state.withLock { $0.text.contains(event) } }
        Transcript.current?.add("GET /api/live", "200 text/event-stream, \(event)")
    }

    func end() {
        session.withLock { $0?.invalidateAndCancel() }
    }
}
