// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
import Foundation

/// A decoder that passes checked members to a custom class.
///
/// Foundation's own coder on Linux ends the process if a member has an unexpected class.
final class MemberCoder: NSCoder {
    private let members: [String: NSObject]
    /// The names of the encoded members, including those that are `nil`.
    private let names: Set<String>
    private var failure: (any Error)?

    init(_ members: [String: NSObject], names: Set<String>) {
        self.members = members
        self.names = names
    }

    override var allowsKeyedCoding: Bool { true }
    override var requiresSecureCoding: Bool { true }
    override var decodingFailurePolicy: NSCoder.DecodingFailurePolicy { .setErrorAndReturn }
    override var error: (any Error)? { failure }
    override func failWithError(_ error: any Error) { failure = error }
    override func version(forClassName className: String) -> Int { 0 }

    // MARK: Objects

    override func containsValue(forKey key: String) -> Bool { names.contains(key) }

    override func decodeObject(forKey key: String) -> Any? { members[key] }

    override func decodeObject(of classes: [AnyClass]?, forKey key: String) -> Any? {
        guard let object = members[key], classes.map({ object.isMade(of: $0) }) != false else { return nil }
        return object
    }

    override func decodeObject<Object: NSObject & NSCoding>(
        of type: Object.Type,
        forKey key: String
    ) -> Object? {
        decodeObject(of: [type], forKey: key) as? Object
    }

    override func decodePropertyList(forKey key: String) -> Any? { members[key] }

    // MARK: Numbers and bytes

    override func decodeBool(forKey key: String) -> Bool { number(key)?.boolValue ?? false }
    override func decodeDouble(forKey key: String) -> Double { number(key)?.doubleValue ?? 0 }
    override func decodeFloat(forKey key: String) -> Float { number(key)?.floatValue ?? 0 }
    override func decodeInt64(forKey key: String) -> Int64 { number(key)?.int64Value ?? 0 }
    override func decodeInteger(forKey key: String) -> Int {
        Int(truncatingIfNeeded: decodeInt64(forKey: key))
    }

    override func decodeInt32(forKey key: String) -> Int32 {
        Int32(truncatingIfNeeded: decodeInt64(forKey: key))
    }

    override func decodeCInt(forKey key: String) -> CInt { decodeInt32(forKey: key) }

    override func withDecodedUnsafeBufferPointer<Result>(
        forKey key: String,
        body: (UnsafeBufferPointer<UInt8>?) throws -> Result
    ) rethrows -> Result {
        guard let data = members[key] as? NSData else { return try body(nil) }
        return try unsafe [UInt8](data as Data).withUnsafeBufferPointer { try unsafe body($0) }
    }

    override func withDecodedUnsafeBytes<Result>(
        forKey key: String,
        body: (UnsafeRawBufferPointer?) throws -> Result
    ) rethrows -> Result {
        try unsafe withDecodedUnsafeBufferPointer(forKey: key) { bytes in
            try unsafe body(bytes.map { UnsafeRawBufferPointer($0) })
        }
    }

    private func number(_ key: String) -> NSNumber? { members[key] as? NSNumber }

    // MARK: Unkeyed decoding, which keyed archives do not use

    override func decodeObject() -> Any? { nil }
    override func decodeData() -> Data? { nil }
    override func decodePropertyList() -> Any? { nil }
    override func decodeValue(ofObjCType type: UnsafePointer<CChar>, at data: UnsafeMutableRawPointer) {}
    override func decodeArray(
        ofObjCType itemType: UnsafePointer<CChar>,
        count: Int,
        at array: UnsafeMutableRawPointer
    ) {}
}

extension NSObject {
    /// Whether the object and its elements have allowed classes.
    ///
    /// An element with several references is visited once for each. The weight limit of archives counts references
    /// too, and so limits the time.
    fileprivate func isMade(of classes: [AnyClass]) -> Bool {
        guard classes.contains(where: { isKind(of: $0) }) else { return false }
        let elements: [Any] =
            switch self {
            case let array as NSArray: Array(array)
            case let set as NSSet: set.allObjects
            case let set as NSOrderedSet: set.array
            case let dictionary as NSDictionary: dictionary.allKeys + dictionary.allValues
            default: []
            }
        return elements.allSatisfy { ($0 as AnyObject as? NSObject)?.isMade(of: classes) == true }
    }
}
#endif
