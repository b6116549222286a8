// Leases: who holds what.

import type { Lease } from "./wire.ts";

/** All leases on `key`. A release ends every one of them, whichever the reader pointed at. */
export function holdersOf(leases: readonly Lease[], key: string): Lease[] {
  return leases.filter((lease) => lease.contextKey === key);
}
