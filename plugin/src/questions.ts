// The questions that are asked by name: a copy of the core's registry (`callosum_core::query::QUESTIONS`), with the JSON schema
// of what is said with each. Don't edit it: `CALLOSUM_RECORD=1 cargo test -p callosum-core --test it questions`
// writes it anew.

export const QUESTIONS = [
  {
    "meaning": "How far the journal reaches, and the wall clock.",
    "name": "head",
    "request": {"additionalProperties":false,"properties":{},"type":"object"},
    "right": "read",
    "surfaces": ["page","http"]
  },
  {
    "meaning": "What an operator sees at a glance: live leases (`locks`), recent actions, the hooks seen, and what is wrong.",
    "name": "status",
    "request": {"additionalProperties":false,"properties":{},"type":"object"},
    "right": "read",
    "surfaces": ["gateway","page","command-line","http"]
  },
  {
    "meaning": "The live leases, oldest first.",
    "name": "leases",
    "request": {"additionalProperties":false,"properties":{},"type":"object"},
    "right": "read",
    "surfaces": ["command-line","http"]
  },
  {
    "meaning": "The sessions that showed a sign of life lately, the latest first.",
    "name": "sessions",
    "request": {
      "additionalProperties": false,
      "description": "Asks for the sessions that showed a sign of life lately.",
      "properties": {
        "windowMs": {
          "default": 3600000,
          "description": "So much time, milliseconds; an hour if nothing is said.",
          "format": "uint64",
          "minimum": 0,
          "type": "integer"
        }
      },
      "type": "object"
    },
    "right": "read",
    "surfaces": ["command-line","http"]
  },
  {
    "meaning": "The newest records of the journal, newest last. All conditions must hold. `next` is null when nothing older can match.",
    "name": "journal",
    "request": {
      "additionalProperties": false,
      "description": "Which records are wanted; all given conditions must hold.",
      "properties": {
        "action": {
          "default": null,
          "description": "Only those whose `action` this is, or what people read for it: `started` finds `intercept`, `paused` those `blocked` ones that\nare pauses and no blocks.",
          "type": ["string","null"]
        },
        "after": {
          "default": null,
          "description": "Only those with a higher sequence number: what came since one looked last.",
          "format": "uint64",
          "minimum": 0,
          "type": ["integer","null"]
        },
        "before": {
          "default": null,
          "description": "Only those with a lower sequence number: what is older than what one has seen.",
          "format": "uint64",
          "minimum": 0,
          "type": ["integer","null"]
        },
        "budget": {
          "default": false,
          "description": "Stop after some 30 ms or 8 MiB, also when nothing was found so far; else the whole journal may be read.",
          "type": "boolean"
        },
        "callsOnly": {
          "default": false,
          "description": "Not what the journal keeps for itself: counts of hooks, windows of rules, pauses that were read, ends of segments.",
          "type": "boolean"
        },
        "instance": {"default":null,"description":"Only those of this instance.","type":["string","null"]},
        "key": {"default":null,"description":"Only those on this context key.","type":["string","null"]},
        "limit": {
          "default": 50,
          "description": "How many at most, the newest.",
          "format": "uint",
          "maximum": 10000,
          "minimum": 1,
          "type": "integer"
        },
        "minTier": {
          "default": null,
          "description": "Only those of this tier, or a higher one.",
          "format": "uint8",
          "maximum": 4,
          "minimum": 0,
          "type": ["integer","null"]
        },
        "runtime": {"default":null,"description":"Only those of this agent runtime.","type":["string","null"]},
        "session": {"default":null,"description":"Only those of this session.","type":["string","null"]},
        "sessionPart": {
          "default": null,
          "description": "Only those of sessions that begin with this, or a part of whose name behind a `:` or `/` does: a short id, as people copy it.",
          "type": ["string","null"]
        },
        "sessions": {
          "default": null,
          "description": "Only those of one of these sessions.",
          "items": {"type":"string"},
          "type": ["array","null"]
        },
        "since": {
          "default": null,
          "description": "Not older than this: RFC 3339, or milliseconds since the epoch.",
          "examples": ["2026-01-31T09:00:00Z"],
          "type": ["integer","string","null"]
        },
        "text": {
          "default": null,
          "description": "Only those with this text, in upper or lower case, somewhere in the context keys, the tool, the session, the agent, the\nparameters, the reason or the rule's name.",
          "maxLength": 1000,
          "type": ["string","null"]
        },
        "tier": {
          "description": "Only those of this tier, a number; or of these tiers, a text: `3`, `3..`, `..2`, `2..3`, `3,4`.",
          "examples": ["2..3"],
          "maximum": 4,
          "minimum": 0,
          "type": ["integer","string","null"]
        },
        "tool": {"default":null,"description":"Only those of this tool.","type":["string","null"]},
        "until": {
          "default": null,
          "description": "Not younger than this: RFC 3339, or milliseconds since the epoch.",
          "examples": ["2026-01-31T09:00:00Z"],
          "type": ["integer","string","null"]
        }
      },
      "type": "object"
    },
    "right": "read",
    "surfaces": ["gateway","page","command-line","http"]
  },
  {
    "meaning": "What happened within a stretch of time on all resources, a piece at a time.",
    "name": "timeline",
    "request": {
      "additionalProperties": false,
      "description": "Which events are wanted.",
      "properties": {
        "before": {
          "default": null,
          "description": "Only those with a lower sequence number: the `next` of the piece before.",
          "format": "uint64",
          "minimum": 0,
          "type": ["integer","null"]
        },
        "from": {"description":"Those from this moment on, wall-clock milliseconds.","format":"int64","type":"integer"},
        "limit": {
          "default": 2000,
          "description": "How many at most, the newest.",
          "format": "uint",
          "maximum": 10000,
          "minimum": 1,
          "type": "integer"
        },
        "minTier": {
          "default": 2,
          "description": "Those of this tier or a higher one; 2 when nothing is said.",
          "format": "uint8",
          "maximum": 255,
          "minimum": 0,
          "type": "integer"
        },
        "to": {
          "description": "Those up to this moment, wall-clock milliseconds, and the outcomes of those that come later.",
          "format": "int64",
          "type": "integer"
        }
      },
      "required": ["from","to"],
      "type": "object"
    },
    "right": "read",
    "surfaces": ["page","http"]
  },
  {
    "meaning": "How many calls there were, by time and session and by rule, a piece at a time.",
    "name": "tally",
    "request": {
      "additionalProperties": false,
      "description": "Which calls are counted.",
      "properties": {
        "before": {
          "default": null,
          "description": "Only those with a lower sequence number: the `next` of the piece before.",
          "format": "uint64",
          "minimum": 0,
          "type": ["integer","null"]
        },
        "bucketMs": {
          "description": "How long a bucket is, milliseconds; at most 10,000 of them.",
          "format": "int64",
          "minimum": 1,
          "type": "integer"
        },
        "from": {"description":"Those from this moment on, wall-clock milliseconds.","format":"int64","type":"integer"},
        "to": {"description":"Those up to this moment, wall-clock milliseconds.","format":"int64","type":"integer"}
      },
      "required": ["from","to","bucketMs"],
      "type": "object"
    },
    "right": "read",
    "surfaces": ["page","http"]
  },
  {
    "meaning": "The rules in force, and where they came from.",
    "name": "rules",
    "request": {"additionalProperties":false,"properties":{},"type":"object"},
    "right": "read",
    "surfaces": ["page","http"]
  },
  {
    "meaning": "The significant actions of late: those that hold a lease, then the newest.",
    "name": "recent",
    "request": {
      "additionalProperties": false,
      "description": "Which actions are wanted; all given conditions must hold.",
      "properties": {
        "exceptSession": {"default":null,"description":"Not by this session of the asked instance itself.","type":["string","null"]},
        "key": {"default":null,"description":"On this context key.","type":["string","null"]},
        "limit": {
          "default": 20,
          "description": "How many at most: those that hold a lease, then the newest.",
          "format": "uint",
          "maximum": 100,
          "minimum": 1,
          "type": "integer"
        },
        "session": {"default":null,"description":"By a session of this name, in whichever instance.","type":["string","null"]}
      },
      "type": "object"
    },
    "right": "read",
    "surfaces": ["page","http"]
  },
  {
    "meaning": "The story of a resource: what happened, oldest first, and `text` for people.",
    "name": "why",
    "request": {
      "additionalProperties": false,
      "description": "Asks for the story of a resource.",
      "properties": {"key":{"description":"The context key of the resource.","type":"string"}},
      "required": ["key"],
      "type": "object"
    },
    "right": "read",
    "surfaces": ["gateway","page","command-line","http"]
  },
  {
    "meaning": "What a call would get now. Runs nothing, writes nothing.",
    "name": "explain",
    "request": {
      "additionalProperties": false,
      "description": "A call that is asked about.",
      "properties": {
        "agent": {"default":null,"description":"The agent that would make it.","type":["string","null"]},
        "cwd": {"default":null,"description":"The folder it would run in.","type":["string","null"]},
        "params": {"additionalProperties":true,"description":"Its parameters.","type":"object"},
        "session": {"default":null,"description":"The session that would make the call.","type":["string","null"]},
        "tool": {"description":"The tool, as the host names it.","type":"string"}
      },
      "required": ["tool","params"],
      "type": "object"
    },
    "right": "read",
    "surfaces": ["gateway","page","command-line","http"]
  },
  {
    "meaning": "What would have been stopped while calls were only observed, and how those calls ended.",
    "name": "observed",
    "request": {
      "additionalProperties": false,
      "description": "Asks what was only observed since a moment.",
      "properties": {
        "since": {
          "default": null,
          "description": "RFC 3339, or milliseconds since the epoch; as far back as the journal reaches if nothing is said.",
          "examples": ["2026-01-31T09:00:00Z"],
          "type": ["integer","string","null"]
        }
      },
      "type": "object"
    },
    "right": "read",
    "surfaces": ["http"]
  },
  {
    "meaning": "Ends the live leases on a resource. The journal records who did it, and what was done stays evidence.",
    "name": "release",
    "request": {
      "additionalProperties": false,
      "description": "Asks for the story of a resource.",
      "properties": {"key":{"description":"The context key of the resource.","type":"string"}},
      "required": ["key"],
      "type": "object"
    },
    "right": "operate",
    "surfaces": ["gateway","page","http"]
  }
] as const;

export type Question = (typeof QUESTIONS)[number];
