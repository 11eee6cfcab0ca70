// SPDX-License-Identifier: Apache-2.0

import Foundation
import Security

// This sample program has an error whose code is an enumeration of statuses with associated values. It has
// a constant for each code, compares errors by code and message, and matches any error with patterns.

public struct QueryFailure: LocalizedError, CustomDebugStringConvertible {
    enum Code: RawRepresentable, Equatable {
        case operationNotImplemented
        case invalidParameters
        case userCanceled
        case itemNotAvailable
        case authFailed
        case duplicateItem
        case itemNotFound
        case interactionNotAllowed
        case decodeFailed
        case other(status: OSStatus)
        case unknown(message: String)

        init(rawValue: OSStatus) {
            switch rawValue {
            case errSecUnimplemented: self = .operationNotImplemented
            case errSecParam: self = .invalidParameters
            case errSecUserCanceled: self = .userCanceled
            case errSecNotAvailable: self = .itemNotAvailable
            case errSecAuthFailed: self = .authFailed
            case errSecDuplicateItem: self = .duplicateItem
            case errSecItemNotFound: self = .itemNotFound
            case errSecInteractionNotAllowed: self = .interactionNotAllowed
            case errSecDecode: self = .decodeFailed
            default: self = .other(status: rawValue)
            }
        }

        var rawValue: OSStatus {
            switch self {
            case .operationNotImplemented: return errSecUnimplemented
            case .invalidParameters: return errSecParam
            case .userCanceled: return errSecUserCanceled
            case .itemNotAvailable: return errSecNotAvailable
            case .authFailed: return errSecAuthFailed
            case .duplicateItem: return errSecDuplicateItem
            case .itemNotFound: return errSecItemNotFound
            case .interactionNotAllowed: return errSecInteractionNotAllowed
            case .decodeFailed: return errSecDecode
            case let .other(status): return status
            case .unknown: return errSecSuccess
            }
        }
    }

    let code: Code

    init(code: Code) { self.code = code }

    public var status: OSStatus { return self.code.rawValue }

    public var localizedDescription: String { return self.debugDescription }

    public var errorDescription: String? { return self.debugDescription }

    public var debugDescription: String {
        switch self.code {
        case .other: return "status \(self.status)"
        case let .unknown(message): return "no status: \(message)"
        default: return "keychain: \(self.status)"
        }
    }

    public static let operationNotImplemented: QueryFailure = .init(code: .operationNotImplemented)
    public static let invalidParameters: QueryFailure = .init(code: .invalidParameters)
    public static let userCanceled: QueryFailure = .init(code: .userCanceled)
    public static let itemNotAvailable: QueryFailure = .init(code: .itemNotAvailable)
    public static let authFailed: QueryFailure = .init(code: .authFailed)
    public static let duplicateItem: QueryFailure = .init(code: .duplicateItem)
    public static let itemNotFound: QueryFailure = .init(code: .itemNotFound)
    public static let interactionNotAllowed: QueryFailure = .init(code: .interactionNotAllowed)
    public static let decodeFailed: QueryFailure = .init(code: .decodeFailed)
    public static let other: QueryFailure = .init(code: .other(status: 0))
    public static let unknown: QueryFailure = .init(code: .unknown(message: ""))
}

extension QueryFailure: Equatable {
    public static func == (lhs: QueryFailure, rhs: QueryFailure) -> Bool {
        return lhs.code == rhs.code && lhs.localizedDescription == rhs.localizedDescription
    }
}

public extension QueryFailure {
    static func ~= (lhs: QueryFailure, rhs: QueryFailure) -> Bool { return lhs.code == rhs.code }

    static func ~= (lhs: QueryFailure, rhs: Error) -> Bool {
        guard let rhs = rhs as? QueryFailure else { return false }
        return lhs.code == rhs.code
    }
}
