// SPDX-License-Identifier: Apache-2.0

/// A status of the API, by number.
package struct Status: RawRepresentable, Hashable, Codable, Sendable {
    package let rawValue: Int32

    package init(rawValue: Int32) { self.rawValue = rawValue }

    package static let unimplemented = Self(rawValue: -4)
    package static let diskFull = Self(rawValue: -34)
    package static let inputOutput = Self(rawValue: -36)
    package static let invalidParameter = Self(rawValue: -50)
    package static let writePermission = Self(rawValue: -61)
    package static let allocation = Self(rawValue: -108)
    package static let userCanceled = Self(rawValue: -128)
    package static let missingEntitlement = Self(rawValue: -34018)
    package static let notAvailable = Self(rawValue: -25291)
    package static let readOnly = Self(rawValue: -25292)
    package static let authenticationFailed = Self(rawValue: -25293)
    package static let duplicateKeychain = Self(rawValue: -25296)
    package static let duplicateItem = Self(rawValue: -25299)
    package static let itemNotFound = Self(rawValue: -25300)
    package static let noSuchAttribute = Self(rawValue: -25303)
    package static let noSuchClass = Self(rawValue: -25306)
    package static let interactionNotAllowed = Self(rawValue: -25308)
    package static let undecodable = Self(rawValue: -26275)
    package static let internalInconsistency = Self(rawValue: -26276)
}
