import Basics

/// The pictures that the pages draw for a member's avatar key. Any other key is an app's own, whose
/// picture the pages don't have: they show the initials.
///
/// Nothing is loaded: a drawing is part of the page, in the colours of the page's style.
enum AvatarDrawing: String, CaseIterable {
    case bear, cat, dog, fox, owl, rabbit, star

    /// Returns the drawing for a key; nil for a key without one.
    init?(key: String?) {
        guard let key, let drawing = Self(rawValue: key.lowercased()) else { return nil }
        self = drawing
    }

    /// The drawing, 48 units wide. Its shapes have the colour of the text, the eyes a dark one.
    var svg: HTML {
        "<svg viewBox=\"0 0 48 48\" focusable=\"false\">\(shapes)</svg>"
    }

    private var shapes: HTML {
        switch self {
        case .bear:
            """
            \(Self.circle(13, 15, 5))\(Self.circle(35, 15, 5))\(Self.circle(24, 26, 13))\
            \(Self.eyes(24))\(Self.nose(30))
            """
        case .cat:
            """
            <path d="M12 8l11 8-10 9zM36 8l-11 8 10 9z"/>\(Self.circle(24, 26, 12))\
            \(Self.eyes(24))\(Self.nose(30))
            """
        case .dog:
            """
            <path d="M9 13h7v18q-7 2-7-7zM39 13h-7v18q7 2 7-7z"/>\(Self.circle(24, 25, 12))\
            \(Self.eyes(22))\(Self.nose(29))
            """
        case .fox:
            """
            <path d="M9 10l9 6h12l9-6-2 17-13 12-13-12z"/>\(Self.eyes(24))\(Self.nose(36))
            """
        case .owl:
            """
            <path d="M12 9l9 5-8 7zM36 9l-9 5 8 7z"/>\(Self.circle(24, 25, 13))\
            \(Self.circle(19, 23, 5, isDark: true))\(Self.circle(29, 23, 5, isDark: true))\
            \(Self.circle(19, 23, 2))\(Self.circle(29, 23, 2))\
            <path class="dark" d="M22 30h4l-2 4z"/>
            """
        case .rabbit:
            """
            <path d="M17 24q-4-18 0-19t5 17zM31 24q4-18 0-19t-5 17z"/>\(Self.circle(24, 30, 11))\
            \(Self.eyes(28))\(Self.nose(33))
            """
        case .star: "<path d=\"M24 7l5 11 12 1-9 8 3 12-11-6-11 6 3-12-9-8 12-1z\"/>"
        }
    }

    private static func circle(
        _ x: Int, _ y: Int, _ radius: Int, isDark: Bool = false
    ) -> HTML {
        let style: HTML = isDark ? " class=\"dark\"" : ""
        return "<circle\(style) cx=\"\(String(x))\" cy=\"\(String(y))\" r=\"\(String(radius))\"/>"
    }

    private static func eyes(_ y: Int) -> HTML {
        "\(circle(19, y, 2, isDark: true))\(circle(29, y, 2, isDark: true))"
    }

    private static func nose(_ y: Int) -> HTML { circle(24, y, 2, isDark: true) }
}
