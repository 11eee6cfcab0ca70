// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainWrapperSupport

extension FXKeychain {
    /// Options for stored values and ambiguous keys.
    public struct Options: Sendable {
        /// How to write a key that several items have.
        ///
        /// This option applies only if the ``FXKeychain/service`` or the ``FXKeychain/accessGroup`` of the keychain is
        /// `nil` or empty, so that items of several services or access groups can have the same key.
        public enum WildcardWrites: Sendable, Hashable {
            /// Changes or removes all items that have the key.
            case likeOriginal
            /// Changes nothing; throws ``FXKeychainError/Reason/ambiguousKey``.
            case refuseWhenAmbiguous
        }

        /// Whether to store and read values that are not property lists as keyed archives.
        ///
        /// Archives are disabled by default, because any program that can write to the keychain controls their
        /// contents. While archives are disabled, `NSNull` is removed from arrays and dictionaries before they are
        /// stored.
        public var acceptsKeyedArchives: Bool

        /// The names of Foundation classes that an archive may contain.
        ///
        /// The default is all supported classes: strings, data, numbers, dates, URLs, UUIDs, `NSNull`, arrays, sets,
        /// ordered sets and dictionaries. A name also allows its mutable subclass. Other names have no effect.
        public var allowedClasses: Set<String>

        /// Custom classes that an archive may contain; classes without secure coding are ignored.
        ///
        /// On Linux, such a class must be neither private nor nested in another type. Reading an archive checks its
        /// structure and the classes of its objects, but not their values. Storing `Codable` values does not require
        /// this option.
        public var secureClasses: [AnyClass]

        /// How to write a key that several items have.
        public var wildcardWrites: WildcardWrites

        /// Creates options.
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

        /// The behavior of the original FXKeychain library on macOS.
        ///
        /// Archives are disabled, and a write changes every item that has the key.
        public static var original: Options { Options() }

        /// Disables archives, and rejects writes to keys that several items have.
        public static var safe: Options { Options(wildcardWrites: .refuseWhenAmbiguous) }
    }
}
