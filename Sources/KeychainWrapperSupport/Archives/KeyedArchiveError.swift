// SPDX-License-Identifier: Apache-2.0

/// The error of reading or writing a property list or an archive.
///
/// An error contains at most the name of a class, and never a value.
package enum KeyedArchiveError: Error, Hashable, Sendable {
    /// The bytes are not a valid binary property list, or the list is not a valid archive.
    case malformed
    /// The bytes, or the elements counted once per reference, exceed the ``ParserLimits``.
    ///
    /// Also thrown if comparing the elements of the sets and dictionaries would take too long.
    case tooLarge
    /// The nesting of containers exceeds the ``ParserLimits``.
    case tooDeep
    /// A container contains itself.
    case cycle
    /// A dictionary has a duplicate key, or a set has canonically equivalent strings.
    case duplicateKey
    /// The property list was not written by `NSKeyedArchiver`.
    case notAnArchive
    /// The archive has no object for the key.
    case missingRoot
    /// An object has a class that is not allowed; the name is cut to 128 characters.
    case classNotAllowed(String)
    /// An object of the named class lacks a member, or has an invalid one.
    ///
    /// Also thrown if a custom class rejects its members, or if an element of a set or a dictionary key would crash
    /// Foundation on Linux when it is compared with others.
    case wrongContent(of: String)
    /// A property list or archive cannot represent the value.
    case unsupportedValue
}
