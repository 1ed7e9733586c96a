// Importing `Domain` also imports the roles, family codes and refusal codes that `HearthClient`
// shares with the server.
@_exported public import DomainCore
