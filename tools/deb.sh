# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# `./do deb`: Debian packages of what is checked out, into dist/.

need build deb
(
	version=$(dpkg-parsechangelog --show-field Version)
	tree=build-deb/kmemprof-$version
	rm -rf build-deb dist
	mkdir -p "$tree" dist
	git ls-files -z | tar --null --files-from=- -cf - | tar -xf - -C "$tree"
	cd "$tree" || exit
	if ! dpkg-buildpackage --no-sign --build=binary >../log 2>&1; then
		tail -n 60 ../log >&2
		exit 1
	fi
	cd .. || exit
	cp ./*.deb ../dist
	# What lintian calls an error or a warning is one; the rest it only tells.
	lintian --allow-root --fail-on error,warning ./*.changes
)
ls -l dist
