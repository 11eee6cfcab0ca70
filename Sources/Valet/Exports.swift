// SPDX-License-Identifier: Apache-2.0

// Re-exported, because programs that use Valet also call the SecItem functions and pass their constants.
@_exported public import KeychainServices
