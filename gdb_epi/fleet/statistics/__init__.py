# SPDX-License-Identifier: Apache-2.0
"""Statistics: arrays in, numbers out.

Counting of codes, tails of distributions, q values, latent classes. Nothing here knows what a
crash, a host or a population is.
"""
