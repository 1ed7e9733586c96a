import Basics

/// The page on which somebody refuses further invitations by e-mail.
///
/// Its forms carry no token of the browser: mail programs send them, too (RFC 8058), and the link's
/// own token authorizes them.
enum RefuseInvitationsPage {
    /// Returns the page that asks which invitations to refuse.
    static func question(_ visit: PageVisit, family: String, token: String) throws -> Reply {
        let parts = PageParts(visit: visit)
        let content: HTML = """
            \(parts.heading(parts.text(.mail), parts.text(.question)))
            <p class="lead">\(parts.text(.advice))</p>
            <form method="post" action="refuse-invitations?token=\(token)">
            \(parts.button(parts.text(.noneOf(family))))</form>
            <form method="post" action="refuse-invitations?token=\(token)&amp;all=true">
            \(parts.button(parts.text(.noneOfAny), style: "plain"))</form>

            """
        return try visit.reply(PageLayout(title: parts.text(.question), content: content))
    }

    /// Returns the page for a link that is incomplete or leads to no invitation any more.
    static func dead(_ visit: PageVisit, _ problem: Problem) throws -> Reply {
        let parts = PageParts(visit: visit)
        let content: HTML = """
            \(parts.heading(parts.text(.mail), parts.text(.dead)))
            <p class="lead">\(parts.text(.deadAdvice))</p>

            """
        var reply = try visit.reply(
            PageLayout(title: parts.text(.dead), content: content, hasForms: false),
            problem: problem)
        reply.headers += problem.headers
        return reply
    }

    static func done(_ visit: PageVisit) throws -> Reply {
        let parts = PageParts(visit: visit)
        let content: HTML = """
            \(parts.heading(parts.text(.mail), parts.text(.done)))
            <p class="lead">\(parts.text(.doneAdvice))</p>

            """
        return try visit.reply(
            PageLayout(title: parts.text(.done), content: content, hasForms: false))
    }
}
