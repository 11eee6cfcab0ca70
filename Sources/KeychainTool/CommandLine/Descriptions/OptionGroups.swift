// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The attributes of either class of password.
struct ItemOptions: ParsableArguments {
    @Option(row: "account", .passwords) var account: String?
    @Option(row: "creator", .passwords) var creator: String?
    @Option(row: "type", .passwords) var type: String?
    @Option(row: "kind", .passwords) var kind: String?
    @Option(row: "comment", .passwords) var comment: String?
    @Option(row: "label", .passwords) var label: String?
    @Option(row: "access-group", .passwords) var accessGroup: String?
    @Flag(row: "synchronizable", .passwords) var synchronizable = false
}

/// The attributes of generic passwords.
struct GenericOptions: ParsableArguments {
    @Option(row: "service", .generic) var service: String?
    @Option(row: "generic", .generic) var generic: String?
}

/// The attributes of internet passwords.
struct InternetOptions: ParsableArguments {
    @Option(row: "server", .internet) var server: String?
    @Option(row: "security-domain", .internet) var securityDomain: String?
    @Option(row: "path", .internet) var path: String?
    @Option(row: "port", .internet) var port: String?
    @Option(row: "protocol", .internet) var `protocol`: String?
    @Option(row: "authentication-type", .internet) var authenticationType: String?
}

/// What adding takes beside attributes.
struct AddOptions: ParsableArguments {
    @Option(row: "password", .add) var password: String?
    @Option(row: "hexadecimal-password", .add) var hexadecimalPassword: String?
    @Flag(row: "update", .add) var update = false
    @Option(row: "accessible", .add) var accessible: String?
    @Option(row: "access-control", .add) var accessControl: String?
    @Option(row: "application-password", .add) var applicationPassword: String?
    @Flag(row: "any-application", .add) var anyApplication = false
    @Option(row: "trusted-application", .add) var trustedApplication: [String] = []
    @OptionGroup var keychain: KeychainOperand
}

/// What finding takes beside attributes.
struct FindOptions: ParsableArguments {
    @Flag(row: "show-password", .find) var showPassword = false
    @Flag(row: "password-only", .find) var passwordOnly = false
    @Flag(row: "raw", .find) var raw = false
    @Flag(row: "json", .find) var json = false
    @Option(row: "application-password", .find) var applicationPassword: String?
    @OptionGroup var keychains: KeychainOperands
}

/// The keychains to search.
struct KeychainOperands: ParsableArguments {
    @Argument(help: "Keychains: names such as build.keychain, or absolute paths of directories.")
    var keychains: [String] = []
}

/// The keychain to use.
struct KeychainOperand: ParsableArguments {
    @Argument(help: "The keychain: a name such as build.keychain, or the absolute path of a directory.")
    var keychain: String?
}
