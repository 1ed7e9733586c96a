/// Statements that the API does not honour yet, by what `AppRequirement` calls them.
enum AwaitedRequirements {
    // swift-format-ignore
    static let names: Set<String> = [
        "Family Movie Night: profile switcher, VotingView, RatingView, ActiveProfileBanner, OQ-4: Votes and ratings, which the app keeps itself, are carried by a delegation's token",
    ]
}
