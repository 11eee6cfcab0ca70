// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainClient
import KeychainModel
import KeychainServices
import KeychainStore

/// Calls the `SecItem` functions with dictionaries decoded from the input, in an initially empty store.
func fuzzQuery(_ data: Data) {
    guard SystemKeychain.override == nil else { return callAll(data) }
    guard let connection = scratchConnection else { return }
    SystemKeychain.with(connection) { callAll(data) }
}

private func callAll(_ data: Data) {
    var source = QueryBytes(data)
    for _ in 0..<6 where !source.isEmpty {
        let call = source.byte() % 4
        let query = source.dictionary()
        var result: AnyObject?
        let status =
            switch call {
            case 0: SecItemAdd(query, &result)
            case 1: SecItemCopyMatching(query, &result)
            case 2: SecItemUpdate(query, source.dictionary())
            default: SecItemDelete(query)
            }
        precondition(status == errSecSuccess || result == nil)
        source.lastResult = result
    }
    for itemClass in [
        kSecClassGenericPassword, kSecClassInternetPassword, kSecClassCertificate, kSecClassKey,
    ] {
        let everything = [kSecClass: itemClass, kSecAttrSynchronizable: kSecAttrSynchronizableAny]
        let status = SecItemDelete(everything as NSDictionary)
        precondition(status == errSecSuccess || status == errSecItemNotFound)
    }
}

/// The connection to a temporary store of this process; `Scripts/fuzz` removes the files.
private let scratchConnection: KeychainConnection? = {
    let directory = FileManager.default.temporaryDirectory.appending(path: "fuzz-\(UUID())").path
    guard let keychain = try? EmbeddedKeychain(at: StoreLocation(directory: directory)) else { return nil }
    let groups = ["TEAM.app", "TEAM.shared"]
    return KeychainConnection(
        keychain: keychain,
        caller: Caller(applicationIdentifier: "TEAM.app", accessGroups: groups)
    )
}()

/// Decodes dictionaries: the number of entries, then for each entry the index of its key and a typed value.
///
/// A property list would be slower to parse, and cannot contain null, UUIDs or references.
private struct QueryBytes {
    private var bytes: ArraySlice<UInt8>
    var lastResult: AnyObject?

    init(_ data: Data) { bytes = ArraySlice(data) }

    var isEmpty: Bool { bytes.isEmpty }

    mutating func byte() -> UInt8 { bytes.popFirst() ?? 0 }

    mutating func dictionary() -> NSDictionary {
        let dictionary = NSMutableDictionary()
        for _ in 0..<byte() % 16 where !isEmpty {
            let key = key()
            dictionary[key] = value(depth: 0)
        }
        return dictionary
    }

    private mutating func key() -> NSObject {
        let number = Int(byte())
        if number < Self.keys.count { return NSString(string: Self.keys[number]) }
        return number == 255 ? NSNumber(value: byte()) : NSString(string: text())
    }

    private mutating func value(depth: Int) -> Any {
        switch byte() % 16 {
        case 0: return true
        case 1: return false
        case 2: return Int32(bitPattern: number())
        case 3: return UInt64(number()) << 32 | UInt64(number())
        case 4: return Double(bitPattern: UInt64(number()) << 32 | UInt64(number()))
        case 5: return text()
        case 6, 7: return Self.texts[Int(byte()) % Self.texts.count]
        case 8: return take(Int(byte()))
        case 9: return Date(timeIntervalSinceReferenceDate: Double(Int32(bitPattern: number())))
        case 10: return NSNull()
        case 11: return depth < 4 ? (0..<byte() % 4).map { _ in value(depth: depth + 1) } : []
        case 12: return UUID()
        case 13: return lastResult ?? NSNull()
        case 14:
            return SecCertificateCreateWithData(nil, take(Int(byte()) << 8 | Int(byte())) as NSData)
                ?? NSNull()
        default: return SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleAlways, [], nil) ?? NSNull()
        }
    }

    private mutating func number() -> UInt32 {
        (0..<4).reduce(0) { number, _ in number << 8 | UInt32(byte()) }
    }

    private mutating func text() -> String { String(decoding: take(Int(byte() % 32)), as: UTF8.self) }

    private mutating func take(_ count: Int) -> Data {
        defer { bytes = bytes.dropFirst(count) }
        return Data(bytes.prefix(count))
    }

    /// The dictionary keys, to which inputs refer by index.
    ///
    /// New keys belong at the end, so that the inputs in the corpus keep their meaning.
    private static let keys =
        [
            "class", "v_Data", "v_Ref", "v_PersistentRef", "r_Data", "r_Attributes", "r_Ref",
            "r_PersistentRef",
            "m_Limit", "m_Issuers", "m_Policy", "m_ValidOnDate", "m_TrustedOnly", "m_EmailAddressIfPresent",
            "m_HostOrSubdomainOfHost", "m_ItemList", "m_SearchList", "m_SubjectContains", "u_ItemList",
            "u_AuthUI",
            "u_AuthCtx", "u_Tombstones", "nleg",
        ] + Attribute.allCases.map(\.name)

    private static let texts =
        [
            "genp", "inet", "cert", "keys", "idnt", "m_LimitOne", "m_LimitAll", "syna", "", "a", "TEAM.app",
            "TEAM.shared",
        ]
        + ProtectionClass.allCases.map(\.name)
}
