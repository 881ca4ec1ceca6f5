/** Returns a function that calls `report` at most once in `ms`. */
export function every(ms: number, report: () => void): () => void {
  let at = Date.now();
  return () => {
    if (Date.now() - at < ms) return;
    at = Date.now();
    report();
  };
}
