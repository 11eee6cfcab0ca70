// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import Testing

@Suite struct AttributeTableTests {
    @Test(arguments: Attribute.allCases)
    func `each attribute has a table row`(attribute: Attribute) {
        #expect(AttributeRule.table.contains { $0.attribute == attribute })
    }

    @Test(arguments: ItemClass.allCases)
    func `no class has two rows for one attribute`(itemClass: ItemClass) {
        let attributes = AttributeRule.table.filter { $0.classes.contains(itemClass) }.map(\.attribute)
        #expect(Set(attributes).count == attributes.count)
    }

    @Test func `no API constant occurs in two rows`() {
        // The end date has two rows: it is in the primary key of keys, but not in that of passwords.
        let rules = AttributeRule.table.filter { $0.attribute != .endDate || $0.classes == .keys }
        #expect(Set(rules.map(\.symbol)).count == rules.count)
        #expect(rules.count == AttributeRule.table.count - 1)
    }

    @Test(arguments: Attribute.allCases)
    func `an attribute name has four ASCII letters or digits and can be looked up`(attribute: Attribute) {
        let name = attribute.name
        #expect(name.utf8.count == 4)
        #expect(name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) })
        #expect(Attribute(name: name) == attribute)
    }

    @Test func `no two attributes share a name`() {
        #expect(Set(Attribute.allCases.map(\.name)).count == Attribute.allCases.count)
    }

    /// The database stores raw values of attributes, so names may only be appended to this list.
    @Test func `raw values on disk are those of the first release`() {
        let names = """
            agrp sync musr vwht tkid ggrp cdat mdat labl alis pdmn accc sha1 tomb UUID sysb pcss pcsk pcsi acct \
            svce gena desc icmt crtr type scrp invi nega cusi prot sdmn srvr ptcl atyp port path binn bini bin0 \
            bin1 bin2 bin3 ctyp issr slnr cenc subj skid pkhh kcls klbl atag bsiz esiz sdat edat perm priv modi \
            sens asen extr next encr decr drve sign vrfy snrc vyrc wrap unwp toid dspk clip
            """
        let expected = names.split(separator: " ").map(String.init)
        #expect(Attribute.allCases.map(\.name) == expected)
        #expect(Attribute.allCases.map { Int($0.rawValue) } == Array(1...expected.count))
    }

    @Test(arguments: AttributeRule.table)
    func `an initial value is valid for its attribute type`(rule: AttributeRule) throws {
        guard let initial = rule.initial else { return }
        let supplied: SuppliedValue =
            switch initial {
            case .string(let text): .string(text)
            case .data(let data): .data(SecretBuffer(data))
            case .number(let number): .number(number)
            case .date(let date): .date(date)
            }
        #expect(try rule.kind.convert(supplied, for: rule.attribute) == initial)
    }

    /// The attributes of Apple's primary key of each stored class, except `musr`, which has one value here.
    static let primaryKeys: [(ItemClass, String)] = [
        (ItemClass.genericPassword, "agrp sync vwht tkid ggrp acct svce"),
        (.internetPassword, "agrp sync vwht tkid ggrp acct sdmn srvr ptcl atyp port path"),
        (.certificate, "agrp sync vwht tkid ggrp ctyp issr slnr"),
        (.key, "agrp sync vwht tkid ggrp crtr type kcls klbl atag bsiz esiz sdat edat"),
    ]

    @Test(arguments: primaryKeys)
    func `the identity of a class consists of Apple's primary key`(itemClass: ItemClass, names: String) {
        let unique = ItemSchema.of(itemClass).unique.map(\.attribute.name)
        #expect(unique == names.split(separator: " ").map(String.init))
    }

    @Test(arguments: ItemClass.allCases)
    func `a schema returns exactly the rows of its class`(itemClass: ItemClass) {
        let schema = ItemSchema.of(itemClass)
        for attribute in Attribute.allCases {
            let expected = AttributeRule.table.first {
                $0.attribute == attribute && $0.classes.contains(itemClass)
            }
            #expect(schema[attribute]?.symbol == expected?.symbol)
        }
        #expect(schema.rules.map(\.attribute.rawValue) == schema.rules.map(\.attribute.rawValue).sorted())
    }

    @Test(arguments: ["", "acc", "accts", "ACCT", "acc\u{301}", "\u{e9}cct", "v_Data", "acct\0"])
    func `an unknown name is not an attribute`(name: String) {
        #expect(Attribute(name: name) == nil)
    }

    @Test(arguments: ItemClass.allCases)
    func `a class has a raw value and a four-character name that can be looked up`(itemClass: ItemClass) {
        let names = ["genp", "inet", "cert", "keys", "idnt"]
        #expect(itemClass.name == names[Int(itemClass.rawValue) - 1])
        #expect(ItemClass(name: itemClass.name) == itemClass)
        #expect(ItemClass(name: itemClass.name.uppercased()) == nil)
    }
}
