#!/bin/sh
# Builds every plugin of this repository and publishes it to plugin-registry/, signed
# by a local publisher key. The key is created in the user's configuration folder if
# it does not exist, and is trusted in plugin-registry/publishers.toml. A version
# that was already published from other sources is kept; the new build gets the next
# patch number.
#
# usage: publish-plugins.sh path/to/tollbridge
set -eu
tollbridge=$1
"$tollbridge" -q publisher new tollbridge --account acct_tollbridge --trust --if-missing
"$tollbridge" -q plugin build plugins
"$tollbridge" plugin publish plugins --publisher tollbridge --next
