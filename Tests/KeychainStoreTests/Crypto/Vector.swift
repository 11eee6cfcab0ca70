// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainStore
import Testing

/// A test vector from `Tests/Fixtures/vectors`: named inputs, the encoded bytes and the expected result.
struct Vector: Sendable, CustomTestStringConvertible {
    let name: String
    let inputs: [String: String]
    let bytes: [UInt8]

    var testDescription: String { name }
    var expectation: String { inputs["expect"] ?? "" }

    static let directory = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Fixtures/vectors").standardizedFileURL

    static let all: [Vector] = {
        let files =
            (try? FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil))
            ?? []
        return files.sorted { $0.path < $1.path }.compactMap { try? Vector(file: $0) }
    }()

    static func all(of kind: String) -> [Vector] { all.filter { $0.inputs["kind"] == kind } }

    static func named(_ name: String) throws -> Vector { try #require(all.first { $0.name == name }) }

    private init(file: URL) throws {
        name = file.deletingPathExtension().lastPathComponent
        let parts = try String(contentsOf: file, encoding: .utf8).split(
            separator: "\n",
            omittingEmptySubsequences: false
        )
        let head = parts.prefix { !$0.isEmpty }
        inputs = Dictionary(
            uniqueKeysWithValues: try head.map { line in
                let colon = try #require(line.firstRange(of: ": "))
                return (String(line[..<colon.lowerBound]), String(line[colon.upperBound...]))
            }
        )
        bytes = Array(try #require(Data(hex: parts.dropFirst(head.count).joined())))
    }

    func text(_ name: String) throws -> String { try #require(inputs[name], "no input \(name)") }

    func data(_ name: String) throws -> Data { try #require(try Data(hex: text(name))) }

    func number<Number: FixedWidthInteger>(_ name: String) throws -> Number {
        try #require(try Number(text(name)))
    }

    func keys() throws -> StoreKeys { StoreKeys(try deviceKey(from: data("device-key"))) }

    func group() throws -> Bytes8 {
        let bytes = try data("group")
        return try #require(bytes.withUnsafeBytes { Bytes8($0) })
    }

    /// Parses attributes written as `name type bytes, …`; the string `none` gives no attributes.
    func attributes(_ name: String = "attributes") throws -> Attributes {
        var attributes = Attributes()
        for part in try text(name).components(separatedBy: ", ") where part != "none" {
            let fields = part.split(separator: " ", omittingEmptySubsequences: false)
            let attribute = try #require(Attribute(name: String(fields[0])))
            let bytes = try #require(Data(hex: String(fields[2])))
            let code = try #require(UInt8(fields[1]))
            let decoded = bytes.withUnsafeBytes { AttributeValue(typeCode: code, canonicalBytes: $0) }
            let value: AttributeValue = try #require(decoded)
            attributes[attribute] = value
        }
        return attributes
    }

    func classKeys(_ keys: StoreKeys) throws -> KeySession {
        let page = try Array(data("keybag"))
        return KeySession(try Keybag(opening: page, digest: Bytes32(digestOf: page), with: keys))
    }

    func row() throws -> ItemRow {
        let columns = ItemColumns(
            item: try #require(try Bytes16(Array(data("item")))),
            identity: try #require(try Bytes32(Array(data("identity"))).flatMap(ItemIdentity.init)),
            version: try number("version"),
            protection: try #require(try ProtectionClass(rawValue: number("protection"))),
            synchronizable: try text("synchronizable") == "1",
            tombstone: try text("tombstone") == "1",
            digests: try Array(data("digests"))
        )
        return ItemRow(
            columns: columns,
            attributes: bytes,
            secret: try text("secret") == "none" ? nil : Array(data("secret"))
        )
    }
}

extension Data {
    init?(hex: String) {
        let digits = Array(hex.utf8)
        guard digits.count.isMultiple(of: 2) else { return nil }
        self.init(capacity: digits.count / 2)
        for place in stride(from: 0, to: digits.count, by: 2) {
            guard let byte = UInt8(String(decoding: digits[place..<place + 2], as: UTF8.self), radix: 16)
            else { return nil }
            append(byte)
        }
    }
}

func deviceKey(from file: some Sequence<UInt8>) throws -> DeviceKey {
    try withTemporaryDirectory { path in
        let directory = try PrivateDirectory(path: path, creating: false)
        try directory.create(StoreLocation.deviceKeyName, contents: Array(file))
        return try #require(try DeviceKey(in: directory))
    }
}

func withTemporaryDirectory<Result>(_ body: (String) throws -> Result) throws -> Result {
    let path = FileManager.default.temporaryDirectory.appending(path: "keychain-\(UUID())").path
    try FileManager.default.createDirectory(
        atPath: path,
        withIntermediateDirectories: false,
        attributes: [.posixPermissions: 0o700]
    )
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try body(path)
}
