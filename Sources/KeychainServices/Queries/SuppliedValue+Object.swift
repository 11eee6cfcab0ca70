// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel

extension SuppliedValue {
    /// Takes an object of a caller's dictionary for what it is, without converting it.
    ///
    /// A cast does not tell on Linux: the number 1 casts to `Bool`, and `true` does not cast to `Int`. The types that
    /// are usual come first and are compared: a cast that fails costs more than all the others together.
    init(_ object: Any) {
        if let text = String(exactly: object) {
            self = .text(text)
        } else if type(of: object) == Bool.self {
            self = .boolean(object as? Bool ?? false)
        } else if type(of: object) == NSData.self, let data = object as? NSData {
            self = .data(Data(bytesOf: data))
        } else if type(of: object) == LAContext.self {
            // Before the casts: those that fail took a third of the instructions of a search with a context.
            self = .other
        } else if let number = object as? NSNumber {
            self = Self(number)
        } else if let text = object as? String {
            self = .text(text)
        } else if let data = object as? NSData {
            self = .data(Data(bytesOf: data))
        } else if let date = object as? Date {
            self = .date(date.timeIntervalSinceReferenceDate)
        } else if object is NSNull {
            self = .null
        } else if let uuid = object as? UUID {
            self = .uuid(uuid)
        } else {
            self = .other
        }
    }

    private init(_ number: NSNumber) {
        switch unsafe UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "c"):
            // Booleans and numbers of 8 bits have the same type; only 0 and 1 can be either.
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

    /// How many members the collections under a key may have that nobody looks at.
    private static let largestIgnored = 10_000

    /// Refuses what could not be in a property list, for keys whose values nobody looks at.
    ///
    /// A collection may hold itself, or be a nest without end: its members are counted, however deep they are.
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
    /// The text of a string object of Foundation's own class; `nil` for everything else.
    ///
    /// A string's description is itself, and several times as fast to have as a cast.
    init?(exactly object: Any) {
        guard type(of: object) == NSString.self, let string = object as? NSString else { return nil }
        self = string.description
    }
}

extension Data {
    /// Copies a data object at one stroke; a cast copies byte by byte.
    fileprivate init(bytesOf data: NSData) { unsafe self.init(bytes: data.bytes, count: data.length) }
}
