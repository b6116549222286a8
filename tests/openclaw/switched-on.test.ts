// What is off until a person switches it on: first nothing of it is there, then all of it.

import "./switched-on/shared-context.ts";
import "./switched-on/team.ts";
