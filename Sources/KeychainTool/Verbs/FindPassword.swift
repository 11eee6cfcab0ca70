// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// `find-generic-password` and `find-internet-password`: print a matching password item.
struct FindPassword {
    private let itemClass: ItemClass
    private let arguments: ScannedArguments

    init(_ itemClass: ItemClass, _ arguments: ScannedArguments) {
        self.itemClass = itemClass
        self.arguments = arguments
    }

    private static let step = "SecKeychainSearchCopyNext"

    func run() throws(Failure) {
        let isRaw = arguments.has("raw")
        let isJSON = arguments.has("json")
        guard !isRaw || !isJSON else { throw .usage("--raw and --json are mutually exclusive") }
        let filter = try arguments.attributes(of: itemClass, step: Self.step).filter
        let isAlone = isRaw || arguments.has("password-only")
        let wantsPassword = isAlone || arguments.has("show-password")
        let state = try arguments.authentication(asking: ["application password: "])
        var returning: ReturnKeys = wantsPassword ? .data : []
        if isJSON || !isAlone { returning.formUnion(.attributes) }
        let request = Request.copy(CopyRequest(filter: filter, returning: returning))

        let found = try Keychains.first(arguments.operands, arguments, filter) { () throws(Failure) in
            try KeychainCalls.perform(request, state, step: Self.step)
        }
        guard let item = found.first.map(ListedItem.init) else {
            throw .status(.itemNotFound, step: Self.step)
        }
        if isJSON {
            try Console.write(item.json(withData: wantsPassword).line)
        } else if isAlone {
            try Console.write(isRaw ? item.password : BlobText.passwordLine(item.password))
        } else {
            try Console.write(item.block(keychain: KeychainCalls.directory()))
            if wantsPassword { Console.say("password: \(BlobText.quoted(item.password))\n") }
        }
    }
}
