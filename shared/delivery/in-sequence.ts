/** Starts work and returns its result. `before` resolves when the previous work of the same name has ended or failed. */
export type InSequence<T> = (
  name: string | undefined,
  start: (before: Promise<void>) => Promise<T>,
) => Promise<T>;

/** Sequences work by name. Only running work is kept in memory. Work without a name waits for nothing. */
export function inSequence<T>(): InSequence<T> {
  const ends = new Map<string, Promise<void>>();
  return (name, start) => {
    if (name === undefined) return start(Promise.resolve());
    const work = start(ends.get(name) ?? Promise.resolve());
    const remove = () => {
      if (ends.get(name) === end) ends.delete(name);
    };
    const end = work.then(remove, remove);
    ends.set(name, end);
    return work;
  };
}
