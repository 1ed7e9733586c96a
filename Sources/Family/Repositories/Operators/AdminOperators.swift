package import Domain
package import Postgres

extension OperatorRole: PostgresWord {}

/// An account with the role of an operator.
package struct AdminOperator: RowDecodable, Sendable {
    package let account: UserID
    /// E-mail address; nil if the account has none.
    package let email: String?
    /// The person's name; nil if there is none.
    package let fullName: String?
    package let role: OperatorRole
    package let addedAt: Timestamp
    /// Label in the audit log of the operator who gave the role.
    package let addedBy: String

    package static let row = RowDecoder(Self.init)
}

/// Statements about the roles of operators.
package enum AdminOperators {
    /// Returns all operators, the first one added first.
    package static let all = Statement<AdminOperator>(
        """
        SELECT o.user_id, u.email, u.full_name, o.role, o.added_at, o.added_by
        FROM app.operators AS o JOIN app.users AS u ON u.id = o.user_id
        ORDER BY o.added_at, o.user_id
        """)
    /// Makes an account an operator with a role (true), or gives an operator another role; returns
    /// false if the account has this role already.
    package static let setRole = Statement<Scalar<Bool>, UserID, OperatorRole, Bool>(
        "SELECT app.operator_set_role($1, $2, $3)")
    /// Takes the role of an operator away; returns false if the account has none.
    package static let remove = Statement<Scalar<Bool>, UserID>("SELECT app.operator_remove($1)")
}
