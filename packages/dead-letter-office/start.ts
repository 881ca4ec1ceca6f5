#!/usr/bin/env node
import { runOnNode } from './run-on-node.ts';

// `npx dead-letter-office`: what `npm start` runs in a clone; `reset` deletes its data. A Node.js that cannot run
// the program can run this file, which then finds one that can.
const requiredMajor = 24;

const { argv, versions } = process;
if (Number.parseInt(versions.node, 10) < requiredMajor) await runOnNode(argv.slice(1));
else if (argv[2] === 'reset' && argv.length === 3) await import('../../local/reset.ts');
else await import('../../local/start.ts');
