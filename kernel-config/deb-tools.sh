#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# deb-tools.sh BUILD: Debian packages of the tools, the libraries and the documents, in
# BUILD/deb.  They are built from a copy of the sources, by dpkg-buildpackage.
# deb-tools.sh --source DIR: only creates the copy of the sources, in DIR.
set -eu -o pipefail
source=
[ "$1" != --source ] || source=$(realpath -m -- "$2")
build=$(realpath -m -- "$1")
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
deb=$build/deb
work=$build/deb-tools
copy=${source:-$work/memscope}
[ -n "$source" ] || trap 'rm -rf "$work"' EXIT

# A Debian version that sorts the commits after a release after it.
version=$("$top/tools/version.sh" | sed -E 's/-/+/; s/-/./g')
rm -rf "$copy"
mkdir -p "$copy"
parts=(debian tools docs plots VERSION README.md CHANGELOG.md CONTRIBUTING.md AUTHORS SECURITY.md COPYING LICENSES .reuse)
if [ -e "$top/.git" ]; then
	(cd "$top" && git ls-files -z -- "${parts[@]}" | tar -cf - --null -T -) | tar -C "$copy" -xf -
else
	tar -C "$top" -cf - "${parts[@]}" | tar -C "$copy" -xf -
fi
cd "$copy"
sed -i "1s/(.*)/($version)/" debian/changelog
[ -z "$source" ] || exit 0
mkdir -p "$deb"
DEB_BUILD_OPTIONS="parallel=$(nproc) ${DEB_BUILD_OPTIONS:-}" \
	"$top/.ci/step" "$build/log" deb-tools dpkg-buildpackage -b -us -uc
packages=(memscope-tools memscope-doc libpagealloc1 libpagealloc-dev libmemprof1 libmemprof-dev)
for package in "${packages[@]}"; do
	rm -f "$deb/$package"_*.deb "$deb/$package-dbgsym"_*.deb
done
rm -f "$deb"/memscope_*.changes
mv "$work"/*.deb "$work"/memscope_*.changes "$work"/memscope_*.buildinfo "$deb"
echo "the packages are in $deb:"
(cd "$deb" && for package in "${packages[@]}"; do ls -- "$package"_*.deb; done)
