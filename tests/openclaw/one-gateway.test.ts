// What needs no gateway to itself, on one. Each of these files can be run alone, too.

import "./one-gateway/commands.ts";
import "./one-gateway/endpoints.ts";
import "./one-gateway/asked.ts";
import "./one-gateway/limits.ts";
import "./one-gateway/gate.ts";
import "./one-gateway/other-plugins.ts";
import "./one-gateway/rules-edited.ts";
// As late as may be, because its question waits for two minutes; the host changes no settings while it does.
import "./one-gateway/unanswered.ts";
import "./one-gateway/killed.ts";
// Last, because it changes the gateway's settings.
import "./one-gateway/observe.ts";
