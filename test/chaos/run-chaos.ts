// Inflicts faults on deployments while senders, targets and operators do their worst, and checks what was
// seen from outside:
//   npm run chaos -- --minutes 10 --seed 7
//   npm run chaos -- --minutes 1 --only 'worker: SIGSTOP'
// Exits with 1 if an invariant is broken, and prints what is known of each event concerned. With --results
// FOLDER it keeps the results, and --print FOLDER adds up the sessions that are kept there.
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir, totalmem } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { judge, print, type Result } from './report.ts';
import { play } from './session.ts';

const values = readOptions();

if (values.print !== undefined) {
  const folder = values.print;
  const kept = readdirSync(folder).filter((file) => file.endsWith('.json'));
  console.log(print(kept.map((file): Result => JSON.parse(readFileSync(path.join(folder, file), 'utf8')))));
} else {
  process.env.NODE_COMPILE_CACHE ??= path.resolve(import.meta.dirname, '../../node_modules/.cache/node');
  const folder = mkdtempSync(path.join(tmpdir(), 'dlo-chaos-'));
  // PostgreSQL does not run as root; its own user must be able to enter the folder.
  chmodSync(folder, 0o711);
  const [seed, minutes] = [Number(values.seed), Number(values.minutes)];
  const names = Array.from({ length: Number(values.deployments) }, (_, i) => String.fromCharCode(97 + i));
  const machine = `${availableParallelism()} cores of ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GB, Node.js ${process.version}`;
  const date = new Date().toISOString().slice(0, 10);
  let isBroken = true;
  try {
    const played = await Promise.all(
      names.map((name) => play({ seed, minutes, folder, name, only: values.only })),
    );
    const result = judge(played, { seed, date, minutes, machine });
    console.log(print([result]));
    for (const violation of result.violations) console.log(violation);
    if (values.results !== undefined) {
      mkdirSync(values.results, { recursive: true });
      writeFileSync(path.join(values.results, `seed-${seed}.json`), JSON.stringify(result));
    }
    isBroken = result.violations.length > 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  // At once: after thousands of reset sockets, Node.js may wait for their handles forever.
  process.exit(isBroken ? 1 : 0);
}

/** Ends the process with the reason for an option that does not exist. */
function readOptions() {
  const options = {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    deployments: { type: 'string', default: '2' },
    only: { type: 'string', default: '' },
    results: { type: 'string' },
    print: { type: 'string' },
  } as const;
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    console.error(
      `${(error as Error).message}\n\nOptions: --${Object.keys(options).join(', --')} (docs/reliability.md)`,
    );
    process.exit(2);
  }
}
