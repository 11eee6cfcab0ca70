// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The libraries that an ELF executable loads, parsed from its headers.
///
/// Source: the System V ABI, chapters 4 and 5.
package struct ExecutableImage: Hashable, Sendable {
    /// The library search paths: `DT_RPATH` and `DT_RUNPATH`.
    package let libraryDirectories: [String]
    /// The names of the libraries that the loader loads: `DT_NEEDED`, filters and auditors.
    package let libraries: [String]
    /// The path of the program loader: `PT_INTERP`; `nil` for a statically linked executable.
    package let interpreter: String?

    /// Whether libraries are searched relative to the executable (`$ORIGIN`).
    ///
    /// The loader refuses this in a program with set-group-ID.
    package var usesOrigin: Bool {
        (libraryDirectories + libraries).contains { $0.contains("$ORIGIN") || $0.contains("${ORIGIN}") }
    }

    /// Parses an open file; `nil` if it is not an ELF executable with valid headers, or cannot be read.
    package init?(of file: CInt) {
        self.init { offset, count in
            guard let position = off_t(exactly: offset) else { return nil }
            var bytes = [UInt8](repeating: 0, count: count)
            let got = unsafe pread(file, &bytes, count, position)
            return got > 0 ? Array(bytes.prefix(got)) : nil
        }
    }

    /// Parses untrusted bytes; `nil` if they are not an ELF executable with valid headers.
    ///
    /// The closure reads at most `count` bytes from an offset.
    package init?(reading read: (_ offset: UInt64, _ count: Int) -> [UInt8]?) {
        guard let header = ELFHeader(read(0, 64) ?? []) else { return nil }
        guard let table = read(header.programOffset, header.programCount * header.programSize),
            table.count == header.programCount * header.programSize
        else { return nil }
        let segments = (0..<header.programCount).compactMap { index in
            ELFSegment(table[(index * header.programSize)...], header)
        }
        interpreter = segments.first { $0.kind == ELFSegment.interpreter }.map {
            Self.string(at: $0.offset, read)
        }
        guard let dynamic = segments.first(where: { $0.kind == ELFSegment.dynamic }) else {
            (libraryDirectories, libraries) = ([], [])
            return
        }
        let size = Int(min(dynamic.size, Self.maximumDynamicSize))
        let entries = ELFEntries(read(dynamic.offset, size) ?? [], header)
        guard let address = entries.first(ELFEntries.strings),
            let load = segments.first(where: { $0.loads(address) })
        else {
            (libraryDirectories, libraries) = ([], [])
            return
        }
        let strings = load.offset &+ (address - load.address)
        libraryDirectories = entries.all(ELFEntries.paths).flatMap { offset in
            Self.paths(at: strings &+ offset, read)
        }
        libraries =
            entries.all(ELFEntries.libraries).map { Self.string(at: strings &+ $0, read) }
            + entries.all(ELFEntries.auditors).flatMap { Self.paths(at: strings &+ $0, read) }
    }

    private static let maximumDynamicSize: UInt64 = 1 << 20
    private static let maximumStringSize = 4_096

    /// Reads strings separated by colons; an empty one stands for the current directory.
    private static func paths(at offset: UInt64, _ read: (UInt64, Int) -> [UInt8]?) -> [String] {
        let text = string(at: offset, read)
        return text.isEmpty
            ? [] : text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    }

    private static func string(at offset: UInt64, _ read: (UInt64, Int) -> [UInt8]?) -> String {
        let bytes = read(offset, maximumStringSize) ?? []
        return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
}

private struct ELFHeader {
    let is64: Bool
    let isLittle: Bool
    let programOffset: UInt64
    let programSize: Int
    let programCount: Int

    /// `ET_EXEC`, and `ET_DYN`, the type of position-independent executables.
    private static let types: Set<UInt64> = [2, 3]

    init?(_ bytes: [UInt8]) {
        guard bytes.count >= 52, bytes.starts(with: [0x7F, 0x45, 0x4C, 0x46]), (1...2).contains(bytes[4]),
            (1...2).contains(bytes[5]), bytes[4] == 1 || bytes.count == 64
        else { return nil }
        is64 = bytes[4] == 2
        isLittle = bytes[5] == 1
        let number = { [isLittle] (offset: Int, count: Int) in
            bytes[offset...].number(count, isLittle: isLittle)
        }
        guard Self.types.contains(number(16, 2)) else { return nil }
        programOffset = is64 ? number(32, 8) : number(28, 4)
        programSize = Int(is64 ? number(54, 2) : number(42, 2))
        programCount = Int(is64 ? number(56, 2) : number(44, 2))
        guard programSize == (is64 ? 56 : 32), (1...1_024).contains(programCount) else { return nil }
    }
}

/// A program header.
private struct ELFSegment {
    static let dynamic: UInt64 = 2
    static let interpreter: UInt64 = 3
    private static let load: UInt64 = 1

    let kind: UInt64
    let offset: UInt64
    let address: UInt64
    let size: UInt64

    init?(_ bytes: ArraySlice<UInt8>, _ header: ELFHeader) {
        guard bytes.count >= header.programSize else { return nil }
        let number = { (offset: Int, count: Int) in
            bytes.dropFirst(offset).number(count, isLittle: header.isLittle)
        }
        kind = number(0, 4)
        offset = header.is64 ? number(8, 8) : number(4, 4)
        address = header.is64 ? number(16, 8) : number(8, 4)
        size = header.is64 ? number(32, 8) : number(16, 4)
    }

    /// Returns whether this segment loads the byte at an address from the file.
    func loads(_ target: UInt64) -> Bool {
        kind == Self.load && target >= address && target - address < size
    }
}

/// The entries of the dynamic section.
private struct ELFEntries {
    /// `DT_NEEDED`, `DT_AUXILIARY` and `DT_FILTER`.
    static let libraries: Set<UInt64> = [1, 0x7FFF_FFFD, 0x7FFF_FFFF]
    /// `DT_DEPAUDIT` and `DT_AUDIT`.
    static let auditors: Set<UInt64> = [0x6FFF_FEFB, 0x6FFF_FEFC]
    /// `DT_STRTAB`.
    static let strings: UInt64 = 5
    /// `DT_RPATH` and `DT_RUNPATH`.
    static let paths: Set<UInt64> = [15, 29]

    private let entries: [(tag: UInt64, value: UInt64)]

    init(_ bytes: [UInt8], _ header: ELFHeader) {
        let size = header.is64 ? 8 : 4
        var entries: [(tag: UInt64, value: UInt64)] = []
        for start in stride(from: 0, to: bytes.count - size * 2 + 1, by: size * 2) {
            let tag = bytes[start...].number(size, isLittle: header.isLittle)
            if tag == 0 { break }
            entries.append((tag, bytes[(start + size)...].number(size, isLittle: header.isLittle)))
            // Limit the entries of an untrusted file; real programs have far fewer.
            if entries.count == 4_096 { break }
        }
        self.entries = entries
    }

    func first(_ tag: UInt64) -> UInt64? { entries.first { $0.tag == tag }?.value }

    func all(_ tags: Set<UInt64>) -> [UInt64] { entries.filter { tags.contains($0.tag) }.map(\.value) }
}

extension ArraySlice<UInt8> {
    /// Decodes the first `count` bytes as a number.
    fileprivate func number(_ count: Int, isLittle: Bool) -> UInt64 {
        let bytes = prefix(count)
        return isLittle
            ? bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) } : bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}
