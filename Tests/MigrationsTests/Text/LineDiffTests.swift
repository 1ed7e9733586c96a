import Testing

@testable import Migrations

struct LineDiffTests {
    @Test("equal texts have no difference")
    func equal() {
        let diff = LineDiff(from: ["a", "b"], to: ["a", "b"])
        #expect(diff.unified(oldName: "x", newName: "y").isEmpty)
    }

    @Test("a changed line is shown between its neighbours like in diff -u")
    func unified() {
        let old = (1...9).map(String.init)
        let new = old.map { $0 == "5" ? "five" : $0 }
        let expected = [
            "--- applied", "+++ file", "@@ -2,7 +2,7 @@", " 2", " 3", " 4", "-5", "+five", " 6",
            " 7", " 8",
        ]
        #expect(
            LineDiff(from: old, to: new).unified(oldName: "applied", newName: "file") == expected)
    }

    @Test("a diff from an empty text names line 0 of the old text")
    func added() {
        let lines = LineDiff(from: [], to: ["a"]).unified(oldName: "x", newName: "y")
        #expect(lines == ["--- x", "+++ y", "@@ -0,0 +1 @@", "+a"])
    }

    @Test("changes far apart are shown in separate hunks")
    func hunks() {
        let old = (1...40).map(String.init)
        let new = old.filter { $0 != "3" } + ["41"]
        let lines = LineDiff(from: old, to: new).unified(oldName: "x", newName: "y")
        #expect(lines.filter { $0.hasPrefix("@@") }.count == 2)
    }

    @Test("removed and added lines reproduce both texts, whatever they are", arguments: 0..<200)
    func rebuilds(seed: UInt64) {
        var random = SplitMix(seed)
        let old = (0..<Int(random.next() % 20)).map { _ in String(random.next() % 4) }
        let new = (0..<Int(random.next() % 20)).map { _ in String(random.next() % 4) }
        let lines = LineDiff(from: old, to: new, maximumEdits: Int(random.next() % 40)).lines
        let rebuiltOld = lines.filter(\.isInOld).map { String($0.marked.dropFirst()) }
        let rebuiltNew = lines.filter(\.isInNew).map { String($0.marked.dropFirst()) }
        #expect(rebuiltOld == old)
        #expect(rebuiltNew == new)
    }
}
