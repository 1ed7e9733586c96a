// The C library declares `environ` as a plain variable, which Swift can't know to be settled.
@preconcurrency import Glibc

/// The process's environment variables.
package enum Environment {
    /// All variables, as they are now. Meant for the start of a program: nothing in Hearth changes
    /// the environment, and no thread may while this reads it.
    ///
    /// Variables that are not UTF-8 have their wrong bytes replaced.
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
