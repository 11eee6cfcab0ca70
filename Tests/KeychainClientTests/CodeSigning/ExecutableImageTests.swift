// SPDX-License-Identifier: Apache-2.0

import KeychainClient
import Testing

/// Reading from an executable's ELF headers which files the loader loads.
@Suite struct ExecutableImageTests {
    /// A 64-bit little-endian executable with an interpreter and a dynamic section.
    private static func executable(_ entries: [(tag: UInt64, text: String)]) -> [UInt8] {
        var strings: [UInt8] = [0]
        var dynamic: [UInt64] = []
        for entry in entries {
            dynamic += [entry.tag, UInt64(strings.count)]
            strings += Array(entry.text.utf8) + [0]
        }
        let interpreter = Array("/sample/loader".utf8) + [0]
        let headers = 64 + 3 * 56
        let (dynamicOffset, dynamicSize) = (headers, (dynamic.count + 4) * 8)
        let stringOffset = dynamicOffset + dynamicSize
        let interpreterOffset = stringOffset + strings.count
        dynamic += [5, UInt64(stringOffset), 0, 0]
        let total = interpreterOffset + interpreter.count
        var bytes: [UInt8] = [0x7F, 0x45, 0x4C, 0x46, 2, 1, 1, 0] + [UInt8](repeating: 0, count: 8)
        func append(_ number: UInt64, _ count: Int) {
            for index in 0..<count { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * UInt64(index)))) }
        }
        for (number, count) in [
            (2, 2), (62, 2), (1, 4), (0, 8), (64, 8), (0, 8), (0, 4), (64, 2), (56, 2), (3, 2),
        ] {
            append(UInt64(number), count)
        }
        bytes += [UInt8](repeating: 0, count: 64 - bytes.count)
        for (kind, offset, size) in [
            (1, 0, total), (2, dynamicOffset, dynamicSize), (3, interpreterOffset, interpreter.count),
        ] {
            for (number, count) in [
                (kind, 4), (0, 4), (offset, 8), (offset, 8), (offset, 8), (size, 8), (size, 8), (8, 8),
            ] {
                append(UInt64(number), count)
            }
        }
        for number in dynamic { append(number, 8) }
        return bytes + strings + interpreter
    }

    private static func image(_ entries: [(tag: UInt64, text: String)]) -> ExecutableImage? {
        let bytes = executable(entries)
        return ExecutableImage { offset, count in Array(bytes.dropFirst(Int(offset)).prefix(count)) }
    }

    @Test func `filters and auditors count as libraries`() throws {
        let image = try #require(
            Self.image([
                (1, "libc.so.6"), (0x7FFF_FFFD, "/sample/auxiliary.so"), (0x7FFF_FFFF, "/sample/filter.so"),
                (0x6FFF_FEFC, "/sample/audit.so:other.so"), (0x6FFF_FEFB, "/sample/depaudit.so"),
            ])
        )
        #expect(
            Set(image.libraries) == [
                "libc.so.6", "/sample/auxiliary.so", "/sample/filter.so", "/sample/audit.so", "other.so",
                "/sample/depaudit.so",
            ]
        )
    }

    @Test func `the interpreter of an executable is parsed`() throws {
        #expect(try #require(Self.image([])).interpreter == "/sample/loader")
    }

    @Test(arguments: [
        ("/usr/lib", ["/usr/lib"]), (":/usr/lib", ["", "/usr/lib"]), ("/usr/lib:", ["/usr/lib", ""]),
        ("", []),
    ])
    func `an empty search directory, which is the current one, is not dropped`(
        path: String,
        expected: [String]
    ) throws {
        for tag: UInt64 in [15, 29] {
            #expect(try #require(Self.image([(tag, path)])).libraryDirectories == expected)
        }
    }

    @Test func `the libraries of the test's executable are found`() throws {
        let image = try #require(try OpenExecutable("/proc/self/exe").image)
        #expect(image.libraries.contains { $0.hasPrefix("libc.so") })
    }

    @Test func `scripts and short files are no executables`() {
        for bytes in [[], Array("#!/bin/sh\n".utf8), [0x7F, 0x45, 0x4C, 0x46]] as [[UInt8]] {
            let image = ExecutableImage { offset, count in
                Array(bytes.dropFirst(Int(offset)).prefix(count))
            }
            #expect(image == nil)
        }
    }
}
