import CLinux
import Glibc

/// The number of processors that this process may use.
package enum Processors {
    /// Number of processors that affinity and control groups leave to this process, at least 1. A
    /// quota of one and a half processors counts as two.
    package static let usable = max(
        1, min(allowedByAffinity, ControlGroups.quota(in: "/") ?? .max))

    private static var allowedByAffinity: Int {
        // One bit per processor.
        var set = [UInt64](repeating: 0, count: 128)
        guard sched_getaffinity(0, set.count * MemoryLayout<UInt64>.size, &set) >= 0 else {
            return sysconf(Int32(_SC_NPROCESSORS_ONLN))
        }
        return set.reduce(0) { $0 + $1.nonzeroBitCount }
    }
}

/// Processor quotas of control groups, which containers and systemd's `CPUQuota` set.
enum ControlGroups {
    /// Returns the smallest quota of the process's group and the groups around it, in whole
    /// processors, rounded up; nil if there is none.
    ///
    /// - Parameter root: Folder that contains `proc` and `sys`.
    static func quota(in root: String) -> Int? {
        var smallest: Double?
        for group in content("\(root)/proc/self/cgroup").split(separator: "\n") {
            // hierarchy:controllers:path; version 2 has no controllers.
            let parts = group.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3 else { continue }
            let isSecondVersion = parts[1].isEmpty
            guard isSecondVersion || parts[1].split(separator: ",").contains("cpu")
            else { continue }
            let mount = "\(root)/sys/fs/cgroup" + (isSecondVersion ? "" : "/\(parts[1])")
            for folder in [mount] + folders(of: parts[2], below: mount) {
                let limit = isSecondVersion ? quota(folder) : firstQuota(folder)
                guard let limit else { continue }
                smallest = min(smallest ?? limit, limit)
            }
        }
        return smallest.map { Int($0.rounded(.up)) }
    }

    private static func folders(of path: Substring, below mount: String) -> [String] {
        var folder = mount
        return path.split(separator: "/").map { name in
            folder += "/\(name)"
            return folder
        }
    }

    /// Reads `cpu.max` of version 2: quota and period in microseconds, or "max" and the period.
    private static func quota(_ folder: String) -> Double? {
        let numbers = content("\(folder)/cpu.max").split(whereSeparator: \.isWhitespace)
        guard numbers.count == 2 else { return nil }
        return processors(numbers[0], numbers[1])
    }

    /// Reads the two files of version 1; the quota is -1 if there is none.
    private static func firstQuota(_ folder: String) -> Double? {
        processors(
            content("\(folder)/cpu.cfs_quota_us")[...], content("\(folder)/cpu.cfs_period_us")[...])
    }

    private static func processors(_ quota: Substring, _ period: Substring) -> Double? {
        func number(_ text: Substring) -> Double? {
            Double(text.prefix { !$0.isWhitespace })
        }
        guard let quota = number(quota), let period = number(period), quota > 0, period > 0
        else { return nil }
        return quota / period
    }

    /// Returns a file's first bytes; an empty text if the file can't be read or doesn't exist.
    private static func content(_ path: String) -> String {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return "" }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 16 * 1024)
        var used = 0
        while used < bytes.count {
            let count = bytes[used...].withUnsafeMutableBytes {
                read(file, $0.baseAddress, $0.count)
            }
            if count <= 0 { break }
            used += count
        }
        return String(decoding: bytes[..<used], as: UTF8.self)
    }
}
