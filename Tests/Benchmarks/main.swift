import Glibc
import Postgres

// Benchmarks of single layers. `scripts/proofs/bench` runs them, some beside the tool that they are
// compared with. Each prints its rates or times.

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
