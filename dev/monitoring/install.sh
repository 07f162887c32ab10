#!/bin/sh
# Installs Prometheus and Alertmanager from Debian's packages. Does nothing where both are installed.
set -eu

packages='prometheus prometheus-alertmanager'
missing=''
for package in $packages; do
  dpkg-query -W -f '${Status}' "$package" 2> /dev/null | grep -q 'ok installed' || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

apt-get update -qq
# RUNLEVEL=1 keeps the packages from starting servers of their own.
# shellcheck disable=SC2086
RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing
