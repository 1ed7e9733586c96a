// Initialisers for the most frequent numbers of columns: the compiler prefers them to the one with
// a parameter pack. It compiles them to straight code, whereas a pack is iterated at run time and
// its types are looked up for each row: decoding takes half the time.

extension RowDecoder {
    @inlinable
    package init<
        A: RowPart, B: RowPart
    >(
        _ make:
            @escaping @Sendable (
                A, B
            ) throws(PostgresError) -> Value
    ) {
        self.init(
            of: A.self, B.self
        ) { (row: inout RowReader) throws(PostgresError) in
            try make(
                row.part(), row.part())
        }
    }

    @inlinable
    package init<
        A: RowPart, B: RowPart, C: RowPart
    >(
        _ make:
            @escaping @Sendable (
                A, B, C
            ) throws(PostgresError) -> Value
    ) {
        self.init(
            of: A.self, B.self, C.self
        ) { (row: inout RowReader) throws(PostgresError) in
            try make(
                row.part(), row.part(), row.part())
        }
    }

    @inlinable
    package init<
        A: RowPart, B: RowPart, C: RowPart, D: RowPart
    >(
        _ make:
            @escaping @Sendable (
                A, B, C, D
            ) throws(PostgresError) -> Value
    ) {
        self.init(
            of: A.self, B.self, C.self, D.self
        ) { (row: inout RowReader) throws(PostgresError) in
            try make(
                row.part(), row.part(), row.part(), row.part())
        }
    }

    @inlinable
    package init<
        A: RowPart, B: RowPart, C: RowPart, D: RowPart, E: RowPart, F: RowPart
    >(
        _ make:
            @escaping @Sendable (
                A, B, C, D, E, F
            ) throws(PostgresError) -> Value
    ) {
        self.init(
            of: A.self, B.self, C.self, D.self, E.self, F.self
        ) { (row: inout RowReader) throws(PostgresError) in
            try make(
                row.part(), row.part(), row.part(), row.part(), row.part(), row.part())
        }
    }

    @inlinable
    package init<
        A: RowPart, B: RowPart, C: RowPart, D: RowPart, E: RowPart, F: RowPart, G: RowPart,
        H: RowPart, I: RowPart, J: RowPart
    >(
        _ make:
            @escaping @Sendable (
                A, B, C, D, E, F, G, H, I, J
            ) throws(PostgresError) -> Value
    ) {
        self.init(
            of: A.self, B.self, C.self, D.self, E.self, F.self, G.self, H.self, I.self, J.self
        ) { (row: inout RowReader) throws(PostgresError) in
            try make(
                row.part(), row.part(), row.part(), row.part(), row.part(), row.part(),
                row.part(), row.part(), row.part(), row.part())
        }
    }

    @inlinable
    package init<
        A: RowPart, B: RowPart, C: RowPart, D: RowPart, E: RowPart, F: RowPart, G: RowPart,
        H: RowPart, I: RowPart, J: RowPart, K: RowPart, L: RowPart, M: RowPart, N: RowPart
    >(
        _ make:
            @escaping @Sendable (
                A, B, C, D, E, F, G, H, I, J, K, L, M, N
            ) throws(PostgresError) -> Value
    ) {
        self.init(
            of: A.self, B.self, C.self, D.self, E.self, F.self, G.self, H.self, I.self, J.self,
            K.self, L.self, M.self, N.self
        ) { (row: inout RowReader) throws(PostgresError) in
            try make(
                row.part(), row.part(), row.part(), row.part(), row.part(), row.part(),
                row.part(), row.part(), row.part(), row.part(), row.part(), row.part(),
                row.part(), row.part())
        }
    }

    @inlinable
    package init<
        A: RowPart, B: RowPart, C: RowPart, D: RowPart, E: RowPart, F: RowPart, G: RowPart,
        H: RowPart, I: RowPart, J: RowPart, K: RowPart, L: RowPart, M: RowPart, N: RowPart,
        O: RowPart, P: RowPart, Q: RowPart, R: RowPart, S: RowPart, T: RowPart, U: RowPart
    >(
        _ make:
            @escaping @Sendable (
                A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P, Q, R, S, T, U
            ) throws(PostgresError) -> Value
    ) {
        self.init(
            of: A.self, B.self, C.self, D.self, E.self, F.self, G.self, H.self, I.self, J.self,
            K.self, L.self, M.self, N.self, O.self, P.self, Q.self, R.self, S.self, T.self,
            U.self
        ) { (row: inout RowReader) throws(PostgresError) in
            try make(
                row.part(), row.part(), row.part(), row.part(), row.part(), row.part(),
                row.part(), row.part(), row.part(), row.part(), row.part(), row.part(),
                row.part(), row.part(), row.part(), row.part(), row.part(), row.part(),
                row.part(), row.part(), row.part())
        }
    }

    @inlinable
    package init<
        A: RowPart, B: RowPart, C: RowPart, D: RowPart, E: RowPart, F: RowPart, G: RowPart,
        H: RowPart, I: RowPart, J: RowPart, K: RowPart, L: RowPart, M: RowPart, N: RowPart,
        O: RowPart, P: RowPart, Q: RowPart, R: RowPart, S: RowPart, T: RowPart, U: RowPart,
        V: RowPart, W: RowPart, X: RowPart, Y: RowPart, Z: RowPart, AA: RowPart
    >(
        _ make:
            @escaping @Sendable (
                A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P, Q, R, S, T, U, V, W, X, Y, Z, AA
            ) throws(PostgresError) -> Value
    ) {
        self.init(
            of: A.self, B.self, C.self, D.self, E.self, F.self, G.self, H.self, I.self, J.self,
            K.self, L.self, M.self, N.self, O.self, P.self, Q.self, R.self, S.self, T.self,
            U.self, V.self, W.self, X.self, Y.self, Z.self, AA.self
        ) { (row: inout RowReader) throws(PostgresError) in
            try make(
                row.part(), row.part(), row.part(), row.part(), row.part(), row.part(),
                row.part(), row.part(), row.part(), row.part(), row.part(), row.part(),
                row.part(), row.part(), row.part(), row.part(), row.part(), row.part(),
                row.part(), row.part(), row.part(), row.part(), row.part(), row.part(),
                row.part(), row.part(), row.part())
        }
    }
}
