// Whoever imports `Domain` also has roles, family codes and refusal codes, which `HearthClient`
// shares with the server.
@_exported public import DomainCore
