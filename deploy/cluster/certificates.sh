#!/bin/sh
# Makes a certificate for one database node, signed by the cluster's own authority, which it creates at the first call.
# The authority's key can make a node of any machine: keep it off the nodes.
#   certificates.sh FOLDER NODE NAMES      NAMES as in DNS:localhost,IP:127.0.0.1,IP:10.0.1.11
set -eu
folder=$1 node=$2 names=$3
days=825
umask 077
mkdir -p "$folder"
cd "$folder"
if [ ! -e ca.key ]; then
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3650 -subj '/CN=Kelpie database' \
    -keyout ca.key -out ca.crt 2>/dev/null
fi
openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$node" -keyout "$node.key" -out "$node.csr" 2>/dev/null
printf 'subjectAltName=%s\n' "$names" |
  openssl x509 -req -in "$node.csr" -CA ca.crt -CAkey ca.key -CAcreateserial -days "$days" -extfile /dev/stdin -out "$node.crt" 2>/dev/null
rm "$node.csr"
chmod 644 ca.crt "$node.crt"
