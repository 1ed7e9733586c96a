/// How requests that come at once are answered together, where that costs less than one by one.
package struct ReadBatcher: Sendable {
    /// Whether a request may be answered so. Asked of each before anything else, so it must not
    /// wait for anything.
    package let admits: @Sendable (Request) -> Bool
    /// The responses to requests that were admitted; nil for those that the handler has to answer
    /// after all. Each waits for all: so nothing that may take long.
    let answer: @Sendable ([Request]) -> [Response?]

    package init(
        admits: @escaping @Sendable (Request) -> Bool,
        answer: @escaping @Sendable ([Request]) -> [Response?]
    ) {
        self.admits = admits
        self.answer = answer
    }
}
