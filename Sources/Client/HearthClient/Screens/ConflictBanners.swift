/// Banners about conflicts, which a screen shows one after the other. Each stays until the person
/// has dismissed it.
struct ConflictBanners {
    private struct Banner {
        let conflict: Conflict
        let notice: ScreenNotice
    }

    private var banners: [Banner] = []

    /// Banner of the oldest conflict; nil if there is none.
    var first: ScreenNotice? { banners.first?.notice }

    /// Updates the banners from the conflicts in a store.
    ///
    /// - Parameters:
    ///   - queue: Changes that wait to be sent.
    ///   - shown: Banner that the screen shows.
    ///   - notice: Returns the banner of a conflict; nil if another screen shows it.
    /// - Returns: Banner to show from now on. The banner of an action stays in front of those of
    ///   conflicts, unless it announces a change that no longer waits.
    mutating func update(
        from store: FamilyStore, queue: [QueuedMutation], shown: ScreenNotice?,
        _ notice: (Conflict) -> ScreenNotice?
    ) throws -> ScreenNotice? {
        let former = banners
        var next: [Banner] = []
        for conflict in try store.read({ try $0.conflicts() }) {
            // A banner keeps its text: the member whom it names may be gone from the screen.
            let known = former.first { $0.conflict.id == conflict.id }?.notice
            if let notice = known ?? notice(conflict) {
                next.append(Banner(conflict: conflict, notice: notice))
            }
        }
        banners = next
        let isOver = shown?.isOutdated(by: queue) == true || shown == former.first?.notice
        return isOver ? first : shown
    }

    /// Dismisses the banner that the screen shows. A dismissed conflict is never shown again.
    ///
    /// - Parameters:
    ///   - notice: Banner to dismiss; nil for the shown one. If another one is shown, it stays.
    ///   - shown: Banner that the screen shows.
    ///   - language: Language of the banner for an error of the store.
    /// - Returns: Banner to show from now on; nil if there is none.
    mutating func dismiss(
        _ notice: ScreenNotice?, shown: ScreenNotice?, in store: FamilyStore?,
        language: String
    ) -> ScreenNotice? {
        if let notice, notice != shown { return shown }
        if let banner = banners.first, banner.notice == shown {
            do {
                try store?.dismiss(banner.conflict)
            } catch {
                return ScreenNotice(error, in: language)
            }
            banners.removeFirst()
        }
        return first
    }
}
