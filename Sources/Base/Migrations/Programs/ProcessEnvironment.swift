// The C library declares `environ` as a plain variable, which Swift can't know to be settled.
@preconcurrency import Glibc

extension ChildProcess {
    /// This process's environment, which nothing in the runner changes.
    static func inherited() -> [String: String] {
        var found: [String: String] = [:]
        var entry: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> = environ
        while let pointer = entry.pointee {
            let line = String(cString: pointer)
            if let equals = line.firstIndex(of: "=") {
                found[String(line[..<equals])] = String(line[line.index(after: equals)...])
            }
            entry += 1
        }
        return found
    }
}
