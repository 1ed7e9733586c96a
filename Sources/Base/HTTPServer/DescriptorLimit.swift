import CLinux
import Glibc

/// The number of files and sockets that this process may open.
package enum DescriptorLimit {
    /// Raises the limit to `requested`, or to the process's hard limit if that is lower, and
    /// returns the limit in effect.
    package static func raise(to requested: Int) -> Int {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard getrlimit(resource, &limit) == 0 else { return 0 }
        guard limit.rlim_cur < rlim_t(requested) else { return Int(clamping: limit.rlim_cur) }
        var raised = limit
        raised.rlim_cur = min(rlim_t(requested), limit.rlim_max)
        guard setrlimit(resource, &raised) == 0 else { return Int(clamping: limit.rlim_cur) }
        return Int(clamping: raised.rlim_cur)
    }
}
