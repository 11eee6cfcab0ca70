// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainControl
import KeychainServices

/// Runs command lines: one, or in interactive mode one after the other.
struct Session {
    private let isQuiet: Bool
    private let isVerbose: Bool
    private var isInteractive = false

    /// Runs the tool and returns what its process ends with; the low byte becomes the exit code.
    static func run(_ arguments: [String]) -> Int32 {
        if let first = arguments.first, asksForDescription(first) { return Descriptions.answer(arguments) }
        do throws(Failure) {
            let scanned = try ArgumentScanner.scanTool(arguments[...])
            if scanned.wantsHelp { return Descriptions.answer(["help"] + scanned.operands) }
            var session = Session(isQuiet: scanned.has("quiet"), isVerbose: scanned.has("verbose"))
            if !scanned.operands.isEmpty { return session.execute(scanned.operands) }
            let prompt = scanned.occurrences.last { $0.option.name == "prompt" }?.value
            if prompt != nil || scanned.has("interactive") {
                return try session.interact(prompt: prompt ?? "security> ")
            }
            throw .usage("a command is required")
        } catch {
            return report(error, verb: nil)
        }
    }

    /// Whether an option is ArgumentParser's, which describes the tool as a whole; `---completion` is what its scripts for
    /// shells ask with.
    private static func asksForDescription(_ argument: String) -> Bool {
        let names = ["--help", "--version", "--generate-completion-script", "---completion"]
        return names.contains(String(argument.prefix { $0 != "=" }))
    }

    private init(isQuiet: Bool, isVerbose: Bool) {
        self.isQuiet = isQuiet
        self.isVerbose = isVerbose
    }

    /// Reads commands to the end of standard input; the result is that of the last.
    ///
    /// Where a line cannot be read whole, nothing of it is run, and nothing after it.
    private mutating func interact(prompt: String) throws(Failure) -> Int32 {
        isInteractive = true
        var result: Int32 = 0
        while true {
            if Console.isTerminal(STDIN_FILENO) { Console.say(prompt) }
            guard let bytes = try StandardInput.nextLine() else { return result }
            guard let line = String(validating: bytes, as: UTF8.self) else {
                Console.complain("a line is not UTF-8")
                result = 2
                continue
            }
            let words = ShellWords.split(line)
            result = execute(words)
            guard result != 0, !isQuiet, let name = words.first else { continue }
            Console.say("\(Verb(abbreviation: name) == nil ? "command" : name): returned \(result)\n")
        }
    }

    private func execute(_ words: [String]) -> Int32 {
        guard let name = words.first else { return 0 }
        guard let verb = Verb(abbreviation: name) else {
            // In interactive mode the word may be a piece of a password that was meant for the command before.
            Console.complain(isInteractive ? "unknown command" : "unknown command \"\(name)\"")
            if Verb.deleteKeychain.rawValue.hasPrefix(name) {
                Console.complain("delete-keychain cannot be abbreviated")
            }
            return 1
        }
        do throws(Failure) {
            return try perform(verb, words.dropFirst())
        } catch {
            return Self.report(error, verb: verb)
        }
    }

    private func perform(_ verb: Verb, _ words: ArraySlice<String>) throws(Failure) -> Int32 {
        // Statuses are negative: they are no options.
        if verb == .error, words.first != "-h", words.first != "--help" {
            try StatusText.explain(Array(words))
            return 0
        }
        let arguments = try ArgumentScanner.scan(words, of: verb)
        if verb == .help || arguments.wantsHelp {
            return Descriptions.answer(["help"] + (verb == .help ? arguments.operands : [verb.rawValue]))
        }
        if isVerbose { Console.say(Self.transcript(verb, arguments)) }
        do throws(Failure) {
            try run(verb, arguments)
        } catch {
            throw AccessGroups.explained(error, arguments)
        }
        return 0
    }

