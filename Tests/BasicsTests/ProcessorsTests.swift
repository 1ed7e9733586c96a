import Foundation
import Testing

@testable import Basics

@Suite("Processor quotas")
struct ProcessorsTests {
    @Test(
        "the smallest CPU quota of a group and its parent groups applies, rounded up",
        arguments: [
            // Version 2: the group itself, a group around it, none.
            (["cgroup": "0::/a/b", "a/b/cpu.max": "250000 100000"], 3),
            (["cgroup": "0::/a/b", "a/cpu.max": "50000 100000", "a/b/cpu.max": "max 100000"], 1),
            (["cgroup": "0::/a/b", "a/b/cpu.max": "max 100000"], nil),
            (["cgroup": "0::/", "cpu.max": "400000 100000"], 4),
            // Version 1, beside other controllers.
            (
                [
                    "cgroup": "9:memory:/a\n3:cpu,cpuacct:/a",
                    "cpu,cpuacct/a/cpu.cfs_quota_us": "150000\n",
                    "cpu,cpuacct/a/cpu.cfs_period_us": "100000\n",
                ], 2
            ),
            (
                [
                    "cgroup": "3:cpu:/", "cpu/cpu.cfs_quota_us": "-1",
                    "cpu/cpu.cfs_period_us": "100000",
                ], nil
            ),
            // Nothing that can be read, or not in this form.
            ([:], nil), (["cgroup": "nonsense"], nil),
            (["cgroup": "0::/a", "a/cpu.max": "many 100000"], nil),
            (["cgroup": "0::/a", "a/cpu.max": "0 0"], nil),
        ] as [([String: String], Int?)])
    func quotas(files: [String: String], expected: Int?) throws {
        let root = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: root) }
        for (name, content) in files {
            let path = root.appending(
                path: name == "cgroup" ? "proc/self/cgroup" : "sys/fs/cgroup/\(name)")
            try FileManager.default.createDirectory(
                at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
            try content.write(to: path, atomically: true, encoding: .utf8)
        }
        #expect(ControlGroups.quota(in: root.path) == expected)
    }

    @Test("a process may use at least one processor and at most all")
    func affinity() throws {
        #expect(Processors.usable >= 1)
        #expect(Processors.usable <= sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    }
}
