/** timestamptz */
const timeOid = 1184;
/** The times farthest from 1970 that a Date can hold, in ms. */
const farthest = 8.64e15;

/**
 * Returns the parser of a type. Times that a Date cannot hold, such as infinity, become the nearest one that
 * it can: plain SQL may store any, and every reader expects a Date.
 */
export function parseTime<Value>(
  oid: number,
  parse: (text: string) => Value,
): (text: string) => Value | Date {
  if (oid !== timeOid) return parse;
  return (text) => {
    const time: unknown = parse(text);
    if (time instanceof Date && !Number.isNaN(time.getTime())) return time;
    return new Date(/^-| BC$/.test(text) ? -farthest : farthest);
  };
}
