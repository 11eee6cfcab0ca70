// SPDX-License-Identifier: Apache-2.0

package import Foundation

extension PropertyList {
    /// The property list in binary format, version 00; equal strings are written once.
    package var binary: Data {
        var writer = PropertyListWriter()
        let top = writer.add(self)
        return writer.finish(top: top)
    }
}

/// Assigns an index to each value of a property list, then writes the values in that order.
private struct PropertyListWriter {
    /// A value, with its elements as object indices.
    private enum Object {
        case scalar(PropertyList)
        case container(marker: UInt8, count: Int, references: [Int])
    }

    private var objects: [Object] = []
    /// The object indices of strings by UTF-8 bytes: in Swift, canonically equivalent strings would be equal keys.
    private var texts: [[UInt8]: Int] = [:]

    mutating func add(_ value: PropertyList) -> Int {
        switch value {
        case .array(let elements): return addContainer(0xA0, elements)
        case .set(let elements): return addContainer(0xC0, elements)
        case .dictionary(let dictionary):
            // The keys are sorted, so that equal lists have equal bytes.
            let pairs = dictionary.sorted { $0.key < $1.key }
            return addContainer(0xD0, pairs.map { .string($0.key) } + pairs.map(\.value), count: pairs.count)
        case .string(let string):
            let bytes = Array(string.utf8)
            if let number = texts[bytes] { return number }
            texts[bytes] = objects.count
            return addScalar(value)
        default: return addScalar(value)
        }
    }

    private mutating func addScalar(_ value: PropertyList) -> Int {
        objects.append(.scalar(value))
        return objects.count - 1
    }

    private mutating func addContainer(_ marker: UInt8, _ elements: [PropertyList], count: Int? = nil) -> Int
    {
        let number = objects.count
        objects.append(.scalar(.null))
        let references = elements.map { add($0) }
        objects[number] = .container(marker: marker, count: count ?? elements.count, references: references)
        return number
    }

    func finish(top: Int) -> Data {
        let referenceWidth = width(of: objects.count)
        var bytes = Array("bplist00".utf8)
        var offsets: [Int] = []
        for object in objects {
            offsets.append(bytes.count)
            switch object {
            case .scalar(let value): bytes.append(value)
            case .container(let marker, let count, let references):
                bytes.append(marker: marker, count: count)
                for reference in references { bytes.append(UInt64(reference), width: referenceWidth) }
            }
        }
        let table = bytes.count
        let offsetWidth = width(of: table)
        for offset in offsets { bytes.append(UInt64(offset), width: offsetWidth) }
        bytes += [0, 0, 0, 0, 0, 0, UInt8(offsetWidth), UInt8(referenceWidth)]
        for number in [objects.count, top, table] { bytes.append(UInt64(number), width: 8) }
        return Data(bytes)
    }

    private func width(of number: Int) -> Int { [1, 2, 4].first { number >> ($0 * 8) == 0 } ?? 8 }
}

extension [UInt8] {
    fileprivate mutating func append(_ number: UInt64, width: Int) {
        for index in (0..<width).reversed() { append(UInt8(truncatingIfNeeded: number >> (index * 8))) }
    }

    fileprivate mutating func append(marker: UInt8, count: Int) {
        if count < 0x0F {
            append(marker | UInt8(count))
        } else {
            append(marker | 0x0F)
            appendInteger(UInt64(count))
        }
    }

    /// Appends an integer; a negative integer is passed as its bit pattern, which takes eight bytes.
    private mutating func appendInteger(_ number: UInt64) {
        let exponent: Int = [0, 1, 2].first { number >> (8 << $0) == 0 } ?? 3
        append(0x10 | UInt8(exponent))
        append(number, width: 1 << exponent)
    }

    fileprivate mutating func append(_ value: PropertyList) {
        switch value {
        case .null, .array, .set, .dictionary: append(0x00)
        case .boolean(let boolean): append(boolean ? 0x09 : 0x08)
        case .integer(let number): appendInteger(UInt64(bitPattern: number))
        case .unsigned(let number):
            append(0x14)
            append(0, width: 8)
            append(number, width: 8)
        case .real(let number):
            append(0x23)
            append(number.bitPattern, width: 8)
        case .date(let seconds):
            append(0x33)
            append(seconds.bitPattern, width: 8)
        case .data(let data):
            append(marker: 0x40, count: data.count)
            append(contentsOf: data)
        case .string(let string): append(string)
        case .uid(let index):
            let width: Int = [1, 2].first { index >> ($0 * 8) == 0 } ?? 4
            append(0x80 | UInt8(width - 1))
            append(UInt64(index), width: width)
        }
    }

    private mutating func append(_ string: String) {
        if string.utf8.allSatisfy({ $0 < 0x80 }) {
            append(marker: 0x50, count: string.utf8.count)
            append(contentsOf: string.utf8)
        } else {
            append(marker: 0x60, count: string.utf16.count)
            for unit in string.utf16 { append(UInt64(unit), width: 2) }
        }
    }
}
