// SPDX-License-Identifier: Apache-2.0

import KeychainModel

struct CallError: Error, Hashable {
    /// The D-Bus name of the error, by which clients recognize the error.
    let name: String
    let message: String

    init(_ name: String, _ message: String) {
        self.name = name
        self.message = message
    }

    private static let bus = "org.freedesktop.DBus.Error."
    private static let secrets = "org.freedesktop.Secret.Error."

    static let isLocked = Self(secrets + "IsLocked", "the keychain is locked")
    static let noSession = Self(secrets + "NoSession", "the caller has no such session")
    static let noSuchObject = Self(secrets + "NoSuchObject", "there is no such object")
    static let alreadyExists = Self(secrets + "AlreadyExists", "the object already exists")

    static let invalidArguments = Self(bus + "InvalidArgs", "the arguments are invalid")
    static let unknownMethod = Self(bus + "UnknownMethod", "the object has no such method")
    static let unknownProperty = Self(bus + "UnknownProperty", "the interface has no such property")
    static let readOnlyProperty = Self(bus + "PropertyReadOnly", "the property cannot be set")
    static let unsupportedAlgorithm = Self(bus + "NotSupported", "the session algorithm is not supported")
    static let unidentified = Self(bus + "AccessDenied", "the calling program cannot be identified")
    static let failed = Self(bus + "Failed", "the call failed")

    /// The error for a call that would exceed one of the ``Limits``.
    static func limit(_ what: String) -> Self { Self(bus + "LimitsExceeded", what) }

    init(_ error: StatusError) {
        switch error.status {
        case .interactionNotAllowed, .authenticationNeeded: self = .isLocked
        case .itemNotFound: self = .noSuchObject
        case .duplicateItem: self = .alreadyExists
        default: self.init(Self.bus + "Failed", error.explanation.sentence)
        }
    }
}

/// The limits of one service, which a hostile caller cannot exceed.
enum Limits {
    static let clients = 512
    static let sessionsPerClient = 64
    static let promptsPerClient = 16
    /// The maximum numbers of the portal's calls that wait for the passcode: for one application, and for all together.
    static let requestsPerApplication = 4
    static let requests = 64
    /// The maximum size of a secret in bytes, which fits into one message to `securityd`.
    static let secret = 512 << 10
    static let attributes = 64
    /// The maximum size of all attribute names and values of an item, in bytes.
    static let attributeBytes = 32 << 10
    static let label = 4 << 10
    /// The maximum number of objects that one call may name.
    static let paths = 4_096
    static let collections = 256
    /// The maximum number of items of all programs in the collection `session`, which exists only in memory.
    static let memoryItems = 4_096
}
