// The C library declares `environ` as a plain variable, so Swift can't know that it never changes.
@preconcurrency import Glibc

/// Environment variables of this process.
package enum Environment {
    /// All variables as they are now. Meant for the start of a program: nothing in Hearth changes
    /// the environment, and no thread may change it while it is being read.
    ///
    /// In variables that are not UTF-8, invalid bytes are replaced.
    package static var variables: [String: String] {
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
