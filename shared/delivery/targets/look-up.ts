import dns, { type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import pLimit from 'p-limit';
import { getOrInsert } from '../../get-or-insert.ts';

// Each lookup takes one of the four threads of the process until a silent name server is given up: one name
// takes one, and all names together leave one to the database.
const inTurn = pLimit(3);
const waiting = new Map<string, Promise<LookupAddress[]>>();

/** Looks up the addresses of a name, once for all connections that wait for them. */
export const lookUp: LookupFunction = (name, options, callback) => {
  const find = () => dns.promises.lookup(name, { ...options, all: true });
  getOrInsert(waiting, name, () => inTurn(find).finally(() => waiting.delete(name))).then(
    // One of them, if Node is told not to try each in turn.
    (all) => (options.all ? callback(null, all) : callback(null, all[0]?.address ?? '', all[0]?.family)),
    (error) => callback(error, []),
  );
};
