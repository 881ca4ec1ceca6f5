/** Work starts when the work before of the same name has ended. Work without a name waits for none. */
export function inSequence<T>() {
  const ends = new Map<string | undefined, Promise<void>>();
  return (name: string | undefined, start: () => Promise<T>): Promise<T> => {
    const work = (ends.get(name) ?? Promise.resolve()).then(start);
    if (name === undefined) return work;
    const remove = () => {
      if (ends.get(name) === end) ends.delete(name);
    };
    const end = work.then(remove, remove);
    ends.set(name, end);
    return work;
  };
}
