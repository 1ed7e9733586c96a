import Glibc
import Postgres

// Benchmarks of single layers, each beside the tool it is compared with; run by
// `scripts/proofs/bench`. A benchmark prints one line: its name and its rate or time.

let arguments = Array(CommandLine.arguments.dropFirst())
switch arguments.first {
case "postgres":
    try benchmarkPostgres(Array(arguments.dropFirst()))
case "queue":
    try benchmarkQueue(Array(arguments.dropFirst()))
case "client":
    if try await !benchmarkClient(Array(arguments.dropFirst())) { exit(1) }
case "policy":
    if !benchmarkPolicy(Array(arguments.dropFirst())) { exit(1) }
default:
    print("usage: benchmarks postgres URL CONNECTIONS (SECONDS | QUERIESq)")
    print("       benchmarks policy [BATCHES]")
    print("       benchmarks client [TIMES]")
    print("       benchmarks queue (drain | pickup | steady) URL ...")
    exit(64)
}
