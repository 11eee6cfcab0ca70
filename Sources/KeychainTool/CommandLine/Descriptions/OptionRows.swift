// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

// Descriptions take the names and the help of their options from the option table.

extension NameSpecification {
    fileprivate static func row(_ name: String, _ verbs: VerbSet) -> NameSpecification {
        guard let letter = ToolOption.find(name: name[...], in: verbs)?.letter else {
            return NameSpecification([.customLong(name)])
        }
        return NameSpecification([.customShort(Character(letter)), .customLong(name)])
    }
}

extension ArgumentHelp {
    fileprivate static func row(_ name: String, _ verbs: VerbSet) -> ArgumentHelp? {
        ToolOption.find(name: name[...], in: verbs).map {
            ArgumentHelp(stringLiteral: $0.help).naming($0.placeholder)
        }
    }

    private func naming(_ placeholder: String) -> ArgumentHelp {
        var help = self
        if !placeholder.isEmpty { help.valueName = placeholder }
        return help
    }
}

extension Flag where Value == Bool {
    init(wrappedValue: Bool, row name: String, _ verbs: VerbSet) {
        self.init(wrappedValue: wrappedValue, name: .row(name, verbs), help: .row(name, verbs))
    }
}

extension Option where Value == String? {
    init(row name: String, _ verbs: VerbSet) {
        self.init(name: .row(name, verbs), help: .row(name, verbs))
    }
}

extension Option where Value == [String] {
    init(wrappedValue: [String], row name: String, _ verbs: VerbSet) {
        self.init(wrappedValue: wrappedValue, name: .row(name, verbs), help: .row(name, verbs))
    }
}
