// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainWrapperSupport
import Testing

/// Changing one byte of a valid archive or property list gives a value or an error, never a crash.
@Suite struct MutationTests {
    static let lists: [Data] = PropertyListReadingTests.values.map(\.list.binary).filter { $0.count < 300 }

    static let archives: [Data] = ArchiveReadingTests.values.map {
        ArchiveReadingTests.foundationArchive($0, forKey: "root")
    }

    static let changes: [@Sendable (UInt8) -> UInt8] = [
        { $0 ^ 0xFF }, { $0 ^ 0x01 }, { $0 ^ 0x80 }, { $0 &+ 0x10 }, { _ in 0 },
    ]

    @Test(arguments: lists) func `every change of a byte in a list gives a value or an error`(list: Data) {
        for (index, change) in Self.everyChange(of: list) {
            var changed = list
            changed[index] = change(changed[index])
            guard let value = try? PropertyList(binary: changed) else { continue }
            // A value that was read must survive writing and reading.
            #expect((try? PropertyList(binary: value.binary))?.binary == value.binary)
            _ = try? value.foundationValue()
        }
    }

    @Test(arguments: archives) func `every change of a byte in an archive gives a value or an error`(
        archive: Data
    ) {
        for (index, change) in Self.everyChange(of: archive) {
            var changed = archive
            changed[index] = change(changed[index])
            guard let read = try? KeyedArchive(changed) else { continue }
            for key in read.keys { _ = try? read.object(forKey: key) }
        }
    }

    @Test func `every change of a byte in an archive of a custom class gives a value or an error`() throws {
        let archive = try KeyedArchive.data(archiving: ForeignClassTests.account, forKey: "k")
        for (index, change) in Self.everyChange(of: archive) {
            var changed = archive
            changed[index] = change(changed[index])
            guard let read = try? KeyedArchive(changed) else { continue }
            _ = try? read.object(forKey: "k", classes: [Account.self])
        }
    }

    private static func everyChange(of data: Data) -> [(Int, @Sendable (UInt8) -> UInt8)] {
        data.indices.flatMap { index in changes.map { (index, $0) } }
    }
}
