extension QRCode {
    /// The code as an SVG document with its size in modules, including the quiet zone.
    ///
    /// It needs no style sheet or script, so any page can contain it.
    package var svg: String {
        let side = size + 2 * Self.quietZone
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(side) \(side)" \
            shape-rendering="crispEdges"><rect width="\(side)" height="\(side)" fill="#fff"/>\
            <path fill="#000" d="\(path)"/></svg>
            """
    }

    /// A path with a rectangle for each run of dark modules in a row.
    private var path: String {
        var path = ""
        for row in 0..<size {
            var column = 0
            while column < size {
                let start = column
                while isDark(row: row, column: column) { column += 1 }
                let length = column - start
                if length > 0 {
                    path += "M\(start + Self.quietZone) \(row + Self.quietZone)h\(length)v1"
                    path += "h-\(length)z"
                }
                column += 1
            }
        }
        return path
    }
}
