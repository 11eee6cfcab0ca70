// SPDX-License-Identifier: Apache-2.0

// Valet's users call SecItem beside it, and its queries take the names of these constants.
@_exported public import KeychainServices
