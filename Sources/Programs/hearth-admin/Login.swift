import Glibc

/// The person who runs this process, according to the operating system.
enum Login {
    /// The login name; if nobody is logged in, the name of the process's account.
    static var name: String? {
        if let name = getlogin() { return String(cString: name) }
        guard let entry = getpwuid(getuid()), let name = entry.pointee.pw_name else { return nil }
        return String(cString: name)
    }
}
