// SPDX-License-Identifier: Apache-2.0

/// Quotes strings for the shell of a user, who copies or evaluates the output.
enum ShellText {
    /// The string in single quotation marks.
    static func quoted(_ string: String) -> String {
        "'" + string.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
    }

    /// The string, in quotation marks only if the shell would interpret a character of it.
    static func word(_ string: String) -> String {
        let isPlain = string.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "/._-+:@%,".utf8.contains(byte)
            }
        }
        return isPlain && !string.isEmpty ? string : quoted(string)
    }
}
