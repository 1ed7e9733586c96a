import Synchronization
import TestSupport
import Testing

@testable import HTTPServer

@Suite("Worker pool") struct WorkerPoolTests {
    /// A handler whose reads, single or batched, wait at one gate, and whose other work waits at
    /// another gate.
    fileprivate struct Gated: Handler {
        let reads = Gate()
        let works = Gate()
        let sizes = Sizes()

        final class Sizes: Sendable {
            let all = Mutex<[Int]>([])
        }

        func prepare(_ request: Request) -> PreparedRequest<Request> {
            if request.path == "/known" { return .response(TestServer.echo(request)) }
            if request.path == "/read" { return .read(request) }
            return .work {
                works.pass()
                return TestServer.echo(request)
            }
        }

        func answer(_ read: Request) -> Response {
            sizes.all.withLock { $0.append(1) }
            reads.pass()
            return TestServer.echo(read)
        }

        func answer(_ several: [Request]) -> [Response?] {
            sizes.all.withLock { $0.append(several.count) }
            reads.pass()
            return several.map { TestServer.echo($0) }
        }

        func respond(to fault: ServerFault, in request: Request) -> Response {
            TestServer.refusal(fault, request)
        }
    }

    private static let read = "GET /read HTTP/1.1\r\nHost: x\r\n\r\n"
    private static let work = "GET /work HTTP/1.1\r\nHost: x\r\n\r\n"

    /// Returns clients whose connections the server has accepted.
    private func clients(_ count: Int, of server: borrowing TestServer) throws -> [TestClient] {
        var clients: [TestClient] = []
        for _ in 0..<count {
            let client = try server.connect()
            #expect(try client.get("/known").status == 200)
            clients.append(client)
        }
        return clients
    }

    @Test("the pool lets one more thread read than there are processors, and batches the rest")
    func few() throws {
        let handler = Gated()
        let server = try TestServer(
            {
                ($0.threads, $0.processors, $0.permitTimeoutSeconds) = (8, 2, .infinity)
            }, answering: handler)
        let early = try clients(3, of: server)
        let late = try clients(8, of: server)
        for client in early {
            client.send(Self.read)
            #expect(handler.reads.awaitArrival())
        }
        for client in late { client.send(Self.read) }
        try eventually { late.allSatisfy(\.isDelivered) }
        // The first free thread finds all of them.
        handler.reads.open()
        #expect(handler.reads.awaitArrival())
        #expect(handler.sizes.all.withLock { $0 } == [1, 1, 1, 8])
        for _ in 0..<3 { handler.reads.open() }
        for client in early + late { #expect(try client.answer().status == 200) }
    }

    @Test("waiting reads wake further threads up to the maximum, and these sleep again afterwards")
    func more() throws {
        let handler = Gated()
        let server = try TestServer(
            {
                ($0.threads, $0.processors, $0.permitTimeoutSeconds) = (6, 1, 0.001)
                $0.urgentPaths = ["/known"]
            }, answering: handler)
        let waiting = try clients(6, of: server)
        for client in waiting {
            client.send(Self.read)
            #expect(handler.reads.awaitArrival())
        }
        #expect(server.server.strength.resting == 0)
        #expect(handler.sizes.all.withLock { $0 } == [1, 1, 1, 1, 1, 1])
        let others = try clients(3, of: server)
        for client in others { client.send(Self.read) }
        for _ in 0..<(waiting.count + others.count) { handler.reads.open() }
        for client in waiting + others { #expect(try client.answer().status == 200) }
        try eventually { server.server.strength.resting == 4 }
    }

    @Test("long requests delay no others while a thread is free")
    func long() throws {
        let handler = Gated()
        let server = try TestServer(
            {
                ($0.threads, $0.processors, $0.permitTimeoutSeconds) = (6, 1, .infinity)
            }, answering: handler)
        let waiting = try clients(4, of: server)
        let readers = try clients(2, of: server)
        for client in waiting {
            client.send(Self.work)
            #expect(handler.works.awaitArrival())
        }
        for client in readers {
            client.send(Self.read)
            #expect(handler.reads.awaitArrival())
        }
        for _ in waiting { handler.works.open() }
        for _ in readers { handler.reads.open() }
        for client in waiting + readers { #expect(try client.answer().status == 200) }
        try eventually { server.server.strength.resting == 4 }
    }

    @Test("requests are answered while threads start and stop working", .timeLimit(.minutes(10)))
    func mixture() throws {
        let server = try TestServer(
            {
                ($0.threads, $0.processors, $0.permitTimeoutSeconds) = (5, 1, 0.001)
            },
            answering: Gated.opened)
        let streams = try clients(12, of: server)
        for round in 0..<200 {
            for (number, client) in streams.enumerated() {
                let kind = (round &* 7 &+ number &* 5) % 3
                client.send(kind == 0 ? Self.read : kind == 1 ? Self.work : Self.read + Self.work)
            }
            for (number, client) in streams.enumerated() {
                let kind = (round &* 7 &+ number &* 5) % 3
                #expect(try client.answer().status == 200)
                if kind == 2 { #expect(try client.answer().status == 200) }
            }
        }
    }
}

extension WorkerPoolTests.Gated {
    /// A handler whose gates are always open.
    fileprivate static var opened: Self {
        let handler = Self()
        for _ in 0..<20_000 {
            handler.reads.open()
            handler.works.open()
        }
        return handler
    }
}
