/// Statements that the API does not honour yet, by what `AppRequirement` calls them.
enum AwaitedRequirements {
    static let names: Set<String> = []
}
