import Configuration
import Glibc

extension Metrics {
    /// Adds what is known of the process itself, under the names that dashboards expect.
    package func addProcess() {
        let started = Double(WallClock.system.now()) / 1000
        gauge("process_start_time_seconds", "When the process started, in Unix time.") { started }
        gauge("process_resident_memory_bytes", "Memory in use.") {
            // The second number is the resident set, in pages. Without it the metric is left out.
            guard let text = try? TextFile.read("/proc/self/statm", limitBytes: 4096) else {
                return nil
            }
            let words = text.split(separator: " ")
            guard words.count > 1, let pages = Double(words[1]) else { return nil }
            return pages * Double(sysconf(Int32(_SC_PAGESIZE)))
        }
        sampledCounter("process_cpu_seconds_total", "Processor time used.") {
            var usage = rusage()
            guard getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 else { return nil }
            let seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
            let micros = usage.ru_utime.tv_usec + usage.ru_stime.tv_usec
            return Double(seconds) + Double(micros) / 1e6
        }
    }
}
