#!/bin/sh
# Builds every plugin of this repository and publishes it to plugin-registry/,
# signed by a local publisher key that is made in the user's configuration
# folder when there is none, and trusted in plugin-registry/publishers.toml.
# What was built from other sources before keeps its version; the new build gets
# the next patch number.
#
# usage: publish-plugins.sh path/to/tollbridge
set -eu
tollbridge=$1
"$tollbridge" -q publisher new tollbridge --account acct_tollbridge --trust --if-missing
"$tollbridge" -q plugin build plugins
"$tollbridge" plugin publish plugins --publisher tollbridge --next
