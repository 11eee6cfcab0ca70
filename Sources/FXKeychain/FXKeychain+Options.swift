// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainWrapperSupport

extension FXKeychain {
    /// What a keychain takes for a value, and what it does where it is not told enough.
    public struct Options: Sendable {
        /// What happens to a key that items of several services have, if the keychain itself names no service.
        public enum WildcardWrites: Sendable, Hashable {
            /// All of them are changed or removed.
            case likeOriginal
            /// Nothing is, and the write fails with ``FXKeychainError/Reason/ambiguousKey``.
            case refuseWhenAmbiguous
        }

        /// Whether values that are no property lists are stored as keyed archives, and such archives read.
        ///
        /// They are disabled by default, because a program that can write to the keychain chooses the contents of an archive.
        /// While they are, `NSNull` is omitted from arrays and dictionaries.
        public var acceptsKeyedArchives: Bool

        /// The names of Foundation's classes that an archive may hold; by default all that are read here.
        ///
        /// These are texts, data, numbers, dates, URLs, UUIDs, `NSNull`, arrays, sets and dictionaries. A name allows
        /// the mutable class too. Names of other classes have no effect.
        public var allowedClasses: Set<String>

        /// Classes of your own that an archive may hold; they support secure coding.
        ///
        /// On Linux such a class is neither private nor within another type. What it is given when it is read has been
        /// checked, but for the values themselves. Values that are `Codable` need none of this.
        public var secureClasses: [AnyClass]

        /// What happens to a key that several items have where the keychain names no service.
        public var wildcardWrites: WildcardWrites

        /// Collects the options.
        public init(
            acceptsKeyedArchives: Bool = false,
            allowedClasses: Set<String> = FXKeychain.archivedClasses,
            secureClasses: [AnyClass] = [],
            wildcardWrites: WildcardWrites = .likeOriginal
        ) {
            self.acceptsKeyedArchives = acceptsKeyedArchives
            self.allowedClasses = allowedClasses
            self.secureClasses = secureClasses
            self.wildcardWrites = wildcardWrites
        }

        /// No archives, and every item that has the key is written: the original as it is built for macOS.
        public static var original: Options { Options() }

        /// No archives, and nothing is written where several items have the key.
        public static var safe: Options { Options(wildcardWrites: .refuseWhenAmbiguous) }
    }
}
