// SPDX-License-Identifier: Apache-2.0

import Foundation
import Security

// This sample program configures a value with chained calls. Enumerations convert from and to Apple's
// constants, another enumeration contains the statuses as errors, and subscripts read and write items.

enum TypedClass: RawRepresentable {
    case genericPassword
    case internetPassword

    init?(rawValue: String) {
        switch rawValue {
        case String(kSecClassGenericPassword): self = .genericPassword
        case String(kSecClassInternetPassword): self = .internetPassword
        default: return nil
        }
    }

    var rawValue: String {
        switch self {
        case .genericPassword: return String(kSecClassGenericPassword)
        case .internetPassword: return String(kSecClassInternetPassword)
        }
    }
}

enum TypedProtocol: RawRepresentable, CaseIterable {
    case ftp, http, https, smb, ssh

    init?(rawValue: String) {
        guard let value = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = value
    }

    var rawValue: String {
        switch self {
        case .ftp: return String(kSecAttrProtocolFTP)
        case .http: return String(kSecAttrProtocolHTTP)
        case .https: return String(kSecAttrProtocolHTTPS)
        case .smb: return String(kSecAttrProtocolSMB)
        case .ssh: return String(kSecAttrProtocolSSH)
        }
    }
}

struct TypedPolicy: OptionSet {
    static let userPresence = TypedPolicy(rawValue: 1 << 0)
    static let biometryAny = TypedPolicy(rawValue: 1 << 1)
    static let devicePasscode = TypedPolicy(rawValue: 1 << 4)

    let rawValue: UInt

    init(rawValue: UInt) { self.rawValue = rawValue }
}

enum TypedStatus: OSStatus, Error {
    case success = 0
    case unimplemented = -4
    case param = -50
    case authFailed = -25293
    case duplicateItem = -25299
    case itemNotFound = -25300
    case interactionNotAllowed = -25308
    case decode = -26275
    case missingEntitlement = -34018
    case conversionError = -67594
    case unexpectedError = -99999

    init(status: OSStatus) {
        if let mapped = TypedStatus(rawValue: status) { self = mapped } else { self = .unexpectedError }
    }
}

extension TypedStatus: CustomStringConvertible, CustomNSError {
    static let errorDomain = "TypedOptions.error"
    var errorCode: Int { Int(rawValue) }
    var description: String { SecCopyErrorMessageString(rawValue, nil) as String? ?? "unknown" }
    var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: description] }
}

final class TypedOptions {
    private var itemClass: TypedClass = .genericPassword
    private var service = ""
    private var server: URL?
    private var accessibility = kSecAttrAccessibleAfterFirstUnlock as String
    private var policy: TypedPolicy?
    private var label: String?
    private var comment: String?

    init(service: String) { self.service = service }

    init(server: URL) {
        itemClass = .internetPassword
        self.server = server
    }

    func accessibility(_ value: CFString, policy: TypedPolicy? = nil) -> TypedOptions {
        accessibility = value as String
        self.policy = policy
        return self
    }

    func label(_ label: String) -> TypedOptions {
        self.label = label
        return self
    }

    subscript(key: String) -> String? {
        get { (try? data(key)).flatMap { $0 }.flatMap { String(data: $0, encoding: .utf8) } }
        set {
            if let value = newValue {
                try? set(Data(value.utf8), key: key)
            } else {
                try? remove(key)
            }
        }
    }

    func data(_ key: String) throws -> Data? {
        var query = self.query()
        query[String(kSecMatchLimit)] = kSecMatchLimitOne
        query[String(kSecReturnData)] = kCFBooleanTrue
        query[String(kSecAttrAccount)] = key
        var result: AnyObject?
        let status = SecItemCopyMatching(query as CFDictionary, &result)
        switch status {
        case errSecSuccess:
            guard let data = result as? Data else { throw TypedStatus.unexpectedError }
            return data
        case errSecItemNotFound: return nil
        default: throw securityError(status: status)
        }
    }

