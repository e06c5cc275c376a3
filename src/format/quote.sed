# SPDX-License-Identifier: GPL-2.0-only
# Turns a text into the lines of a C string.
s/[\"]/\\&/g
s/.*/"&\\n"/
