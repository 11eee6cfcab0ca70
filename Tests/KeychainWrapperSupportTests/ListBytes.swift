// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainWrapperSupport

/// The bytes of a binary property list, which a test can make invalid.
struct ListBytes {
    var objects: [[UInt8]]
    var header = Array("bplist00".utf8)
    var top = 0
    var referenceWidth = 1
    /// The number of objects that the trailer claims; `nil` for the actual number.
    var claimedCount: UInt64?
    var claimedTable: UInt64?
    var offsets: [Int]?

    init(_ objects: [UInt8]...) { self.objects = objects }

    init(objects: [[UInt8]]) { self.objects = objects }

    var data: Data {
        var bytes = header
        var actualOffsets: [Int] = []
        for object in objects {
            actualOffsets.append(bytes.count)
            bytes += object
        }
        let table = UInt64(bytes.count)
        for offset in offsets ?? actualOffsets { bytes += Self.number(UInt64(offset), width: 4) }
        bytes += [0, 0, 0, 0, 0, 0, 4, UInt8(referenceWidth)]
        for number in [claimedCount ?? UInt64(objects.count), UInt64(top), claimedTable ?? table] {
            bytes += Self.number(number, width: 8)
        }
        return Data(bytes)
    }

    static func number(_ number: UInt64, width: Int) -> [UInt8] {
        (0..<width).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }

    static func array(_ references: Int..., marker: UInt8 = 0xA0) -> [UInt8] {
        [marker | UInt8(references.count)] + references.map { UInt8($0) }
    }

    static func text(_ text: String) -> [UInt8] { [0x50 | UInt8(text.utf8.count)] + text.utf8 }
}

/// The parts of a keyed archive, which a test can make invalid.
struct ArchiveParts {
    var objects: [PropertyList]
    var top: [String: PropertyList] = ["root": .uid(1)]
    var archiver = "NSKeyedArchiver"
    var version = PropertyList.integer(100_000)

    /// Creates an archive of these objects, numbered from 1; object 0 is `$null`.
    init(_ objects: PropertyList...) { self.objects = [.string("$null")] + objects }

    var data: Data {
        PropertyList.dictionary([
            "$version": version, "$archiver": .string(archiver), "$objects": .array(objects),
            "$top": .dictionary(top),
        ]).binary
    }

    static func classInfo(_ name: String) -> PropertyList {
        .dictionary(["$classname": .string(name), "$classes": .array([.string(name), .string("NSObject")])])
    }

    static func references(_ indices: Int...) -> PropertyList { .array(indices.map { .uid(UInt32($0)) }) }

    static func instance(_ classReference: Int, _ fields: [String: PropertyList]) -> PropertyList {
        .dictionary(fields.merging(["$class": .uid(UInt32(classReference))]) { $1 })
    }
}
