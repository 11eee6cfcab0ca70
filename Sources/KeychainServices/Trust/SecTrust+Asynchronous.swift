// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// What ``SecTrustEvaluateAsyncWithError(_:_:_:)`` calls: the question, whether the certificate is trusted, and if not, why.
public typealias SecTrustWithErrorCallback = @Sendable (SecTrust, Bool, CFError?) -> Void

/// What ``SecTrustEvaluateAsync(_:_:_:)`` calls: the question and the answer.
public typealias SecTrustCallback = @Sendable (SecTrust, SecTrustResultType) -> Void

/// Answers the question on a queue.
///
/// - Parameters:
///   - trust: The question.
///   - queue: Where the work is done and `result` is called.
///   - result: Receives the answer, once.
/// - Returns: `errSecSuccess`.
///
/// Source: Apple, *SecTrustEvaluateAsyncWithError(_:_:_:)*.
@discardableResult
public func SecTrustEvaluateAsyncWithError(
    _ trust: SecTrust,
    _ queue: DispatchQueue,
    _ result: @escaping SecTrustWithErrorCallback
) -> OSStatus {
    queue.async {
        var error: CFError?
        let isTrusted = unsafe SecTrustEvaluateWithError(trust, &error)
        result(trust, isTrusted, error)
    }
    return errSecSuccess
}

/// Answers the question on a queue; deprecated on Apple's platforms in favour of
/// ``SecTrustEvaluateAsyncWithError(_:_:_:)``.
///
/// - Parameters:
///   - trust: The question.
///   - queue: Where the work is done and `result` is called; `nil` stands for a queue of the system.
///   - result: Receives the answer, once.
/// - Returns: `errSecSuccess`.
///
/// Source: Apple, *SecTrustEvaluateAsync(_:_:_:)*.
@discardableResult
public func SecTrustEvaluateAsync(
    _ trust: SecTrust,
    _ queue: DispatchQueue?,
    _ result: @escaping SecTrustCallback
) -> OSStatus {
    (queue ?? .global()).async { result(trust, trust.answer().result) }
    return errSecSuccess
}

/// Answers the question; deprecated on Apple's platforms in favour of ``SecTrustEvaluateWithError(_:_:)``.
///
/// - Parameters:
///   - trust: The question.
///   - result: Receives the answer. Pass `nil` to do without.
/// - Returns: `errSecSuccess` also where the certificate is not trusted; `errSecNotAvailable` if the roots of the
///   system cannot be read, `errSecUnimplemented` without the trait `Trust`.
///
/// Source: Apple, *SecTrustEvaluate(_:_:)*.
@discardableResult
public func SecTrustEvaluate(
    _ trust: SecTrust,
    _ result: UnsafeMutablePointer<SecTrustResultType>?
) -> OSStatus {
    let answer = trust.answer()
    unsafe result?.pointee = answer.result
    return answer.result == .otherError || answer.result == .invalid ? answer.status : errSecSuccess
}
