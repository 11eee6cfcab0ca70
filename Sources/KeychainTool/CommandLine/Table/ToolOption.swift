// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

/// The type of an option's value, which determines how the value is parsed.
package enum OptionKind: Sendable {
    case flag
    case text
    /// A string, used as its UTF-8 bytes.
    case bytes
    /// Up to four characters, padded with spaces: a protocol or an authentication type.
    case code
    /// Up to four characters, padded with spaces, used as a 32-bit number.
    case numericCode
    /// The name of a protection class.
    case protection
    /// A day, or `never`.
    case day
    /// A number from 0 to 65,535.
    case port
    /// A password; without a value it is prompted for or read from standard input.
    case secret
    /// A password in hexadecimal digits.
    case hexadecimal
    /// The passphrase of a file; without a value it is prompted for or read from standard input.
    case passphrase
    /// A name and, as the next argument, a value; parsed as two occurrences of the option.
    case pair

    package var isSecret: Bool { [.secret, .hexadecimal, .passphrase].contains(self) }
}

/// An option of the tool or of a verb, for the parser, help and completion scripts.
package struct ToolOption: Sendable {
    /// The letter after one dash, as on macOS if macOS has the option; `nil` for an option with only a name.
    package let letter: Unicode.Scalar?
    /// The name after two dashes; macOS has no long names.
    package let name: String
    package let kind: OptionKind
    /// The attribute that the value sets; `nil` if it sets none.
    package let attribute: Attribute?
    /// The name of the value in help; empty for a flag.
    package let placeholder: String
    package let help: String
    /// Whether each occurrence counts, not only the last.
    package let isRepeatable: Bool
    /// The values that completion offers; empty if the option takes any value.
    package private(set) var values: [String] = []

    init(
        _ letter: Unicode.Scalar?,
        _ name: String,
        _ kind: OptionKind,
        _ attribute: Attribute?,
        _ placeholder: String,
        isRepeatable: Bool = false,
        _ help: String
    ) {
        self.letter = letter
        self.name = name
        self.kind = kind
        self.attribute = attribute
        self.placeholder = placeholder
        self.help = help
        self.isRepeatable = isRepeatable
    }

    /// Returns the option with values that completion offers.
    func taking(_ values: [String]) -> Self {
        var option = self
        option.values = values
        return option
    }

    init(_ letter: Unicode.Scalar?, _ name: String, _ kind: OptionKind, _ help: String) {
        self.init(letter, name, kind, nil, "", help)
    }

    init(
        _ letter: Unicode.Scalar?,
        _ name: String,
        _ kind: OptionKind,
        _ attribute: Attribute,
        _ help: String
    ) {
        self.init(letter, name, kind, attribute, "", help)
    }
}

extension ToolOption {
    static let json = ToolOption(nil, "json", .flag, "Print JSON.")
}

package struct Operand: Sendable {
    package let name: String
    package let help: String
    /// The maximum number of operands.
    package let limit: Int
    /// Whether an operand is a secret, which interactive mode must not keep in its history.
    let isSecret: Bool

    init(name: String, help: String, limit: Int, isSecret: Bool = false) {
        self.name = name
        self.help = help
        self.limit = limit
        self.isSecret = isSecret
    }

    static let keychain = Self(
        name: "keychain",
        help: "The keychain: a name such as build.keychain, or the absolute path of a directory.",
        limit: 1
    )
    static let keychains = Self(
        name: "keychains",
        help: "Keychains: names such as build.keychain, or absolute paths of directories.",
        limit: .max
    )
}
