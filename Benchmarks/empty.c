// SPDX-License-Identifier: Apache-2.0
// The least that starting a program costs; linked statically.
int main(void) { return 0; }
