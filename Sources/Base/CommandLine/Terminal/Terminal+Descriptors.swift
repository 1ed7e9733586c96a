import Glibc

extension Terminal {
    /// Takes the numbers of standard streams that the process was started without, before anything
    /// else gets them: a connection under the number of a standard stream would be sent results.
    ///
    /// They lead to /dev/null, opened for the opposite of what the stream is for, so that results
    /// fail to be written (EBADF) instead of vanishing. Programs that are started inherit this.
    ///
    /// - Returns: Why it can't be done; nil when all three numbers are taken.
    static func takeStandardDescriptors() -> String? {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest number that is free: those below it are taken.
            let mode = descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY
            guard open("/dev/null", mode) == descriptor else {
                return "/dev/null: \(String(cString: strerror(errno)))"
            }
        }
        return nil
    }
}
