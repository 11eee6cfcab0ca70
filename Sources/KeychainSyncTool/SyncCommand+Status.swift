// SPDX-License-Identifier: Apache-2.0

#if Synchronization
import FoundationEssentials
import KeychainModel
import KeychainStore
import KeychainSync

extension SyncCommand {
    func pause(_ isPaused: Bool) throws(Failure) {
        try sync { () throws(SyncError) in try store().setPaused(isPaused) }
        if options.has("json") { report("") }
    }

    func status() throws(Failure) {
        let status = try sync { () throws(SyncError) in try store().status() }
        guard !options.has("json") else { return Output.write(json: status) }
        Output.write(
            "circle:      \(status.circle), \(status.devices) devices, epoch \(status.epoch), generation \(status.generation)"
        )
        Output.write("device:      \(status.device) \(Output.plain(status.name)), \(status.role)")
        Output.write("fingerprint: \(status.fingerprint)")
        Output.write("records:     \(status.records), at revision \(status.revision)")
        Output.write("to push:     \(status.outbox)")
        if status.localOnly > 0 { Output.write("local only:  \(status.localOnly)") }
        Output.write("locked:      \(status.locked)")
        Output.write("conflicts:   \(status.conflicts)")
        if status.isOutOfContact {
            Output.write("warning:     the server has acknowledged nothing for 48 hours")
        }
        if status.isClockBehind {
            Output.write("warning:     this device's clock is more than 24 hours slow, or another's fast")
        }
        if status.paused { Output.write("paused") }
        if let problem = status.problem { Output.write("problem:     \(status.message ?? "") [\(problem)]") }
    }

    func conflicts() throws(Failure) {
        if options.operands.first == "restore" {
            guard let number = options.operands.dropFirst().first.flatMap({ Int64($0) }) else {
                throw .usage("the number of the conflict is required")
            }
            try sync { () throws(SyncError) in try store().restore(number) }
            if options.has("json") { report("") }
            return
        }
        struct Line: Encodable {
            var number: Int64, device: String, time: UInt64
            var itemClass: String?, accessGroup: String?, account: String?, service: String?
        }
        let conflicts = try sync { () throws(SyncError) in try store().conflicts() }
        let lines = conflicts.map { conflict in
            Line(
                number: conflict.number,
                device: conflict.device.hexadecimal,
                time: conflict.time,
                itemClass: conflict.item?.itemClass.name,
                accessGroup: conflict.item?.attributes.text(.accessGroup),
                account: conflict.item?.attributes.text(.account),
                service: conflict.item?.attributes.text(.service) ?? conflict.item?.attributes.text(.server)
            )
        }
        guard !options.has("json") else { return Output.write(json: lines) }
        for line in lines {
            let name = [line.service, line.account].compactMap { $0 }.joined(separator: "/")
            Output.write("\(line.number) \(line.itemClass ?? "locked") \(Output.plain(name))")
        }
    }
}

extension Attributes {
    /// Returns the value of an attribute as a string; `nil` if it is missing, a number, a date or not UTF-8.
    fileprivate func text(_ attribute: Attribute) -> String? {
        switch self[attribute] {
        case .string(let text): text
        case .data(let data): String(validating: data, as: UTF8.self)
        case .number, .date, nil: nil
        }
    }
}
#endif
