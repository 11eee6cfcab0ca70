// SPDX-License-Identifier: Apache-2.0

/// Why bytes cannot be read as a property list or an archive, or why a value cannot be written as one.
///
/// Of what was read it has the name of a class at most, and never a value.
package enum KeyedArchiveError: Error, Hashable, Sendable {
    /// The bytes are no binary property list.
    case malformed
    /// The bytes, or what they expand to, are more than ``ReadingLimits`` has.
    case tooLarge
    /// Containers lie deeper in each other than ``ReadingLimits`` has.
    case tooDeep
    /// A container holds itself.
    case cycle
    /// A dictionary has a key twice, or a set two spellings of one text.
    case duplicateKey
    /// A property list, but not one that `NSKeyedArchiver` wrote.
    case notAnArchive
    /// The archive has nothing under the key.
    case missingRoot
    /// An object of a class that is not on the list of what may be read; the name is at most 128 characters of it.
    case classNotAllowed(String)
    /// An object lacks what its class always writes, or has it in another type: a dictionary with more keys than values.
    case wrongContent(of: String)
    /// A value has no form in a property list or an archive.
    case unsupportedValue
}
