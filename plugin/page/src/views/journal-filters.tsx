// Which records are wanted.

import { useId } from "react";
import { Button } from "react-aria-components/Button";
import { Input } from "react-aria-components/Input";
import { Label } from "react-aria-components/Label";
import { SearchField } from "react-aria-components/SearchField";
import { ACTIONS } from "../model/record-kinds.ts";
import { WINDOWS } from "../model/times.ts";
import { type Filters, isFiltered } from "../model/url-state.ts";

interface Props {
  filters: Filters;
  change(change: Partial<Filters>): void;
  clear(): void;
}

/** The filters above the journal. */
export function JournalFilters({ filters, change, clear }: Props) {
  return (
    <search className="filters">
      <SearchField className="field search" value={filters.text} onChange={(text) => change({ text })}>
        <Label>Text</Label>
        <Input placeholder="in resources, tools, sessions, reasons …" maxLength={200} />
      </SearchField>
      <Typed name="Resource" placeholder="email:alice@example.com" value={filters.key} set={(key) => change({ key })} />
      <Typed name="Session" placeholder="agent:main:main" value={filters.session} set={(session) => change({ session })} />
      <Typed name="Tool" placeholder="exec" value={filters.tool} set={(tool) => change({ tool })} />
      <Choice
        name="Tier"
        value={filters.minTier}
        set={(minTier) => change({ minTier })}
        all="any"
        choices={["1", "2", "3", "4"].map((tier) => [tier, tier === "4" ? "4" : `${tier} and above`])}
      />
      <Choice name="What" value={filters.action} set={(action) => change({ action })} all="all" choices={ACTIONS} />
      <Choice
        name="Since"
        value={filters.since}
        set={(since) => change({ since })}
        all="the beginning"
        choices={WINDOWS.map((window) => [window.id, `last ${window.label}`])}
      />
      <Button className="button" onPress={clear} isDisabled={!isFiltered(filters)}>
        Clear
      </Button>
    </search>
  );
}

function Typed({
  name,
  value,
  placeholder,
  set,
}: {
  name: string;
  value: string;
  placeholder: string;
  set(value: string): void;
}) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{name}</label>
      <input
        id={id}
        type="text"
        value={value}
        placeholder={placeholder}
        maxLength={1_024}
        spellCheck={false}
        autoCapitalize="none"
        autoComplete="off"
        onChange={(event) => set(event.target.value)}
      />
    </div>
  );
}

function Choice({
  name,
  value,
  all,
  choices,
  set,
}: {
  name: string;
  value: string;
  all: string;
  choices: [string, string][];
  set(value: string): void;
}) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{name}</label>
      <select id={id} value={value} onChange={(event) => set(event.target.value)}>
        <option value="">{all}</option>
        {choices.map(([choice, words]) => (
          <option key={choice} value={choice}>
            {words}
          </option>
        ))}
      </select>
    </div>
  );
}
