// SPDX-License-Identifier: Apache-2.0

// With this import, which Documentation/Installing.md recommends, every file of the target can use names of Security.
#if os(Linux)
@_exported public import Security
#endif
