// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices

/// `add-certificates`: file by file; what is wrong with one does not keep the others out.
struct AddCertificates {
    let arguments: ScannedArguments

    func run() throws(Failure) {
        guard !arguments.operands.isEmpty else { throw .usage("a file is required") }
        try Keychains.useOption(of: arguments)
        let attributes = try arguments.dictionary(ofClass: nil)
        var result: Int32 = 0
        for name in arguments.operands {
            do throws(Failure) {
                try add(name, attributes)
            } catch .file(let status, let step) {
                Console.complain("\(step): \(StatusText.sentence(status))")
                result = status
            } catch .store(let status, let step, let detail) {
                Console.complain("\(step): \(StatusText.sentence(status))")
                Console.complain(detail)
                result = status
            } catch .message(let text, let code) {
                Console.complain(text)
                result = code
            }
        }
        if result != 0 { throw .said(result: result) }
    }

    private func add(_ name: String, _ attributes: ItemDictionary) throws(Failure) {
        let file = ExternalFile(
            name: name,
            format: .formatUnknown,
            type: .itemTypeCertificate,
            step: "SecCertificateAddToKeychain"
        )
        let certificates = try file.items(in: InputFile.read(name))
        var storage = ObjectStorage(attributes: attributes, step: file.spokenStep)
        try storage.add(certificates)
        if storage.duplicates > 0 { throw .file(errSecDuplicateItem, step: file.spokenStep) }
    }
}
