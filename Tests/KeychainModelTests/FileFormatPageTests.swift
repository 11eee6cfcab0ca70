// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import Testing

/// The tables in `Documentation/FileFormat.md` agree with the code.
@Suite struct FileFormatPageTests {
    private let lines: Set<String>

    init() throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Documentation/FileFormat.md").standardizedFileURL
        lines = Set(try String(contentsOf: page, encoding: .utf8).split(separator: "\n").map(String.init))
    }

    @Test(arguments: AttributeRule.table)
    func `each attribute is documented`(rule: AttributeRule) {
        #expect(lines.contains(row(rule)))
    }

    @Test(arguments: ProtectionRule.table)
    func `each protection class is documented`(rule: ProtectionRule) {
        #expect(lines.contains("| \(rule.protection.rawValue) | `\(rule.name)` | `\(rule.symbol)` |"))
    }

    @Test(arguments: ItemClass.allCases.filter { $0 != .identity })
    func `each stored item class is documented`(itemClass: ItemClass) {
        #expect(lines.contains { $0.hasPrefix("| \(itemClass.rawValue) | `\(itemClass.name)` | `kSecClass") })
    }

    private func row(_ rule: AttributeRule) -> String {
        let columns = [
            "\(rule.attribute.rawValue)", "`\(rule.attribute.name)`", "`\(rule.symbol)`", classes(of: rule),
            "\(rule.kind)", identity(of: rule), digest(of: rule), place(of: rule),
        ]
        return "| " + columns.joined(separator: " | ") + " |"
    }

    private func digest(of rule: AttributeRule) -> String {
        guard rule.traits.contains(.searchable) else { return "" }
        return rule.attribute.hasManyValues ? "yes" : "row only"
    }

    private func classes(of rule: AttributeRule) -> String {
        guard rule.classes != .every else { return "all" }
        return ItemClass.allCases.filter { $0 != .identity && rule.classes.contains($0) }.map(\.name)
            .joined(separator: ", ")
    }

    private func identity(of rule: AttributeRule) -> String {
        guard rule.traits.contains(.unique) else { return "" }
        return switch rule.initial {
        case nil: "yes"
        case .string("")?: "yes, empty string"
        case .data([])?: "yes, empty data"
        case .number(0)?: "yes, number 0"
        case .date(0)?: "yes, date 0"
        case let other?: "yes, \(other)"
        }
    }

    private func place(of rule: AttributeRule) -> String {
        if rule.traits.contains(.clear) { return "column" }
        if rule.traits.contains(.refused) { return "never" }
        return rule.traits.contains(.computed) ? "computed" : "sealed"
    }
}
