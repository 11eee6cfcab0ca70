// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainObjects

/// `add-certificates`: adds each file separately; an unreadable file or an existing certificate does not stop the
/// rest.
struct AddCertificates {
    let arguments: ScannedArguments

    func run() throws(Failure) {
        guard !arguments.operands.isEmpty else { throw .usage("a file is required") }
        try Keychains.useOption(of: arguments)
        let step = "SecCertificateAddToKeychain"
        let attributes = try arguments.attributes(of: .certificate, step: step).stored
        var (result, added): (Int32, Int) = (0, 0)
        for name in arguments.operands {
            do throws(Failure) {
                try add(
                    ExternalFile(name: name, format: .unknown, type: .certificate, step: step),
                    attributes
                )
                added += 1
            } catch {
                result = Session.report(error, verb: nil)
            }
        }
        if result != 0 { throw .said(result: result) }
        try arguments.reportChange([("files", .number(added))])
    }

    private func add(_ file: ExternalFile, _ attributes: Attributes) throws(Failure) {
        let certificates = try file.items(in: InputFile.read(file.name))
        var storage = ObjectStorage(
            certificateAttributes: attributes,
            keyAttributes: Attributes(),
            step: file.stepWithFile
        )
        try storage.add(certificates)
        if storage.duplicates > 0 { throw .file(.duplicateItem, step: file.stepWithFile) }
    }
}
