// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel

extension SuppliedValue {
    /// Converts an object of the caller's dictionary to the case for its class.
    ///
    /// Casts do not distinguish Booleans and numbers on Linux: the number 1 casts to `Bool`. Common types are
    /// checked first, by comparing classes: a cast that fails costs more than all other checks together.
    init(_ object: Any) {
        if let text = String(exactly: object) {
            self = .string(text)
        } else if type(of: object) == Bool.self {
            self = .boolean(object as? Bool ?? false)
        } else if type(of: object) == NSData.self, let data = object as? NSData {
            self = .data(SecretBuffer(bytesOf: data))
        } else if type(of: object) == LAContext.self {
            // Compare the type before the casts below: without this check, the failed casts took a third of the
            // instructions of a search with an `LAContext`.
            self = .other
        } else if let number = object as? NSNumber {
            self = Self(number)
        } else if let text = object as? String {
            self = .string(text)
        } else if let data = object as? NSData {
            self = .data(SecretBuffer(bytesOf: data))
        } else if let date = object as? Date {
            self = .date(date.timeIntervalSinceReferenceDate)
        } else if object is NSNull {
            self = .null
        } else if let uuid = object as? UUID {
            self = .uuid(Bytes16(uuid))
        } else {
            self = .other
        }
    }

    private init(_ number: NSNumber) {
        switch unsafe UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "c"):
            // A Boolean has the same type code as an 8-bit number, but only 0 and 1 can be Booleans.
            let value = number.int8Value
            self = value == 0 || value == 1 ? .boolean(value == 1) : .number(Int64(value))
        case UInt8(ascii: "d"), UInt8(ascii: "f"):
            self = Int64(exactly: number.doubleValue).map { .number($0) } ?? .fraction
        case UInt8(ascii: "Q"):
            self = Int64(exactly: number.uint64Value).map { .number($0) } ?? .other
        default:
            self = .number(number.int64Value)
        }
    }

    /// The maximum number of members, at all levels together, of a collection under an ignored key.
    private static let largestIgnored = 10_000

    /// Throws if a value under an ignored key is invalid.
    ///
    /// UUIDs, objects of unknown classes, and numbers that are not 64-bit integers are invalid, even as members of
    /// arrays and dictionaries. So is a collection with more than ``largestIgnored`` members at all levels: one that
    /// contains itself would otherwise be searched without end.
    static func checkIgnored(_ object: Any) throws(StatusError) {
        var waiting = [object]
        var count = 0
        while let object = waiting.popLast() {
            switch Self(object) {
            case .fraction: throw StatusError(.undecodable, .notAnInteger)
            case .uuid: throw StatusError(.invalidParameter, .wrongValueType)
            case .other:
                guard let members = (object as? NSArray)?.objects ?? (object as? NSDictionary)?.allValues
                else { throw StatusError(.invalidParameter, .wrongValueType) }
                count += members.count
                guard count <= largestIgnored else { throw StatusError(.invalidParameter, .tooManyMembers) }
                waiting += members
            default: break
            }
        }
    }
}

extension String {
    /// Converts an object whose class is exactly `NSString`; `nil` for all other objects.
    ///
    /// The description of a string is the string itself; reading it is several times faster than a cast.
    init?(exactly object: Any) {
        guard type(of: object) == NSString.self, let string = object as? NSString else { return nil }
        self = string.description
    }
}

extension SecretBuffer {
    /// Copies data in one step, because a cast to `Data` would copy single bytes.
    fileprivate init(bytesOf data: NSData) {
        unsafe self.init(copying: UnsafeRawBufferPointer(start: data.bytes, count: data.length))
    }
}

extension Bytes16 {
    fileprivate init(_ uuid: UUID) {
        self = unsafe Swift.withUnsafeBytes(of: uuid.uuid) { unsafe Self($0) } ?? .zero
    }
}
