/// Names of requirements that the API does not meet yet, as in `AppRequirement`.
enum AwaitedRequirements {
    static let names: Set<String> = []
}
