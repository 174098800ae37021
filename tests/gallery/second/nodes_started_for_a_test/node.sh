# SPDX-License-Identifier: Apache-2.0
# Starts a node in the background and tells where it listens.
name=$1
port=$2
echo "starting $name"
(while true; do sleep 30; done) &
echo "$name listens on $port"
