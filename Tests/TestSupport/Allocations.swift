import CTestSupport
import Glibc

/// Whether `body` allocates memory on the heap, even if it frees the memory.
///
/// `body` runs on a separate thread that has never allocated: glibc gives a thread a cache with its
/// first allocation, and counts the cache as in use until the thread ends. Do one-time set-up
/// before. Other threads disturb the count, so `body` is allocation-free if the count stays the
/// same in one of many tries.
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
