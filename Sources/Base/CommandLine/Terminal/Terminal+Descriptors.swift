import Glibc

extension Terminal {
    /// Occupies the descriptors of standard streams that the process was started without. Otherwise
    /// a connection could get the number of a standard stream and receive results.
    ///
    /// They are opened on /dev/null in the opposite direction, so that writing results fails
    /// (EBADF) instead of losing them. Child processes inherit this.
    ///
    /// - Returns: Why it can't be done; nil when all three numbers are taken.
    static func takeStandardDescriptors() -> String? {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest free number.
            let mode = descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY
            guard open("/dev/null", mode) == descriptor else {
                return "/dev/null: \(String(cString: strerror(errno)))"
            }
        }
        return nil
    }
}
