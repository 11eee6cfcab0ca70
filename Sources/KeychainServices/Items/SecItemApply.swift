// SPDX-License-Identifier: Apache-2.0

package import Foundation
import KeychainModel
import KeychainUserPresence

/// One change of several, in the dictionaries of the call that would make it alone.
///
/// Where a date is given, an item that was last modified at another is not found: what was read is changed, or nothing.
package enum SecItemChange {
    case add(CFDictionary)
    case update(CFDictionary, CFDictionary, ifModified: Date? = nil)
    case delete(CFDictionary, ifModified: Date? = nil)
    /// The same of one generic password, without a dictionary: a migration of many spends most of its time on those.
    case deletePassword(reference: Data, ifModified: Date?)
}

/// Makes changes in their order, all or none: durable when this returns.
///
/// Apple's framework has no such call; the wrappers of this package migrate with it. Nobody is asked for an
/// authentication: a change that needs more than the first context of the dictionaries has proved is
/// `errSecInteractionNotAllowed`.
///
/// The keychain is busy for all others meanwhile: each change takes some 100 microseconds.
///
/// - Parameters:
///   - changes: The changes; none is made of an empty array.
///   - progress: Learns after each change how many are done, and answers whether to go on. It must be quick, and must not
///     call the keychain. What is done can still be undone until the function returns, or begun anew.
///   - observer: Learns on the calling thread how many are done, while another thread goes on; of counts that come while
///     it is busy it learns the last. It may call the keychain, which answers once the changes are made or undone. Without
///     an observer everything happens on the calling thread.
///   - skip: Learns the place of each addition of an item that is there already, which is left out then; without it that is
///     `errSecDuplicateItem`. If the changes are begun anew it learns the places again.
/// - Returns: The status of the first change that failed, or `errSecSuccess`; `errSecUserCanceled` where the closure
///   answered false.
package func SecItemApply(
    _ changes: [SecItemChange],
    progress: @escaping @Sendable (_ completed: Int) -> Bool = { _ in true },
    observer: ((_ completed: Int) -> Void)? = nil,
    skip: (@Sendable (_ place: Int) -> Void)? = nil
) -> OSStatus {
    // Whoever has nothing to change needs no keychain.
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
                reference: try PersistentReference(reference)
            )
            return (Request.delete(DeleteRequest(filter: filter)).ifModified(date), AuthenticationOptions())
        }
    }
}

extension Request {
    /// The same for items of this date alone, if there is one; a dictionary cannot say it beside a reference.
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
