// SPDX-License-Identifier: Apache-2.0
const char codec_version[] = "2.14.0-rc1 (shared)";
const int codec_api_level = 7;
int codec_frame_size(int rate) { return rate <= 16000 ? 320 : 960; }