    func set(_ value: Data, key: String) throws {
        var query = self.query()
        query[String(kSecAttrAccount)] = key
        query[String(kSecUseAuthenticationUI)] = kSecUseAuthenticationUIFail
        var status = SecItemCopyMatching(query as CFDictionary, nil)
        switch status {
        case errSecSuccess, errSecInteractionNotAllowed:
            query[String(kSecUseAuthenticationUI)] = nil
            let (attributes, error) = self.attributes(key: nil, value: value)
            if let error = error { throw error }
            status = SecItemUpdate(query as CFDictionary, attributes as CFDictionary)
            if status != errSecSuccess { throw securityError(status: status) }
        case errSecItemNotFound:
            let (attributes, error) = self.attributes(key: key, value: value)
            if let error = error { throw error }
            status = SecItemAdd(attributes as CFDictionary, nil)
            if status != errSecSuccess { throw securityError(status: status) }
        default: throw securityError(status: status)
        }
    }

    func remove(_ key: String) throws {
        var query = self.query()
        query[String(kSecAttrAccount)] = key
        let status = SecItemDelete(query as CFDictionary)
        if status != errSecSuccess && status != errSecItemNotFound { throw securityError(status: status) }
    }

    func attributes(of key: String) -> [String: Any]? {
        var query = self.query()
        query[String(kSecAttrAccount)] = key
        query[String(kSecReturnAttributes)] = kCFBooleanTrue
        query[String(kSecReturnPersistentRef)] = kCFBooleanTrue
        var result: AnyObject?
        guard SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess else { return nil }
        return result as? [String: Any]
    }

    private func query() -> [String: Any] {
        var query: [String: Any] = [:]
        query[String(kSecClass)] = itemClass.rawValue
        query[String(kSecAttrSynchronizable)] = kSecAttrSynchronizableAny
        switch itemClass {
        case .genericPassword: query[String(kSecAttrService)] = service
        case .internetPassword:
            query[String(kSecAttrServer)] = server?.host
            query[String(kSecAttrPort)] = server?.port
            query[String(kSecAttrProtocol)] = TypedProtocol.https.rawValue
            query[String(kSecAttrAuthenticationType)] = kSecAttrAuthenticationTypeDefault
        }
        return query
    }

    private func attributes(key: String?, value: Data) -> ([String: Any], Error?) {
        var attributes: [String: Any]
        if key != nil {
            attributes = query()
            attributes[String(kSecAttrAccount)] = key
        } else {
            attributes = [String: Any]()
        }
        attributes[String(kSecValueData)] = value
        if label != nil { attributes[String(kSecAttrLabel)] = label }
        if comment != nil { attributes[String(kSecAttrComment)] = comment }
        if let policy = policy {
            var error: Unmanaged<CFError>?
            guard
                let accessControl = SecAccessControlCreateWithFlags(
                    kCFAllocatorDefault,
                    accessibility as CFTypeRef,
                    SecAccessControlCreateFlags(rawValue: CFOptionFlags(policy.rawValue)),
                    &error
                )
            else {
                if let error = error?.takeUnretainedValue() { return (attributes, error.asError) }
                return (attributes, TypedStatus.unexpectedError)
            }
            attributes[String(kSecAttrAccessControl)] = accessControl
        } else {
            attributes[String(kSecAttrAccessible)] = accessibility
        }
        if key != nil { attributes[String(kSecAttrSynchronizable)] = kCFBooleanFalse }
        return (attributes, nil)
    }

    private func securityError(status: OSStatus) -> Error { TypedStatus(status: status) }
}

extension CFError {
    var asError: NSError {
        let domain = CFErrorGetDomain(self) as String
        let code = CFErrorGetCode(self)
        let userInfo = CFErrorCopyUserInfo(self) as? [String: Any]
        return NSError(domain: domain, code: code, userInfo: userInfo)
    }
}
