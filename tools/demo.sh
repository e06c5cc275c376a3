# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# `./do demo`: the main job on a bundled capture of a real Linux 7.3.

need build
build build -Dwerror=true
build/kmemprof help
