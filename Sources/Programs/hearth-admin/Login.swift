import Glibc

/// The person who runs this process, as the system knows it.
enum Login {
    /// The name that was logged in with; where there was no log-in, the name of the account.
    static var name: String? {
        if let name = getlogin() { return String(cString: name) }
        guard let entry = getpwuid(getuid()), let name = entry.pointee.pw_name else { return nil }
        return String(cString: name)
    }
}
