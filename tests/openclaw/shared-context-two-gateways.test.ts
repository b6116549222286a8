// The shared context of two gateways, on one pair of them.

// First, because a person's edits need nobody's word while no agent has run a command.
import "./shared-context-two-gateways/edits.ts";
import "./shared-context-two-gateways/places.ts";
