// By what sessions are put together.

import { useId } from "react";
import { useApp } from "../hooks/app.ts";
import { GROUPS, type Group } from "../model/together.ts";

/** The choice of the group, which the timeline and the list of sessions share. */
export function GroupChoice() {
  const { place, go } = useApp();
  const id = useId();
  return (
    <span className="group-choice">
      <label htmlFor={id} className="muted">
        Group by
      </label>
      <select id={id} value={place.group} onChange={(event) => go({ group: event.target.value as Group })}>
        <option value="">nothing</option>
        {GROUPS.map((group) => (
          <option key={group} value={group}>
            {group}
          </option>
        ))}
      </select>
    </span>
  );
}
