import CTestSupport
import Glibc

/// Whether `body` asks for memory on the heap, given back again or not.
///
/// It runs on a thread of its own that has never asked before: glibc gives such a thread a cache
/// with its first request and counts it as in use until the thread ends. What has to be set up
/// once must have been. Others who come and go meanwhile disturb the count: so that it stays the
/// same in one of many tries is what tells that `body` asks for nothing.
package func allocatesMemory(_ body: @escaping @Sendable () -> Void) -> Bool {
    (0..<200).allSatisfy { _ in Heap.changes(during: body) }
}

private enum Heap {
    private final class Task {
        let body: @Sendable () -> Void
        var before = 0
        var after = 0
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    static func changes(during body: @escaping @Sendable () -> Void) -> Bool {
        let task = Task(body)
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                let task = Unmanaged<Task>.fromOpaque(context).takeUnretainedValue()
                task.before = mallinfo2().uordblks
                task.body()
                task.after = mallinfo2().uordblks
                return nil
            }, Unmanaged.passUnretained(task).toOpaque())
        guard code == 0 else { return true }
        pthread_join(thread, nil)
        return withExtendedLifetime(task) { task.before != task.after }
    }
}
