#!/bin/sh
# Installs what `npm run release` needs from Debian's packages, and `npm run release:try` with podman and crun. Does nothing
# where all of it is installed.
set -eu

packages='buildah podman crun'
missing=''
for package in $packages; do
  dpkg-query -W -f '${Status}' "$package" 2> /dev/null | grep -q 'ok installed' || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

apt-get update -qq
# shellcheck disable=SC2086
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing
