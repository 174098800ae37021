// SPDX-License-Identifier: Apache-2.0
int score(int value) { return value * 7; }
