// SPDX-License-Identifier: Apache-2.0

package import Foundation
import KeychainModel
import KeychainUserPresence

/// One change of a transaction, with the dictionaries of the corresponding `SecItem` function.
///
/// With `ifModified`, the change applies only to items that still have this modification date, that is, to items
/// that have not changed since the program read them.
package enum SecItemChange {
    case add(CFDictionary)
    case update(CFDictionary, CFDictionary, ifModified: Date? = nil)
    case delete(CFDictionary, ifModified: Date? = nil)
    /// Deletes a generic password; faster than `delete`, because it needs no dictionary.
    case deletePassword(reference: Data, ifModified: Date?)
}

/// Applies changes in order in one durable transaction.
///
/// Apple has no such function. Key generation calls it to store both keys. The function never prompts: it
/// uses the authentication results of the first `LAContext` in the dictionaries, and returns
/// `errSecInteractionNotAllowed` if a change requires another authentication.
///
/// Other writers wait until the transaction ends; each of its changes takes some 100 microseconds.
///
/// - Parameters:
///   - changes: The changes, which may be empty.
///   - progress: Receives the number of completed changes after each one and returns whether to continue. It
///     must be fast and must not call the keychain. The changes can still be rolled back or restarted until
///     the function returns.
///   - observer: Receives the number of completed changes on the calling thread while another thread applies
///     the changes. If several changes are completed while it is busy, it receives only the last number. It
///     may call the keychain; a call that changes items blocks until the transaction ends. Without an observer,
///     the calling thread applies the changes.
///   - skip: Receives the index of each change that adds an existing item; this change is then skipped. If
///     `skip` is `nil`, such a change fails with `errSecDuplicateItem`. A restarted transaction reports the
///     indices again.
/// - Returns: The status of the first failed change, or `errSecSuccess`; `errSecUserCanceled` if `progress`
///   returned `false`.
package func SecItemApply(
    _ changes: [SecItemChange],
    progress: @escaping @Sendable (_ completed: Int) -> Bool = { _ in true },
    observer: ((_ completed: Int) -> Void)? = nil,
    skip: (@Sendable (_ index: Int) -> Void)? = nil
) -> OSStatus {
    // An empty list of changes succeeds even without a keychain.
    guard !changes.isEmpty else { return errSecSuccess }
    do throws(StatusError) {
        var requests: [Request] = []
        var options = AuthenticationOptions()
        for change in changes {
            let read = try change.read()
            requests.append(read.request)
            if options.state == nil { options = read.options }
        }
        var authenticating = ItemAuthentication(options)
        let authentication = try authenticating.forChanges(requests)
        guard let observer else {
            try authentication.perform(together: requests, skip: skip, progress: progress)
            return errSecSuccess
        }
        let changes = requests
        try ObservedWork.run(observer) { report throws(StatusError) in
            try authentication.perform(together: changes, skip: skip) { count in
                report(count)
                return progress(count)
            }
        }
        return errSecSuccess
    } catch {
        return OSStatus(recording: error)
    }
}

extension SecItemChange {
    fileprivate func read() throws(StatusError) -> (request: Request, options: AuthenticationOptions) {
        switch self {
        case .add(let attributes):
            let query = try QueryDictionary(attributes, as: .add)
            return (try query.addRequest(), query.authentication)
        case .update(let query, let newValues, let date):
            let query = try QueryDictionary(query, as: .update)
            let newValues = try QueryDictionary(newValues, as: .newValues)
            return (try query.updateRequest(newValues: newValues).ifModified(date), query.authentication)
        case .delete(let query, let date):
            let query = try QueryDictionary(query, as: .delete)
            return (try query.deleteRequest().ifModified(date), query.authentication)
        case .deletePassword(let reference, let date):
            let filter = ItemFilter(
                itemClass: .genericPassword,
                reference: try PersistentReference(Array(reference))
            )
            return (Request.delete(DeleteRequest(filter: filter)).ifModified(date), AuthenticationOptions())
        }
    }
}

extension Request {
    /// Restricts the request to items with this modification date; `nil` restricts nothing.
    ///
    /// The date is added to the request, because a dictionary cannot contain both a date and a persistent
    /// reference.
    fileprivate func ifModified(_ date: Date?) -> Self {
        guard let date else { return self }
        let value = AttributeValue.date(date.timeIntervalSinceReferenceDate)
        switch self {
        case .update(var update):
            update.filter.attributes[.modificationDate] = value
            return .update(update)
        case .delete(var delete):
            delete.filter.attributes[.modificationDate] = value
            return .delete(delete)
        default: return self
        }
    }
}