    private func run(_ verb: Verb, _ arguments: ScannedArguments) throws(Failure) {
        switch verb {
        case .addGenericPassword: try add(.generic, arguments)
        case .addInternetPassword: try add(.internet, arguments)
        case .findGenericPassword: try find(.generic, arguments)
        case .findInternetPassword: try find(.internet, arguments)
        case .deleteGenericPassword: try DeletePassword(passwordClass: .generic, arguments: arguments).run()
        case .deleteInternetPassword: try DeletePassword(passwordClass: .internet, arguments: arguments).run()
        case .dumpKeychain: try DumpKeychain(arguments: arguments, isInteractive: isInteractive).run()
        case .showKeychainInfo: try KeychainInfo(arguments: arguments).run()
        case .createKeychain: try CreateKeychain(arguments: arguments, isInteractive: isInteractive).run()
        case .lockKeychain: try LockKeychain(arguments: arguments).run()
        case .unlockKeychain: try UnlockKeychain(arguments: arguments, isInteractive: isInteractive).run()
        case .setKeychainSettings: try SetKeychainSettings(arguments: arguments).run()
        case .setKeychainPassword:
            try SetKeychainPassword(arguments: arguments, isInteractive: isInteractive).run()
        case .deleteKeychain: try DeleteKeychain(arguments: arguments).run()
        case .listKeychains, .defaultKeychain, .loginKeychain:
            try KeychainLists(verb: verb, arguments: arguments).run()
        default: try runOnObjects(verb, arguments)
        }
    }

    private func runOnObjects(_ verb: Verb, _ arguments: ScannedArguments) throws(Failure) {
        switch verb {
        case .import: try ImportItems(arguments: arguments, isInteractive: isInteractive).run()
        case .export: try ExportItems(arguments: arguments, isInteractive: isInteractive).run()
        case .addCertificates: try AddCertificates(arguments: arguments).run()
        case .findCertificate: try FindCertificate(arguments: arguments).run()
        case .deleteCertificate: try DeleteObject(objectClass: .certificate, arguments: arguments).run()
        case .findIdentity: try FindIdentity(arguments: arguments).run()
        case .deleteIdentity: try DeleteObject(objectClass: .identity, arguments: arguments).run()
        case .deleteKey: try DeleteObject(objectClass: .key, arguments: arguments).run()
        case .findKey: try FindKey(arguments: arguments).run()
        case .createKeypair: try CreateKeypair(arguments: arguments).run()
        case .setKeyPartitionList: try SetPartitionList(arguments: arguments, isVerbose: isVerbose).run()
        default: break
        }
    }

    private func add(_ passwordClass: PasswordClass, _ arguments: ScannedArguments) throws(Failure) {
        try AddPassword(passwordClass: passwordClass, arguments: arguments, isInteractive: isInteractive)
            .run()
    }

    private func find(_ passwordClass: PasswordClass, _ arguments: ScannedArguments) throws(Failure) {
        try FindPassword(passwordClass: passwordClass, arguments: arguments, isInteractive: isInteractive)
            .run()
    }

    /// The command as it was understood, without operands and passwords.
    private static func transcript(_ verb: Verb, _ arguments: ScannedArguments) -> String {
        let options = arguments.occurrences.map { occurrence in
            switch occurrence.option.kind {
            case .flag: " --\(occurrence.option.name)"
            case .secret, .hexadecimal, .passphrase: " --\(occurrence.option.name) <password>"
            default: " --\(occurrence.option.name) \"\(occurrence.value ?? "")\""
            }
        }
        return "\(verb.rawValue)\(options.joined())\n"
    }

    private static func report(_ failure: Failure, verb: Verb?) -> Int32 {
        switch failure {
        case .usage(let text):
            Console.complain(text)
            Console.say(Descriptions.usage(of: verb) + "\n")
        case .status(let status, let step, let reason):
            if let reason, reason.isExplained { Console.complain(KeychainCalls.described(reason)) }
            Console.complain("\(step): \(StatusText.sentence(status))")
        case .store(let status, let step, let detail):
            Console.complain(detail)
            Console.complain("\(step): \(StatusText.sentence(status))")
        case .file(let status, let step):
            Console.complain("\(step): \(StatusText.sentence(status))")
        case .said: break
        case .message(let text, _):
            Console.complain(text)
        }
        return failure.result
    }
}
