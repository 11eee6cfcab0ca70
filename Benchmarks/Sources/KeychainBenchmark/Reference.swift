// SPDX-License-Identifier: Apache-2.0

import CReference
import Foundation

/// A store with the same items, with which the keychain's store is compared.
protocol Reference {
    /// Adds the items with these numbers in one transaction, and checkpoints the write-ahead log.
    func fill(_ items: Range<Int>) throws
    // The following functions return the average time of an operation in microseconds.
    func reads(_ count: Int, from first: Int, among items: Int) throws -> Double
    func adds(_ count: Int, from first: Int) throws -> Double
    func updates(_ count: Int, from first: Int, among items: Int) throws -> Double
    func list(_ count: Int, of items: Int) throws -> Double
}

/// The C reference: SQLite and AES-256-GCM, in this process.
final class CReferenceStore: Reference {
    let store: OpaquePointer

    init(at directory: String = Stores.reference) throws {
        guard let store = reference_open(directory) else {
            throw BenchmarkError("the C reference does not open")
        }
        self.store = store
    }

    deinit { reference_close(store) }

    private func microseconds(_ nanoseconds: Int64, _ count: Int) throws -> Double {
        guard nanoseconds >= 0 else { throw BenchmarkError("the C reference failed") }
        return Double(nanoseconds) / 1_000 / Double(count)
    }

    func fill(_ items: Range<Int>) throws {
        guard reference_fill(store, items.lowerBound, items.upperBound) >= 0, reference_checkpoint(store) == 0
        else { throw BenchmarkError("the C reference cannot be filled") }
    }

    func reads(_ count: Int, from first: Int, among items: Int) throws -> Double {
        try microseconds(reference_time_reads(store, first, count, items), count)
    }

    func adds(_ count: Int, from first: Int) throws -> Double {
        try microseconds(reference_time_adds(store, first, count), count)
    }

    func updates(_ count: Int, from first: Int, among items: Int) throws -> Double {
        try microseconds(reference_time_updates(store, first, count, items), count)
    }

    func list(_ count: Int, of items: Int) throws -> Double {
        try microseconds(reference_time_list(store, count, items), count)
    }
}

/// SQLCipher, in a child process that answers each line with a number.
final class SQLCipherStore: Reference {
    private let child: Child

    init(at directory: String = Stores.sqlcipher) throws {
        child = try Child(Program.sqlcipher.path(), [directory], environment: [:])
    }

    private func answer(_ verb: String, _ first: Int, _ second: Int = 0, _ third: Int = 0) throws -> Int64 {
        guard let answer = Int64(try child.ask("\(verb) \(first) \(second) \(third)")), answer >= 0 else {
            throw BenchmarkError("SQLCipher failed")
        }
        return answer
    }

    func fill(_ items: Range<Int>) throws {
        _ = try answer("fill", items.lowerBound, items.upperBound)
        _ = try answer("checkpoint", 0)
    }

    func reads(_ count: Int, from first: Int, among items: Int) throws -> Double {
        Double(try answer("reads", first, count, items)) / 1_000 / Double(count)
    }

    func adds(_ count: Int, from first: Int) throws -> Double {
        Double(try answer("adds", first, count)) / 1_000 / Double(count)
    }

    func updates(_ count: Int, from first: Int, among items: Int) throws -> Double {
        Double(try answer("updates", first, count, items)) / 1_000 / Double(count)
    }

    func list(_ count: Int, of items: Int) throws -> Double {
        Double(try answer("list", 0, count, items)) / 1_000 / Double(count)
    }

    func reads(seconds: Double, from first: Int, among items: Int) throws -> Int {
        Int(try answer("reads-until", first, Int(seconds * 1e9), items))
    }
}

/// The programs that `Benchmarks/run` builds next to the benchmark.
enum Program: String {
    case sqlcipher = "reference-sqlcipher"
    case cold = "reference-cold"
    case emptySwift = "empty-swift"
    case security

    func path() throws -> String {
        let path = "\(Child.ownDirectory)/\(rawValue)"
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw BenchmarkError("there is no \(path): start Benchmarks/run")
        }
        return path
    }
}
