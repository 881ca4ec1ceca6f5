/** `before` resolves when the work before of the same name has ended. Work without a name waits for none. */
export function inSequence<T>() {
  const ends = new Map<string, Promise<void>>();
  return (name: string | undefined, start: (before: Promise<void>) => Promise<T>): Promise<T> => {
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
