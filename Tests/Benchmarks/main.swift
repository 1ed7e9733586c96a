import Glibc
import Postgres

// Figures of single layers, each beside the tool it is compared with; run by `scripts/bench`.
// A benchmark prints one line: its name and its rate or time.

let arguments = Array(CommandLine.arguments.dropFirst())
switch arguments.first {
case "postgres":
    try benchmarkPostgres(Array(arguments.dropFirst()))
default:
    print("usage: benchmarks postgres URL CONNECTIONS (SECONDS | QUERIESq)")
    exit(64)
}
