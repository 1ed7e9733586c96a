/// Returns `; did you mean '--json'?` if one of the known words is close, else nothing.
///
/// A close word begins with the typed text, or is at most a third of its letters away by insertion,
/// deletion, replacement or swap of neighbours.
package func suggestion(for word: String, among candidates: [String]) -> String {
    guard let nearest = nearest(to: word, among: candidates) else { return "" }
    return "; did you mean '\(nearest)'?"
}

/// Returns the known word that was probably meant, as ``suggestion(for:among:)`` finds it; nil if
/// none is close, or several begin with the typed text.
package func nearest(to word: String, among candidates: [String]) -> String? {
    let typed = Array(word.lowercased())
    let letters = typed.filter { $0 != "-" }.count
    guard letters > 0 else { return nil }
    // A single candidate with this prefix counts as an abbreviation; several are ambiguous.
    let beginning = candidates.filter { $0.lowercased().hasPrefix(word.lowercased()) }
    if beginning.count == 1 { return beginning[0] }
    let limit = max(1, letters / 3)
    let ranked = candidates.map { ($0, editDistance(typed, Array($0.lowercased()))) }
        .filter { $0.1 <= limit && $0.1 < letters }
    return ranked.min { $0.1 < $1.1 }?.0
}

/// Returns the number of insertions, deletions, replacements and swaps of neighbours between two
/// words (optimal string alignment).
package func editDistance(_ a: [Character], _ b: [Character]) -> Int {
    var twoBack: [Int] = []
    var previous = Array(0...b.count)
    for i in a.indices {
        var current = [i + 1]
        for j in b.indices {
            var best = min(previous[j + 1] + 1, current[j] + 1)
            best = min(best, previous[j] + (a[i] == b[j] ? 0 : 1))
            if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
                best = min(best, twoBack[j - 1] + 1)
            }
            current.append(best)
        }
        twoBack = previous
        previous = current
    }
    return previous[b.count]
}
