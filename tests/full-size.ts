// `npm test` shows in small what `npm run torture` shows at full size: CALLOSUM_TORTURE=1, which torture's parts set.

export const FULL_SIZE = process.env.CALLOSUM_TORTURE === "1";

/** How much of it there is: so much in `npm test`, and so much in torture. */
export const sized = (small: number, full: number): number => (FULL_SIZE ? full : small);

/** What only torture shows in full, because `npm test` shows the same of less elsewhere. */
export const ONLY_AT_FULL_SIZE = { skip: FULL_SIZE ? false : "`npm run torture` does this" };
