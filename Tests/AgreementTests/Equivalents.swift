/// Mutants that nothing could notice, each with why: the database does the same with them.
enum Equivalents {
    private static let reasons: [(mutant: String, reason: String)] = []

    static func reason(for mutant: String) -> String? {
        reasons.first { mutant.contains($0.mutant) }?.reason
    }
}
