// SPDX-License-Identifier: Apache-2.0
struct bus { char head[64]; int status; };
int read_status(struct bus *one) { return one->status & 0xff; }
