/** Starts work, telling it when the work before it under the same name has ended, well or not. */
export type InTurn<T> = (
  name: string | undefined,
  start: (before: Promise<void>) => Promise<T>,
) => Promise<T>;

/** Remembers the last work under each name for as long as it goes on. Work without a name waits for none. */
export function oneAfterTheOther<T>(): InTurn<T> {
  const ends = new Map<string, Promise<void>>();
  return (name, start) => {
    if (name === undefined) return start(Promise.resolve());
    const work = start(ends.get(name) ?? Promise.resolve());
    const forget = () => {
      if (ends.get(name) === end) ends.delete(name);
    };
    const end = work.then(forget, forget);
    ends.set(name, end);
    return work;
  };
}
