// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

struct CreateKeypairCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create-keypair",
        abstract: "Makes a pair of keys and stores both.",
        discussion: "The operand is the label of both keys."
    )

    @Option(row: "algorithm", .createKeypair) var algorithm: String?
    @Option(row: "size", .createKeypair) var size: String?
    @Option(row: "from", .createKeypair) var from: String?
    @Option(row: "to", .createKeypair) var to: String?
    @Option(row: "days", .createKeypair) var days: String?
    @Option(row: "keychain", .createKeypair) var keychain: String?
    @Option(row: "access-group", .createKeypair) var accessGroup: String?
    @Option(row: "accessible", .createKeypair) var accessible: String?
    @Flag(row: "any-application", .createKeypair) var anyApplication = false
    @Option(row: "trusted-application", .createKeypair) var trustedApplication: [String] = []
    @Argument(help: "The label of the keys.") var label: String?
}

struct AddCertificatesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add-certificates",
        abstract: "Adds the certificates of files, in PEM or DER."
    )

    @Option(row: "keychain", .addCertificates) var keychain: String?
    @Option(row: "access-group", .addCertificates) var accessGroup: String?
    @Option(row: "accessible", .addCertificates) var accessible: String?
    @Argument(help: "The files; - is standard input.") var files: [String] = []
}

struct FindKeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "find-key",
        abstract: "Finds keys.",
        discussion: "Every key is shown that agrees in all that is given."
    )

    @Option(row: "application-label", .findKey) var applicationLabel: String?
    @Option(row: "creator", .findKey) var creator: String?
    @Flag(row: "decrypt", .findKey) var decrypt = false
    @Option(row: "kind", .findKey) var kind: String?
    @Flag(row: "encrypt", .findKey) var encrypt = false
    @Option(row: "comment", .findKey) var comment: String?
    @Option(row: "application-tag", .findKey) var applicationTag: String?
    @Option(row: "label", .findKey) var label: String?
    @Flag(row: "derive", .findKey) var derive = false
    @Flag(row: "sign", .findKey) var sign = false
    @Option(row: "type", .findKey) var type: String?
    @Flag(row: "unwrap", .findKey) var unwrap = false
    @Flag(row: "verify", .findKey) var verify = false
    @Flag(row: "wrap", .findKey) var wrap = false
    @OptionGroup var keychains: KeychainOperands
}

struct FindCertificateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "find-certificate",
        abstract: "Finds certificates."
    )

    @Flag(row: "all", .findCertificate) var all = false
    @Option(row: "name", .findCertificate) var name: String?
    @Option(row: "email", .findCertificate) var email: String?
    @Flag(row: "show-email", .findCertificate) var showEmail = false
    @Flag(row: "pem", .findCertificate) var pem = false
    @Flag(row: "hashes", .findCertificate) var hashes = false
    @OptionGroup var keychains: KeychainOperands
}

struct FindIdentityCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "find-identity",
        abstract: "Lists identities: certificates together with their private keys.",
        discussion: FindIdentity.validityHelp
    )

    @Option(row: "policy", .findIdentity) var policy: String?
    @Option(row: "name", .findIdentity) var name: String?
    @Flag(row: "valid-only", .findIdentity) var validOnly = false
    @OptionGroup var keychains: KeychainOperands
}

struct DeleteCertificateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete-certificate",
        abstract: "Deletes a certificate; a name or a hash is required, and only one certificate may fit."
    )

    @Option(row: "name", .deleteCertificate) var name: String?
    @Option(row: "hash", .deleteCertificate) var hash: String?
    @Flag(row: "trust-settings", .deleteCertificate) var trustSettings = false
    @OptionGroup var keychains: KeychainOperands
}

struct DeleteIdentityCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete-identity",
        abstract: "Deletes a certificate, and its private key unless another certificate needs it.",
        discussion: "A name or a hash is required, and only one identity may fit."
    )

    @Option(row: "name", .deleteIdentity) var name: String?
    @Option(row: "hash", .deleteIdentity) var hash: String?
    @Flag(row: "trust-settings", .deleteIdentity) var trustSettings = false
    @OptionGroup var keychains: KeychainOperands
}

struct DeleteKeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete-key",
        abstract: "Deletes a key; a label or a tag is required, and only one key may match.",
        discussion: "Both keys of a pair have the same label: select one with -t private or -t public."
    )

    @Option(row: "application-label", .deleteKey) var applicationLabel: String?
    @Option(row: "application-tag", .deleteKey) var applicationTag: String?
    @Option(row: "label", .deleteKey) var label: String?
    @Option(row: "type", .deleteKey) var type: String?
    @OptionGroup var keychains: KeychainOperands
}

struct SetKeyPartitionListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set-key-partition-list",
        abstract: "Accepted for scripts that sign on macOS, without effect: access groups decide."
    )

    @Option(row: "partition-list", .partitionList) var partitionList: String?
    @Option(row: "password", .partitionList) var password: String?
    @Flag(row: "sign", .partitionList) var sign = false
    @Option(row: "application-label", .partitionList) var applicationLabel: String?
    @Option(row: "creator", .partitionList) var creator: String?
    @Flag(row: "decrypt", .partitionList) var decrypt = false
    @Option(row: "kind", .partitionList) var kind: String?
    @Flag(row: "encrypt", .partitionList) var encrypt = false
    @Option(row: "comment", .partitionList) var comment: String?
    @Option(row: "label", .partitionList) var label: String?
    @Flag(row: "derive", .partitionList) var derive = false
    @Option(row: "type", .partitionList) var type: String?
    @Flag(row: "unwrap", .partitionList) var unwrap = false
    @Flag(row: "verify", .partitionList) var verify = false
    @Flag(row: "wrap", .partitionList) var wrap = false
    @OptionGroup var keychain: KeychainOperand
}

struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Writes keys and certificates into a file.",
        discussion: """
            A file with private keys can be read by its owner alone. Several items make a PEM text, a pkcs12 file or, if \
            all are public keys, lines of openssh2. A pkcs12 file holds one private key; it and pkcs8 under a passphrase \
            need a build with the package trait PKCS12.
            """
    )

    @Option(row: "keychain", .export) var keychain: String?
    @Option(row: "type", .export) var type: String?
    @Option(row: "format", .export) var format: String?
    @Flag(row: "wrapped", .export) var wrapped = false
    @Flag(row: "pem", .export) var pem = false
    @Option(row: "passphrase", .export) var passphrase: String?
    @Option(row: "label", .export) var label: String?
    @Option(row: "output", .export) var output: String?
}

struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Adds the keys and certificates of a file.",
        discussion: """
            Everything in the file must be readable, else nothing is stored. What is in the keychain already is left as \
            it is, and the rest is added. PKCS#12 and encrypted PKCS#8 need a build with the package trait PKCS12.
            """
    )

    @Option(row: "keychain", .import) var keychain: String?
    @Option(row: "type", .import) var type: String?
    @Option(row: "format", .import) var format: String?
    @Flag(row: "wrapped", .import) var wrapped = false
    @Flag(row: "non-extractable", .import) var nonExtractable = false
    @Option(row: "passphrase", .import) var passphrase: String?
    @Option(row: "attribute", .import) var attribute: [String] = []
    @Flag(row: "any-application", .import) var anyApplication = false
    @Option(row: "trusted-application", .import) var trustedApplication: [String] = []
    @Option(row: "access-group", .import) var accessGroup: String?
    @Option(row: "accessible", .import) var accessible: String?
    @Argument(help: "The file; - is standard input.") var file: String?
}
