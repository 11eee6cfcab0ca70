// SPDX-License-Identifier: Apache-2.0

/// The connections ready to be served, in a queue for each user, with users in round-robin order.
struct ReadyRing {
    private var queues: [UInt32: ArraySlice<Connection>] = [:]
    /// The users with a non-empty queue, the next one first.
    private var turns: ArraySlice<UInt32> = []

    var isEmpty: Bool { turns.isEmpty }

    mutating func add(_ connection: Connection) {
        let user = connection.peer.user
        if queues[user] == nil { turns.append(user) }
        queues[user, default: []].append(connection)
    }

    /// Removes the next connection of the next user that the closure allows.
    mutating func next(where isAllowed: (UInt32) -> Bool) -> Connection? {
        for _ in 0..<turns.count {
            guard let user = turns.popFirst() else { return nil }
            guard isAllowed(user) else {
                turns.append(user)
                continue
            }
            guard let connection = queues[user]?.popFirst() else { continue }
            if queues[user]?.isEmpty == true {
                queues[user] = nil
            } else {
                turns.append(user)
            }
            return connection
        }
        return nil
    }
}
