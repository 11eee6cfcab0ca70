// SPDX-License-Identifier: Apache-2.0

package enum KeePassError: Error, Equatable {
    /// This build lacks the package trait `KeePass`.
    case traitDisabled
    case notKeePass
    /// A file of KeePass 1 (`.kdb`).
    case firstGeneration
    /// The major version is lower than 4.
    case oldVersion(Int)
    /// The major version is higher than 4.
    case newVersion(Int)
    case truncated
    case damaged
    case wrongKey
    case malformedKeyFile
    case unsupportedCipher
    case unsupportedDerivation
    /// The file requires more memory or time to derive the key than ``KeePassDerivation`` allows.
    case tooMuchWork
    case outOfMemory
    /// The contents are larger than the limit, by default ``KeePassDatabase/maximumContents``.
    case tooLarge
}
