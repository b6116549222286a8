// What needs no gateway to itself, on one. Each of these files can be run alone, too.

import "./one-gateway/commands.ts";
import "./one-gateway/gate.ts";
import "./one-gateway/other-plugins.ts";
import "./one-gateway/rules-edited.ts";
// Last, because it changes the gateway's settings.
import "./one-gateway/observe.ts";
