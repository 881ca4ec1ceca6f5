import path from 'node:path';
import { after, describe } from 'node:test';
import { readFileSync, readdirSync, appendFileSync } from 'node:fs';
import { closeIdle } from '../support/lend.ts';
import { takeFiles } from './queue.ts';

const root = path.resolve(import.meta.dirname, '../..');
/** Ends a hung file. Nothing else depends on it. */
const hungAfterMs = 15 * 60_000;

// A few processes run all files, one after the other. The suite around a file keeps its hooks apart from
// those of others.
const stat = (pid: string | number) => { try { const t = readFileSync(`/proc/${pid}/stat`, 'utf8'); const f = t.slice(t.lastIndexOf(')') + 2).split(' '); return { ppid: Number(f[1]), own: (Number(f[11]) + Number(f[12])) / 100, kids: (Number(f[13]) + Number(f[14])) / 100 }; } catch { return undefined; } };
const all = () => readdirSync('/proc').filter((n) => /^\d+$/.test(n));
const keeperPid = all().find((p) => { const s = stat(p); return s?.ppid === process.ppid && Number(p) !== process.pid && readFileSync(`/proc/${p}/cmdline`, 'utf8').includes('keeper'); });
const postmaster = all().find((p) => stat(p)?.ppid === Number(keeperPid));
const tree = (root: number) => { const m = new Map<number, number[]>(); const st = new Map<number, any>(); for (const p of all()) { const s = stat(p); if (s) { st.set(Number(p), s); m.set(s.ppid, [...(m.get(s.ppid) ?? []), Number(p)]); } } let sum = 0; const walk = (p: number) => { for (const c of m.get(p) ?? []) { const s = st.get(c); sum += s.own + s.kids; walk(c); } }; walk(root); return sum; };
const snap = () => { const me = stat(process.pid)!; const u = process.cpuUsage(); const pm = stat(postmaster!) ?? { own: 0, kids: 0 }; return { own: (u.user + u.system) / 1e6, kids: me.kids + tree(process.pid), pg: pm.own + pm.kids + tree(Number(postmaster)), t: Date.now() }; };
let last = { own: 0, kids: 0, pg: 0, t: Date.now() };
const log = (file: string) => { const n = snap(); appendFileSync(process.env.ACCOUNT ?? '/tmp/tests/account.tsv', [file, ...(['own', 'kids', 'pg'] as const).map((k) => (n[k] - last[k]).toFixed(2)), ((n.t - last.t) / 1000).toFixed(2)].join('\t') + '\n'); last = n; };
let imp = 0;
log('START');
const environment = { ...process.env };
for (const file of takeFiles()) {
  await describe(file, { timeout: hungAfterMs }, async () => {
    await import(path.resolve(root, file));
    const u = process.cpuUsage(); appendFileSync((process.env.ACCOUNT ?? '/tmp/tests/account.tsv') + '.imports', `${file}\t${((u.user + u.system) / 1e6 - imp).toFixed(3)}\n`); imp = (u.user + u.system) / 1e6;
    after(() => log(file));
  });
  for (const name in process.env) if (environment[name] === undefined) delete process.env[name];
  Object.assign(process.env, environment);
}
await closeIdle();
// A connection that a file has left open would keep this process, whose tests have all been reported.
setTimeout(() => process.exit(), 10_000).unref();
