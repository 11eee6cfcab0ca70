// SPDX-License-Identifier: Apache-2.0

// On Apple's platforms the manifest builds only this file: the system's framework is the implementation.
#if canImport(Darwin)
@_exported import Security

#if canImport(LocalAuthentication)
@_exported import LocalAuthentication
#endif
#endif
