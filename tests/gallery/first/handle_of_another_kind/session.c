/* SPDX-License-Identifier: Apache-2.0 */
struct session { long begun; int user; };

int user_of(struct session *session) { return session->user; }
